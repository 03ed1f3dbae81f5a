import CLinux
package import Core
import Foundation
import Synchronization

/// What the launcher is told at its start, on its command line: by a main process that has read nothing foreign yet. Nothing of it
/// can be changed later.
package struct LauncherSetup: Codable, Sendable {
  package var data: String
  package var configuration: String
  package var cache: String
  /// The settings forbid a network, from a backup or from before there were permissions: these then forbid it too.
  package var offline: Bool
  /// The version of this program that the person has asked to be fetched, by its address; nil in every other run.
  package var release: String?

  package var folders: Folders {
    func folder(_ path: String) -> URL { URL(filePath: path, directoryHint: .isDirectory) }
    return Folders(data: folder(data), configuration: folder(configuration), cache: folder(cache))
  }
}

/// What the launcher is asked and answers.
package enum LauncherMessages {
  /// Operation "start": the child's socket and stderr are the call's descriptors. Events: the process number, at the end the
  /// `ExitReason`. What the child may reach is not asked: the launcher knows it.
  struct Start: Codable { var kind: WorkerKind }
  /// Operation "browse": the page of this port is opened, with a code that lets one browser in. "handed" when it was used.
  struct Browse: Codable {
    var port: UInt16
    var code: String
  }
  /// Operation "notify".
  struct Notify: Codable { var title: String, text: String }
  /// Operation "tool": the tool server of this name; the call's descriptors become its standard input and output, and its errors.
  /// Events as those of "start".
  struct StartTool: Codable { var name: String }
  /// Operation "kill", and the first event of "start" and "tool".
  struct Child: Codable { var process: Int32 }

  /// Operation "count": what was started since the launcher began, beyond the seal of the main process.
  package struct Count: Codable, Sendable, Equatable {
    /// Workers with a network.
    package var connected = 0
    /// Messages handed to the mail program.
    package var sent = 0
    package var browsers = 0
    package var refusedOffline = 0
    package var offline = false
    package init() {}
  }
}

/// The door to everything that may not be sealed: a small process, started before this one has threads or seals itself, that
/// alone can start a worker with a network, hand over mail or open the browser.
///
/// It believes this process in nothing that it can know itself. Whether it may, and with which program, it reads from the
/// permissions at each request; what a child may write to it settled at its start. This process may only ask for less.
package actor Launcher {
  private let connection: WorkerConnection
  private let hello: WireFrame
  private var opening: Task<Void, any Error>?

  /// Starts the process and nothing else: no thread exists afterwards that did not before. `offline`: the settings
  /// forbid a network. `release`: an address that may be fetched from as well.
  package init(_ folders: Folders, offline: Bool = false, release: String? = nil) throws {
    let program = try WorkerProgram.find()
    let setup = LauncherSetup(
      data: folders.data.path, configuration: folders.configuration.path, cache: folders.cache.path, offline: offline,
      release: release)
    let pair = try Spawner.socketPair()
    defer { close(pair.theirs) }
    let channel = Channel(pair.ours)
    hello = try WireFrame.hello(OwnerGreeting(process: getpid()))
    let child = OwnChild(
      try Spawner.start(
        program, ["launcher", try JSON.line(setup)], environment: ProcessInfo.processInfo.environment,
        files: [Spawner.nothing, Spawner.nothing, STDERR_FILENO, pair.theirs]))
    connection = WorkerConnection(channel) { problem in
      child.kill()
      let reason = child.wait()
      return problem ?? WorkerError.died(kind: "launcher", reason, lastWords: "")
    }
  }

  deinit { connection.shut() }

  /// Starts a worker with a network; the launcher seals it.
  package func start(_ kind: WorkerKind, files: [CInt] = []) async throws -> Worker {
    try await open()
    let connection = connection
    return try await Worker.start(kind, seal: nil, files: files) { socket, stderr in
      try await FosterChild(
        "start", JSON.encode(LauncherMessages.Start(kind: kind)), on: connection, files: [socket, stderr])
    }
  }

  /// Starts the tool server of this name. What that is, and what it may reach, only a terminal has said.
  package func start(tool name: String) async throws -> ToolProcess {
    try await open()
    let connection = connection
    return try await ToolProcess(name) { socket, stderr in
      try await FosterChild(
        "tool", JSON.encode(LauncherMessages.StartTool(name: name)), on: connection, files: [socket, stderr])
    }
  }

  /// Opens our page on this port in the person's browser and hands it the code, see `HandOver`. A port and a code are all that
  /// is told, so that nothing can be carried out of the house in an address.
  package func browse(port: UInt16, code: String) async throws {
    try await open()
    try await drain(
      connection.call("browse", JSON.encode(LauncherMessages.Browse(port: port, code: code)), files: []))
  }

  /// The code was used: what handed it over goes.
  package func handed() async throws {
    try await open()
    try await drain(connection.call("handed", Data(), files: []))
  }

  /// A notification on the person's desktop; throws where there is none.
  package func notify(title: String, text: String) async throws {
    try await open()
    try await drain(
      connection.call("notify", JSON.encode(LauncherMessages.Notify(title: title, text: text)), files: []))
  }

  /// Hands one message, an open file, to the mail program that the permissions name; it sees nothing else of ours.
  package func send(message: CInt) async throws {
    try await open()
    try await drain(connection.call("send", Data(), files: [message]))
  }

  /// From now on nothing with a network is started, and what runs is ended; only a terminal takes that back.
  package func goOffline() async throws {
    try await open()
    try await drain(connection.call("offline", Data(), files: []))
  }

  /// What holds now.
  package func permissions() async throws -> Permissions { try await ask("permissions", for: Permissions.self) }

  package func count() async throws -> LauncherMessages.Count {
    try await ask("count", for: LauncherMessages.Count.self)
  }

  private func ask<Answer: Decodable>(_ operation: String, for type: Answer.Type) async throws -> Answer {
    try await open()
    for try await case .event(let data) in connection.call(operation, Data(), files: []) {
      return try JSON.decode(type, from: data)
    }
    throw WorkerError.malformed("no answer to \(operation)")
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

  private func drain(_ replies: AsyncThrowingStream<CallReply, any Error>) async throws {
    for try await _ in replies {}
    // A stream whose task was cancelled ends without an error: what was asked for has not come to its end.
    try Task.checkCancellation()
  }
}

/// A child of the launcher, which reports its end over the call that started it.
private final class FosterChild: ChildProcess {
  let number: CInt
  private let launcher: WorkerConnection
  private let ending: Ending

  private final class Ending: Sendable {
    let reason = Mutex(ExitReason.unknown)
    let isOver = DispatchSemaphore(value: 0)
  }

  init(_ operation: String, _ body: Data, on launcher: WorkerConnection, files: [CInt]) async throws {
    let replies = launcher.call(operation, body, files: files)
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
