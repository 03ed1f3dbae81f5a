import Core
package import Foundation
import Synchronization

/// A running tool server: lines go in, lines come out, as its protocol has it.
package final class ToolProcess: Sendable {
  /// No line that is longer is read: what sends one is ended.
  package static let longestLine = 4 << 20
  /// So many messages wait for a server that does not read; then it is ended.
  private static let mostUnread = 256
  /// The same by bytes: a few of the longest.
  private static let mostUnreadBytes = 8 * longestLine

  /// What it says, line by line, until it ends.
  package let lines: AsyncThrowingStream<Data, any Error>
  private let name: String
  private let socket: Open
  private let child: any ChildProcess
  /// The number of the server's process, or of the bridge to it.
  var process: CInt { child.number }

  /// Our end of the socket; nil once the server has ended or was told to.
  private final class Open: Sendable {
    let descriptor: Mutex<CInt?>
    init(_ descriptor: CInt) { self.descriptor = Mutex(descriptor) }
  }

  /// `start` is given the server's side of its standard input and output, and of its errors.
  package init(_ name: String, _ start: (CInt, CInt) async throws -> any ChildProcess) async throws {
    let pair = try Spawner.socketPair()
    var errors: [CInt] = [-1, -1]
    guard pipe(&errors) == 0 else {
      close(pair.ours)
      close(pair.theirs)
      throw WorkerError.socket(systemReason())
    }
    for file in errors { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    let words = LastWords(errors[0])
    defer {
      close(pair.theirs)
      close(errors[1])
    }
    do { child = try await start(pair.theirs, errors[1]) } catch {
      close(pair.ours)
      throw error
    }
    self.name = name
    socket = Open(pair.ours)
    let (lines, line) = AsyncThrowingStream.makeStream(
      of: Data.self, bufferingPolicy: .bufferingOldest(Self.mostUnread))
    self.lines = lines
    let (socket, child) = (socket, child)
    Thread { Self.read(name, pair.ours, socket, words, child, line) }.start()
  }

  deinit { stop() }

  /// One message; its line break is ours.
  package func write(_ line: Data) throws {
    let isWritten = try socket.descriptor.withLock { descriptor in
      guard let descriptor else { throw ToolProcessError.stopped(name) }
      return Self.write(line + Data([UInt8(ascii: "\n")]), to: descriptor)
    }
    guard !isWritten else { return }
    // Nothing can follow half of a message.
    stop()
    throw ToolProcessError.deaf(name)
  }

  /// False where it would have to wait for the server to read.
  private static func write(_ data: Data, to descriptor: CInt) -> Bool {
    Descriptor.send(data, to: descriptor, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
  }

  /// It is ended at once; what it was doing is lost.
  package func stop() {
    // The reading thread closes what it reads from.
    socket.descriptor.withLock { descriptor in
      if let descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
      descriptor = nil
    }
    child.kill()
  }

  /// A thread of its own, from the start to the end of the process.
  private static func read(
    _ name: String, _ descriptor: CInt, _ socket: Open, _ words: LastWords, _ child: any ChildProcess,
    _ line: AsyncThrowingStream<Data, any Error>.Continuation
  ) {
    var pending = Data()
    var unread = Unread(most: mostUnread, mostBytes: mostUnreadBytes)
    var failure: ToolProcessError?
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var sources = [descriptor, words.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    reading: while true {
      guard poll(&sources, 2, -1) >= 0 || errno == EINTR else { break }
      if sources[1].revents != 0, !words.listen() { sources[1].fd = -1 }
      guard sources[0].revents != 0 else { continue }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      // Only what is new can hold a line's end.
      var rest = buffer[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        pending += rest[..<end]
        let fits =
          switch line.yield(pending) {
          case .enqueued(let room): unread.count(pending.count, room: room)
          case .dropped: false
          default: true
          }
        guard fits else {
          failure = .flooded(name)
          break reading
        }
        pending = Data()
        rest = rest[(end + 1)...]
      }
      pending += rest
      guard pending.count <= longestLine else {
        failure = .longLine(name)
        break
      }
    }
    child.kill()
    let reason = child.wait()
    socket.descriptor.withLock { $0 = nil }
    close(descriptor)
    line.finish(throwing: failure ?? ToolProcessError.ended(name, reason, lastWords: words.recall()))
  }
}

package enum ToolProcessError: Explained {
  case ended(String, ExitReason, lastWords: String)
  case stopped(String)
  case deaf(String)
  case flooded(String)
  case longLine(String)

  package var code: String {
    if case .ended(_, .offline, _) = self { return "offline" }
    return "tool_server_ended"
  }
  package var message: String {
    switch self {
    case .ended(let name, let reason, let lastWords):
      "The tool server \(name) ended: \(reason)." + (lastWords.isEmpty ? "" : " It last said: \(lastWords)")
    case .stopped(let name): "The tool server \(name) was stopped."
    case .deaf(let name): "The tool server \(name) did not read what it was sent, and was ended."
    case .flooded(let name): "The tool server \(name) said more than was asked, and was ended."
    case .longLine(let name):
      "The tool server \(name) was ended: it sent a line longer than \(ToolProcess.longestLine >> 20) MB."
    }
  }
  package var remedy: String? {
    guard case .ended = self else { return nil }
    return
      "It may lack a file or a connection: libera tools says what it may reach, --read, --write and --network of libera tools add give it more."
  }
}
