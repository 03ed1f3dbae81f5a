import CLinux
import Core
package import Foundation
package import Safety
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the launcher is asked and answers.
package enum LauncherMessages {
  struct Setup: Codable { var offline: Bool }
  /// Operation "start": the child's socket and stderr are the call's descriptors. Events: the process number, at the end the
  /// `ExitReason`.
  struct Start: Codable { var kind: WorkerKind }
  /// Operation "browse".
  struct Browse: Codable { var url: String }
  /// Operation "notify".
  struct Notify: Codable { var title: String, text: String }
  /// Operation "send": the message is the call's one descriptor. Ends when the program did.
  struct Send: Codable { var command: [String] }
  /// Operation "kill", and the first event of "start".
  struct Child: Codable { var process: Int32 }

  /// Operation "count": what was started since the launcher began, beyond the seal of the main process.
  package struct Count: Codable, Sendable, Equatable {
    /// Workers with a network.
    package var connected = 0
    package var browsers = 0
    package var refusedOffline = 0
    package var offline = false
    package init(offline: Bool = false) { self.offline = offline }
  }
}

/// The door to everything that may not be sealed: a small process, started before this one has threads or seals itself, that
/// alone can start a worker with a network or open the browser. With offline set it starts neither.
package actor Launcher {
  private let connection: Connection
  private let hello: Frame
  private var opening: Task<Void, any Error>?

  /// Starts the process and nothing else: no thread exists afterwards that did not before.
  package init(offline: Bool) throws {
    let program = try WorkerProgram.find()
    let pair = try Spawner.socketPair()
    defer { close(pair.theirs) }
    let channel = Channel(pair.ours)
    hello = try Frame.hello(LauncherMessages.Setup(offline: offline))
    let child = OwnChild(
      try Spawner.start(
        program, ["launcher"], environment: ProcessInfo.processInfo.environment,
        files: [Spawner.nothing, Spawner.nothing, STDERR_FILENO, pair.theirs]))
    connection = Connection(channel) { problem in
      child.kill()
      let reason = child.wait()
      return problem ?? WorkerError.died(kind: "launcher", reason, lastWords: "")
    }
  }

  deinit { connection.shut() }

  /// Starts a worker with a network; it seals itself as `seal` says (profile fetch).
  package func start(_ kind: WorkerKind, seal: SealSpecification, files: [CInt] = []) async throws -> Worker {
    try await open()
    let connection = connection
    return try await Worker.start(kind, seal: seal, files: files) { socket, stderr in
      try await FosterChild(kind, on: connection, files: [socket, stderr])
    }
  }

  /// Opens a page of ours in the person's browser. Only loopback addresses are accepted, so that nothing can be carried out of
  /// the house in an address.
  package func browse(_ url: URL) async throws {
    try await open()
    try await drain(
      connection.call("browse", JSON.encode(LauncherMessages.Browse(url: url.absoluteString)), files: []))
  }

  /// A notification on the person's desktop; throws where there is none.
  package func notify(title: String, text: String) async throws {
    try await open()
    try await drain(
      connection.call("notify", JSON.encode(LauncherMessages.Notify(title: title, text: text)), files: []))
  }

  /// Hands one message to the person's own mail program ("/usr/bin/msmtp -t"), which sees nothing else of ours.
  package func send(_ command: String, message: CInt) async throws {
    try await open()
    let words = command.split(separator: " ").map(String.init)
    try await drain(connection.call("send", JSON.encode(LauncherMessages.Send(command: words)), files: [message]))
  }

  package func setOffline(_ offline: Bool) async throws {
    try await open()
    try await drain(connection.call("offline", JSON.encode(offline), files: []))
  }

  package func count() async throws -> LauncherMessages.Count {
    try await open()
    for try await case .event(let data) in connection.call("count", Data(), files: []) {
      return try JSON.decode(LauncherMessages.Count.self, from: data)
    }
    throw WorkerError.malformed("no count")
  }

  /// Ends the launcher and every worker it started.
  package func stop() async {
    do { try await open() } catch {
      // It has ended already, and its end was awaited.
      return
    }
    connection.finish()
    await connection.end()
  }

  private func open() async throws {
    let opening =
      opening
      ?? Task { [connection, hello] in
        _ = try await connection.open(hello).readHello(OwnerGreeting.self)
      }
    self.opening = opening
    try await opening.value
  }

  private func drain(_ replies: AsyncThrowingStream<Reply, any Error>) async throws { for try await _ in replies {} }
}

/// A child of the launcher, which reports its end over the call that started it.
private final class FosterChild: ChildProcess {
  let number: CInt
  private let launcher: Connection
  private let ending: Ending

  private final class Ending: Sendable {
    let reason = Mutex(ExitReason.unknown)
    let isOver = DispatchSemaphore(value: 0)
  }

  init(_ kind: WorkerKind, on launcher: Connection, files: [CInt]) async throws {
    let body = try JSON.encode(LauncherMessages.Start(kind: kind))
    let replies = launcher.call("start", body, files: files)
    var iterator = replies.makeAsyncIterator()
    guard case .event(let data) = try await iterator.next() else { throw WorkerError.malformed("no process") }
    number = try JSON.decode(LauncherMessages.Child.self, from: data).process
    self.launcher = launcher
    let ending = Ending()
    self.ending = ending
    Task {
      do {
        for try await case .event(let data) in replies {
          let reason = try JSON.decode(ExitReason.self, from: data)
          ending.reason.withLock { $0 = reason }
        }
      } catch {
        // The launcher has gone, and its children with it: the reason stays unknown.
      }
      ending.isOver.signal()
    }
  }

  func kill() {
    do { _ = launcher.call("kill", try JSON.encode(LauncherMessages.Child(process: number)), files: []) } catch {
      assertionFailure("a number cannot be encoded: \(error)")
    }
  }

  func wait() -> ExitReason {
    ending.isOver.wait()
    return ending.reason.withLock { $0 }
  }
}
