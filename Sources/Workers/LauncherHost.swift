import Core
import Foundation
import Safety
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The inside of the launcher process. It reads nothing but its one socket, and ends with it.
package enum LauncherHost {
  package static func run(socket: CInt = 3) -> Never {
    Seal.closeMemory()
    let channel = Channel(socket)
    do {
      guard let frame = try channel.read() else { _exit(EX_OK) }
      let setup = try frame.readHello(LauncherMessages.Setup.self)
      try channel.write(.hello(OwnerGreeting(process: getpid())))
      let desk = Desk(channel, offline: setup.offline)
      while let frame = try channel.read() { desk.take(frame) }
      desk.endChildren()
      _exit(EX_OK)
    } catch {
      FileHandle.standardError.write(Data("libera-worker launcher: \(error)\n".utf8))
      _exit(EX_PROTOCOL)
    }
  }
}

private final class Desk: Sendable {
  private struct State {
    var count = LauncherMessages.Count()
    var children: [CInt: OwnChild] = [:]
  }

  /// The only kinds that may run unsealed against the network; all others are started, sealed, by the main process.
  private static let kinds: Set<WorkerKind> = [.fetch, .echo]

  private let channel: Channel
  private let state: Mutex<State>

  init(_ channel: Channel, offline: Bool) {
    self.channel = channel
    state = Mutex(State(count: LauncherMessages.Count(offline: offline)))
  }

  func take(_ frame: Frame) {
    defer { for file in frame.files { close(file) } }
    guard frame.kind == .call else { return }
    do {
      let (operation, body) = try frame.readCall()
      switch operation {
      case "start":
        // Ends later, with its child.
        return try start(JSON.decode(LauncherMessages.Start.self, from: body).kind, frame)
      case "kill":
        let process = try JSON.decode(LauncherMessages.Child.self, from: body).process
        state.withLock { $0.children[process] }?.kill()
      case "browse": try browse(JSON.decode(LauncherMessages.Browse.self, from: body).url)
      case "notify": try notify(JSON.decode(LauncherMessages.Notify.self, from: body))
      case "send":
        // Ends later, with its child.
        return try send(JSON.decode(LauncherMessages.Send.self, from: body).command, frame)
      case "offline":
        let offline = try JSON.decode(Bool.self, from: body)
        state.withLock { $0.count.offline = offline }
      case "count": try send(state.withLock { $0.count }, frame.request)
      default: throw WorkerError.unknownOperation(operation)
      }
      try channel.write(Frame(.end, request: frame.request))
    } catch { fail(frame.request, error) }
  }

  func endChildren() { for child in state.withLock({ $0.children.values.map(\.self) }) { child.kill() } }

  private func start(_ kind: WorkerKind, _ frame: Frame) throws {
    try refuseOffline("the \(kind.rawValue) worker")
    guard Desk.kinds.contains(kind) else {
      throw WorkerError.badRequest("a \(kind.rawValue) worker needs no network")
    }
    guard frame.files.count == 2 else { throw WorkerError.badRequest("no descriptors for the child") }
    let child = OwnChild(
      try Spawner.start(
        WorkerProgram.find(), [kind.rawValue], environment: ProcessInfo.processInfo.environment,
        files: [Spawner.nothing, Spawner.nothing, frame.files[1], frame.files[0]]))
    state.withLock {
      $0.count.connected += 1
      $0.children[child.number] = child
    }
    try send(LauncherMessages.Child(process: child.number), frame.request)
    Thread.detachNewThread { [self] in
      let reason = child.wait()
      state.withLock { $0.children[child.number] = nil }
      do {
        try send(reason, frame.request)
        try channel.write(Frame(.end, request: frame.request))
      } catch { fail(frame.request, error) }
    }
  }

  private func browse(_ address: String) throws {
    guard let url = URL(string: address), url.scheme == "http", let host = url.host(), url.user == nil,
      ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host)
    else { throw WorkerError.badRequest("only a page of this device can be opened, not \(address)") }
    try refuseOffline("the browser")
    let opener = try Desk.opener()
    let child = OwnChild(
      try Spawner.start(
        opener, [url.absoluteString], environment: ProcessInfo.processInfo.environment,
        files: [Spawner.nothing, Spawner.nothing, Spawner.nothing]))
    state.withLock { $0.count.browsers += 1 }
    Thread.detachNewThread { _ = child.wait() }
  }

  /// Needs no network, so offline does not forbid it.
  private func notify(_ notice: LauncherMessages.Notify) throws {
    func plain(_ text: String) -> String {
      Visible.text(String(text.prefix(200))).replacingOccurrences(of: "<", with: "‹")
    }
    #if os(Linux)
      let (name, words) = ("notify-send", ["--app-name=Libera", "--", plain(notice.title), plain(notice.text)])
    #else
      let script = "on run words\ndisplay notification (item 2 of words) with title (item 1 of words)\nend run"
      let (name, words) = ("osascript", ["-e", script, plain(notice.title), plain(notice.text)])
    #endif
    let child = OwnChild(
      try Spawner.start(
        Desk.program(name), words, environment: ProcessInfo.processInfo.environment,
        files: [Spawner.nothing, Spawner.nothing, Spawner.nothing]))
    Thread.detachNewThread { _ = child.wait() }
  }

  private func send(_ command: [String], _ frame: Frame) throws {
    try refuseOffline("the mail program")
    guard let program = command.first, program.hasPrefix("/"), frame.files.count == 1 else {
      throw WorkerError.badRequest("the mail program is given by its whole path, and one message with it")
    }
    let child = OwnChild(
      try Spawner.start(
        program, Array(command.dropFirst()), environment: ProcessInfo.processInfo.environment,
        files: [frame.files[0], Spawner.nothing, Spawner.nothing]))
    state.withLock { $0.count.connected += 1 }
    Thread.detachNewThread { [self] in
      let reason = child.wait()
      do {
        guard reason == .code(0) else { throw WorkerError.notStarted(program: program, reason: "\(reason)") }
        try channel.write(Frame(.end, request: frame.request))
      } catch { fail(frame.request, error) }
    }
  }

  private static func opener() throws -> String {
    #if os(Linux)
      try program("xdg-open")
    #else
      try program("open")
    #endif
  }

  private static func program(_ name: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    guard let folder = folders.first(where: { access("\($0)/\(name)", X_OK) == 0 }) else {
      throw WorkerError.notStarted(program: name, reason: "it is not installed")
    }
    return "\(folder)/\(name)"
  }

  private func refuseOffline(_ what: String) throws {
    let isOffline = state.withLock {
      if $0.count.offline { $0.count.refusedOffline += 1 }
      return $0.count.offline
    }
    if isOffline { throw WorkerError.offline(what) }
  }

  private func send(_ value: some Encodable, _ request: UInt64) throws {
    try channel.write(Frame(.event, request: request, payload: JSON.encode(value)))
  }

  private func fail(_ request: UInt64, _ error: any Error) {
    do { try channel.write(Frame(.failed, request: request, payload: JSON.encode(RemoteError(error)))) } catch {
      // Nobody listens any more; reading ends next, and the process with it.
    }
  }
}
