import CCurl
import Core
import Foundation
import Models
import Synchronization
package import Workers

/// Speaks with a tool server by the streamable HTTP transport of the Model Context Protocol for somebody who speaks in lines: each line
/// that is read is sent by itself, each message that comes back is written as a line. A request that comes to nothing is answered with an
/// error. It listens to nothing but answers: the stream that a server may send unasked is not opened.
package final class ToolBridge: Sendable {
  static let longestMessage = ToolProcess.longestLine
  static let longestReply = 16 << 20
  static let mostAtOnce = 16
  /// A tool may work for long without a word; what needs no answer is taken at once.
  private static let patience = 600
  private static let shortPatience = 30
  private static let longestExchange = 3600

  private let address: String
  private let key: String?
  private let authority: String?
  private let writing = Mutex(())
  private let state = Mutex(State())

  private struct State {
    var session = BridgeSession()
    /// The requests under way, by their ids as JSON.
    var open: [String: CancelFlag] = [:]
  }

  package init(_ start: BridgeStart) { (address, key, authority) = (start.address, start.key, start.authority) }

  /// Until nothing more is to be read from the standard input.
  package func run() -> Never {
    curl_global_init(Self.everything)
    // A reader that has gone shows when it is written to.
    signal(SIGPIPE, SIG_IGN)
    var pending = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while pending.count <= Self.longestMessage {
      let count = buffer.withUnsafeMutableBytes { Descriptor.read(STDIN_FILENO, into: $0) }
      guard count > 0 else { break }
      pending += buffer[..<count]
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        send(Data(pending[..<end]))
        pending = Data(pending[(end + 1)...])
      }
    }
    _exit(EX_OK)
  }

  private static let everything = 3  // CURL_GLOBAL_ALL, which Swift does not see

  /// What wants no answer is sent in its order; requests wait beside each other.
  private func send(_ line: Data) {
    // Only what we have written ourselves is read here.
    guard let message = try? JSON.decode(BridgeMessage.self, from: line) else { return }
    guard message.isRequest, let id = message.id else {
      // A server that cannot be told of it finds out by itself; what is asked next says that it cannot be reached.
      try? exchange(line, of: message, CancelFlag(), patience: Self.shortPatience)
      if let cancelled = message.cancels { state.withLock { $0.open["\(cancelled)"] }?.set() }
      return
    }
    let (name, flag) = ("\(id)", CancelFlag())
    let isTaken = state.withLock { state in
      guard state.open.count < Self.mostAtOnce else { return false }
      state.open[name] = flag
      return true
    }
    guard isTaken else { return fail(id, .tooMany) }
    Thread.detachNewThread { [self] in
      do { try exchange(line, of: message, flag, patience: Self.patience) } catch is CancellationError {
        // A request that was cancelled is not answered.
      } catch let failure as BridgeFailure {
        fail(id, failure)
        // A greeting begins a session, and whoever reads the lines greets a new process alone.
        if failure == .session { _exit(EX_TEMPFAIL) }
      } catch PackError.certificate(_, let reason) {
        fail(id, .certificate(reason))
      } catch { fail(id, .transfer(RemoteError(error).message)) }
      state.withLock { $0.open[name] = nil }
    }
  }

  // MARK: One exchange

  private func exchange(_ line: Data, of asked: BridgeMessage, _ cancelled: CancelFlag, patience: Int) throws {
    let session = state.withLock { $0.session }
    let isGreeting = asked.method == "initialize"
    var target = address
    for _ in 0...BridgeRedirect.most {
      let reply = BridgeReply(asked) { [self] message, data in
        if isGreeting { state.withLock { $0.session.take(version: message.version) } }
        tell(data)
      }
      let transfer = try Transfer(cancelled: cancelled)
      transfer.posts = line
      transfer.authority = authority
      transfer.seconds = Self.longestExchange
      // Its events come when there are some.
      transfer.slowest = 1
      transfer.takes = { !(300..<400).contains($0) }
      transfer.begin = { [self] answer in
        reply.begin(answer)
        if isGreeting { state.withLock { $0.session.take(id: answer["mcp-session-id"]) } }
      }
      transfer.body = { try reply.take($0) }
      do {
        if case .redirect(let next) = try transfer.run(target, headers: session.headers(key: key), patience: patience) {
          target = try BridgeRedirect.next(transfer.answer.status, from: address, to: next)
          continue
        }
      } catch is BridgeReply.Answered { return }
      if transfer.answer.status == 404, session.id != nil { throw BridgeFailure.session }
      return try reply.end()
    }
    throw BridgeFailure.leadsAway(target)
  }

  // MARK: Lines out

  /// One message, on one line: breaks can only stand between the parts of JSON.
  private func tell(_ message: Data) {
    var line = message
    for place in line.indices where line[place] == UInt8(ascii: "\n") || line[place] == UInt8(ascii: "\r") {
      line[place] = UInt8(ascii: " ")
    }
    line.append(UInt8(ascii: "\n"))
    // Where that fails nobody reads any more.
    writing.withLock { _ in if !Descriptor.write(line, to: STDOUT_FILENO) { _exit(EX_OK) } }
  }

  private func fail(_ id: JSONNode, _ failure: BridgeFailure) {
    let error = JSONNode.object(["code": .whole(BridgeFailure.code), "message": .text(failure.words)])
    let message = JSONNode.object(["jsonrpc": .text("2.0"), "id": id, "error": error])
    // A few texts and numbers can always be written as JSON.
    if let data = try? JSON.encode(message) { tell(data) }
  }
}
