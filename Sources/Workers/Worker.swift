import CLinux
import Core
package import Foundation
package import Safety
import Synchronization

/// One worker and the conversation with it: a process, or a thread of this program (`WorkerHost`). Calls run in the order they were made; each is a stream that ends when
/// the call does, and dropping the stream cancels the call; one that then goes on for five seconds more ends the process. When the process dies, every call at hand ends with an error that
/// says why; a new worker is started by `start`. Letting go of the last reference ends the process.
package final class Worker: Sendable {
  package let process: Int32
  /// What the worker found when it tried its own locks.
  package let seal: SealReport
  private let connection: WorkerConnection
  private let child: any ChildProcess
  private let stopping: CancelFlag

  /// Starts a sealed worker and returns once it has greeted. `files` may be opened again by its engine after sealing, through
  /// /proc/self/fd; the caller keeps its own descriptors. A worker that holds more than `mostBytes` of memory, mapped files
  /// included, is ended; what `seal` says limits memory of its own alone.
  /// `environment` is added to what workers find in theirs.
  package static func start(
    _ kind: WorkerKind, seal: SealSpecification, files: [CInt] = [], mostBytes: UInt64? = nil,
    environment added: [String: String] = [:]
  ) async throws -> Worker {
    let program = try WorkerProgram.find(kind)
    let environment = Self.environment(of: program).merging(added) { $1 }
    return try await start(kind, seal: seal, files: files, mostBytes: mostBytes) { socket, stderr in
      OwnChild(
        try Spawner.start(
          program, [kind.rawValue], environment: environment,
          files: [Spawner.nothing, Spawner.nothing, stderr, socket], yielding: true))
    }
  }

  /// What a worker finds in its environment.
  private static func environment(of program: String) -> [String: String] {
    Shipped.environment(Spawner.plainEnvironment(), beside: (program as NSString).deletingLastPathComponent)
  }

  /// The same before one is started; only what is set already where the program cannot be found, which starting it then says.
  package static func environment() -> [String: String] {
    do { return environment(of: try WorkerProgram.find()) } catch { return Spawner.plainEnvironment() }
  }

  /// `seal` nil: whoever starts the process has told it how to seal itself. `speaks` false: what is started has no stderr of its own.
  static func start(
    _ kind: WorkerKind, seal: SealSpecification?, files: [CInt], mostBytes: UInt64? = nil, speaks: Bool = true,
    spawn: (_ socket: CInt, _ stderr: CInt) async throws -> any ChildProcess
  ) async throws -> Worker {
    let hello = try WireFrame.hello(WorkerSetup(kind: kind.rawValue, seal: seal), files: files)
    let pair = try Spawner.socketPair()
    let channel = Channel(pair.ours)
    var pipeEnds: [CInt] = [-1, -1]
    guard !speaks || libera_pipe(&pipeEnds) == 0 else {
      close(pair.theirs)
      throw WorkerError.socket(systemReason())
    }
    let lastWords = speaks ? LastWords(pipeEnds[0]) : nil
    let child: any ChildProcess
    do {
      // The child alone may hold these: its death before it greets is seen by nothing but its end of the socket closing.
      defer {
        close(pair.theirs)
        if speaks { close(pipeEnds[1]) }
      }
      child = try await spawn(pair.theirs, pipeEnds[1])
    }
    let stopping = CancelFlag()
    let rules = WorkerConnection.Rules(kind: kind.rawValue, mostBytes: mostBytes) { resident(child.number) }
    let connection = WorkerConnection(channel, lastWords: lastWords, rules: rules) { problem in
      // A worker whose socket has closed is ending anyway, and then keeps its own exit code.
      child.kill()
      let reason = child.wait()
      if stopping.isSet { return WorkerError.stopped(kind: kind.rawValue) }
      if reason == .abandoned { return WorkerError.abandoned(kind: kind.rawValue) }
      if reason == .offline { return WorkerError.cutOff("the \(kind.rawValue) worker") }
      return problem ?? WorkerError.died(kind: kind.rawValue, reason, lastWords: lastWords?.recall() ?? "")
    }
    do {
      let greeting = try await connection.open(hello).readHello(WorkerGreeting.self)
      return Worker(greeting, connection, child, stopping)
    } catch {
      connection.shut()
      throw error
    }
  }

  private init(
    _ greeting: WorkerGreeting, _ connection: WorkerConnection, _ child: any ChildProcess,
    _ stopping: CancelFlag
  ) {
    self.connection = connection
    self.child = child
    self.stopping = stopping
    process = child.number
    seal = greeting.seal
  }

  deinit { connection.shut() }

  /// Descriptors are duplicated; the caller keeps its own. A call that was cancelled ends with `CancellationError`, one that
  /// takes longer than its deadline with `WorkerError.overdue`; its time begins when the calls before it have ended.
  package func call(
    _ operation: String, _ body: some Encodable, files: [CInt] = [], deadline: Duration? = nil,
    most: ReplyBound = .usual
  ) -> AsyncThrowingStream<CallReply, any Error> {
    do {
      return connection.call(operation, try JSON.encode(body), files: files, deadline: deadline, most: most)
    } catch {
      return AsyncThrowingStream { $0.finish(throwing: error) }
    }
  }

  /// A call whose body is JSON already.
  package func call(
    _ operation: String, body: Data, files: [CInt] = [], most: ReplyBound = .usual
  ) -> AsyncThrowingStream<CallReply, any Error> {
    connection.call(operation, body, files: files, most: most)
  }

  /// For a call that answers with one event.
  package func ask<Answer: Decodable>(
    _ operation: String, _ body: some Encodable, files: [CInt] = [], deadline: Duration? = nil, for type: Answer.Type
  ) async throws -> Answer {
    var answer: Answer?
    for try await case .event(let data) in call(operation, body, files: files, deadline: deadline) {
      answer = try JSON.decode(type, from: data)
    }
    try Task.checkCancellation()
    guard let answer else { throw WorkerError.malformed("no answer to \(operation)") }
    return answer
  }

  /// For an operation that answers with nothing but its end.
  package func finish(_ operation: String, _ body: some Encodable, files: [CInt] = []) async throws {
    for try await _ in call(operation, body, files: files) {}
    try Task.checkCancellation()
  }

  /// Changes the call that is running now, between tokens.
  package func adjust(_ body: some Encodable) throws { connection.adjust(try JSON.encode(body)) }

  package var isAlive: Bool { connection.isOpen }

  /// Whether `process` is the worker's own; false for an engine in a thread of this program.
  package var isProcess: Bool { child.isProcess }

  /// The memory the process really holds, in bytes; nil when it is gone, and for an engine in this program. `proc` is injected for tests.
  package func footprint(proc: URL = URL(filePath: "/proc")) -> UInt64? {
    isAlive && isProcess ? Worker.resident(process, proc: proc) : nil
  }

  private static func resident(_ process: Int32, proc: URL = URL(filePath: "/proc")) -> UInt64? {
    guard let pages = FileManager.default.contents(atPath: proc.path + "/\(process)/statm") else { return nil }
    return String(decoding: pages, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
      .map { $0 * UInt64(sysconf(CInt(_SC_PAGESIZE))) }
  }

  /// What the worker has computed so far; nil when it has ended or the system does not tell.
  package func processorTime(proc: URL = URL(filePath: "/proc")) -> Duration? {
    guard isProcess else { return child.processorTime }
    guard isAlive, let stat = FileManager.default.contents(atPath: proc.path + "/\(process)/stat") else { return nil }
    // The name, in parentheses, may hold anything; after it the times are the 12th and 13th.
    let fields = String(decoding: stat, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
    return .seconds((user + system) / Double(sysconf(CInt(_SC_CLK_TCK))))
  }

  /// Ends the process, kindly and after a second without mercy, and returns when it is gone.
  package func stop() async {
    stopping.set()
    connection.finish()
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [child] in child.kill() }
    await connection.end()
  }

  /// Ends the process at once.
  package func kill() async {
    stopping.set()
    child.kill()
    await connection.end()
  }
}
