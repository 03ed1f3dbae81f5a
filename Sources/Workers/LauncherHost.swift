import Core
import Foundation
import Safety
import Synchronization

/// The inside of the launcher process. It reads nothing but its one socket and the permissions, and ends with the first.
package enum LauncherHost {
  /// Tells the fetch worker which repositories are permitted, with spaces between them.
  package static let repositories = "LIBERA_REPOSITORIES"
  /// Tells it which version of this program it may fetch.
  package static let release = "LIBERA_RELEASE"

  /// `environment` is what the fetch worker is told beside what this process was; it is asked for before one is started.
  package static func run(
    _ setup: LauncherSetup, socket: CInt = 3, environment: @escaping @Sendable () -> [String: String]
  ) -> Never {
    Seal.closeMemory()
    let channel = Channel(socket)
    let service = LaunchService(channel, setup, environment)
    do {
      guard let frame = try channel.read() else { _exit(EX_OK) }
      _ = try frame.readHello(OwnerGreeting.self)
      try channel.write(.hello(OwnerGreeting(process: getpid())))
      while let frame = try channel.read() { service.take(frame) }
      service.end()
      _exit(EX_OK)
    } catch {
      FileHandle.standardError.write(Data("libera-worker launcher: \(error)\n".utf8))
      _exit(EX_PROTOCOL)
    }
  }
}

private final class LaunchService: Sendable {
  private struct State {
    var count = LauncherMessages.Count()
    var children: [CInt: OwnChild] = [:]
    /// Which of them a request that has not ended has started.
    var fostered: [UInt64: CInt] = [:]
    /// Those that have no network, and so go on when offline is set.
    var unconnected: Set<CInt> = []
    /// Those that were ended because offline was set.
    var cutOff: Set<CInt> = []
    /// Offline whatever the permissions say, because they could not be written.
    var holdsOffline = false
    /// The files that hand a browser over at this moment.
    var handOvers: [HandOver] = []
  }

  /// The only kinds that may run against the network; all others are started by the main process.
  private static let kinds: Set<WorkerKind> = [.fetch, .echo]

  private let channel: Channel
  private let folders: Folders
  private let room: FetchRoom
  private let release: String?
  private let environment: @Sendable () -> [String: String]
  private let state = Mutex(State())

  init(_ channel: Channel, _ setup: LauncherSetup, _ environment: @escaping @Sendable () -> [String: String]) {
    self.channel = channel
    self.environment = environment
    folders = setup.folders
    room = FetchRoom(folders)
    release = setup.release
    HandOver.sweep(folders.data.path)
    guard setup.offline else { return }
    do { try goOffline() } catch {
      // It holds while this process lives; why it could not be kept is said when somebody asks for it.
    }
  }

  func take(_ frame: WireFrame) {
    defer { for file in frame.files { close(file) } }
    // Whoever asked for it has gone, perhaps before he knew its number: nobody else would end it.
    if frame.kind == .cancel {
      let child = state.withLock { state in state.fostered[frame.request].flatMap { state.children[$0] } }
      child?.kill()
      return
    }
    guard frame.kind == .call else { return }
    do {
      let (operation, body) = try frame.readCall()
      switch operation {
      case "start":
        // Ends later, with its child.
        return try start(JSON.decode(LauncherMessages.Start.self, from: body).kind, frame)
      case "tool":
        // Ends later, with its child.
        return try start(tool: JSON.decode(LauncherMessages.StartTool.self, from: body).name, frame)
      case "kill":
        let process = try JSON.decode(LauncherMessages.Child.self, from: body).process
        state.withLock { $0.children[process] }?.kill()
      case "browse": try browse(JSON.decode(LauncherMessages.Browse.self, from: body))
      case "handed": removeHandOvers()
      case "notify":
        // Ends later, when the desktop has answered.
        return try notify(JSON.decode(LauncherMessages.Notify.self, from: body), frame.request)
      case "send":
        // Ends later, with its child.
        return try sendMail(frame)
      case "offline": try goOffline()
      case "permissions": try send(permissions(), frame.request)
      case "count":
        let isOffline = permissions().offline
        try send(
          state.withLock {
            $0.count.offline = isOffline
            return $0.count
          }, frame.request)
      default: throw WorkerError.unknownOperation(operation)
      }
      try channel.write(WireFrame(.end, request: frame.request))
    } catch { fail(frame.request, error) }
  }

  func end() {
    for child in state.withLock({ $0.children.values.map(\.self) }) { child.kill() }
    removeHandOvers()
  }

  private func removeHandOvers() {
    let files = state.withLock { state in
      defer { state.handOvers = [] }
      return state.handOvers
    }
    for file in files { file.remove() }
  }

  // MARK: Permissions

  /// Read anew for each request, and obeyed: where they say offline, what runs is ended. What cannot be believed permits nothing.
  private func permissions() -> Permissions {
    var permissions: Permissions
    do { permissions = try Permissions.read(folders.permissions) ?? Permissions() } catch {
      FileHandle.standardError.write(Data("libera-worker launcher: \(error)\n".utf8))
      permissions = Permissions(offline: true)
    }
    if state.withLock({ $0.holdsOffline }) { permissions.offline = true }
    if permissions.offline { cutOff() }
    return permissions
  }

  private func cutOff() {
    let children = state.withLock { state in
      let connected = state.children.filter { !state.unconnected.contains($0.key) }
      state.cutOff.formUnion(connected.keys)
      return Array(connected.values)
    }
    for child in children { child.kill() }
  }

  /// Tighter is all that the main process can make them; what runs ends first, whatever becomes of the file.
  private func goOffline() throws {
    state.withLock { $0.holdsOffline = true }
    cutOff()
    var permissions = try Permissions.read(folders.permissions) ?? Permissions()
    if !permissions.offline {
      permissions.offline = true
      try permissions.write(to: folders.permissions)
    }
    state.withLock { $0.holdsOffline = false }
  }

  private func refuseOffline(_ what: String) throws {
    guard permissions().offline else { return }
    state.withLock { $0.count.refusedOffline += 1 }
    throw WorkerError.offline(what)
  }

  // MARK: Children

  private func start(_ kind: WorkerKind, _ frame: WireFrame) throws {
    try refuseOffline("the \(kind.rawValue) worker")
    guard LaunchService.kinds.contains(kind) else {
      throw WorkerError.badRequest("a \(kind.rawValue) worker needs no network")
    }
    guard frame.files.count == 2 else { throw WorkerError.badRequest("no descriptors for the child") }
    let staging = try room.open()
    defer { close(staging) }
    var told = Spawner.connectedEnvironment()
    if kind == .fetch { told.merge(environment()) { $1 } }
    let permitted = [
      LauncherHost.repositories: (permissions().repositories ?? []).joined(separator: " "),
      LauncherHost.release: release ?? "",
    ]
    let child = OwnChild(
      try Spawner.start(
        WorkerProgram.find(kind), [kind.rawValue, try JSON.line(room.seal(staging: 4))],
        environment: told.merging(permitted) { $1 },
        files: [Spawner.nothing, Spawner.nothing, frame.files[1], frame.files[0], staging]))
    try foster(child, connected: true, frame.request)
  }

  /// Whatever the main process asks for: only what the terminal has added, and with the reach that was given there.
  private func start(tool name: String, _ frame: WireFrame) throws {
    let server = try ToolServers.read(folders).named(name)
    if server.network { try refuseOffline("the tool server \(name)") }
    guard frame.files.count == 2 else { throw WorkerError.badRequest("no descriptors for the child") }
    let files = [frame.files[0], frame.files[0], frame.files[1]]
    let child = OwnChild(try ToolStart.spawn(server, in: folders, files: files), endsGroup: true)
    try foster(child, connected: server.network, frame.request)
  }

  /// Tells of a child: its number, and when it has ended why.
  private func foster(_ child: OwnChild, connected: Bool, _ request: UInt64) throws {
    state.withLock {
      if connected { $0.count.connected += 1 } else { $0.unconnected.insert(child.number) }
      $0.children[child.number] = child
      $0.fostered[request] = child.number
    }
    if connected { watchPermissions(for: child.number) }
    try send(LauncherMessages.Child(process: child.number), request)
    Thread.detachNewThread { [self] in
      let reason = outcome(of: child)
      state.withLock { _ = $0.fostered.removeValue(forKey: request) }
      do {
        try send(reason, request)
        try channel.write(WireFrame(.end, request: request))
      } catch { fail(request, error) }
    }
  }

  /// Offline may be set beside this launcher, where another process of ours has one too: what runs here ends all the same.
  private func watchPermissions(for child: CInt) {
    Thread.detachNewThread { [self] in
      while state.withLock({ $0.children[child] != nil }) {
        Thread.sleep(forTimeInterval: 0.5)
        _ = permissions()
      }
    }
  }

  /// Waits for the child's end and forgets it.
  private func outcome(of child: OwnChild) -> ExitReason {
    let reason = child.wait()
    return state.withLock { state in
      state.children[child.number] = nil
      state.unconnected.remove(child.number)
      return state.cutOff.remove(child.number) == nil ? reason : .offline
    }
  }

  private func browse(_ page: LauncherMessages.Browse) throws {
    try refuseOffline("the browser")
    let opener = try LaunchService.opener()
    let handOver = try HandOver(to: page, in: folders.data.path)
    state.withLock { $0.handOvers.append(handOver) }
    do {
      let child = OwnChild(
        try Spawner.start(
          opener, [handOver.address], environment: ProcessInfo.processInfo.environment,
          files: [Spawner.nothing, Spawner.nothing, Spawner.nothing]))
      state.withLock { $0.count.browsers += 1 }
      Thread.detachNewThread { _ = child.wait() }
    } catch {
      handOver.remove()
      throw error
    }
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: HandOver.seconds)
      handOver.remove()
    }
  }

  /// Needs no network, so offline does not forbid it.
  private func notify(_ notice: LauncherMessages.Notify, _ request: UInt64) throws {
    let (title, text) = (PlainWords.of(notice.title, 100), PlainWords.of(notice.text, 200))
    Thread.detachNewThread { [self] in
      do {
        #if os(Linux)
          try DesktopNotice.show(title: title, text: text, environment: ProcessInfo.processInfo.environment)
        #else
          let script = "on run words\ndisplay notification (item 2 of words) with title (item 1 of words)\nend run"
          _ = OwnChild(
            try Spawner.start(
              LaunchService.program("osascript"), ["-e", script, title, text],
              environment: ProcessInfo.processInfo.environment,
              files: [Spawner.nothing, Spawner.nothing, Spawner.nothing])
          ).wait()
        #endif
        try channel.write(WireFrame(.end, request: request))
      } catch { fail(request, error) }
    }
  }

  /// With the program that the permissions name, looked at anew: what was set long ago may have been replaced since.
  private func sendMail(_ frame: WireFrame) throws {
    try refuseOffline("the mail program")
    guard let command = permissions().sendmail else { throw WorkerError.noMailProgram }
    let program = try MailProgram(command)
    try program.check(outside: [folders.data, folders.configuration, folders.cache])
    guard frame.files.count == 1, Descriptor.fileBytes(frame.files[0]) != nil else {
      throw WorkerError.badRequest("one message comes with it, as a file")
    }
    let child = OwnChild(
      try Spawner.start(
        program.path, program.arguments,
        environment: MailProgram.environment(ProcessInfo.processInfo.environment),
        files: [frame.files[0], Spawner.nothing, Spawner.nothing]))
    state.withLock {
      $0.count.sent += 1
      $0.children[child.number] = child
    }
    Thread.detachNewThread { [self] in
      let reason = outcome(of: child)
      do {
        if reason == .offline { throw WorkerError.cutOff("the mail program") }
        guard reason == .code(0) else { throw WorkerError.notStarted(program: program.path, reason: "\(reason)") }
        try channel.write(WireFrame(.end, request: frame.request))
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

  private func send(_ value: some Encodable, _ request: UInt64) throws {
    try channel.write(WireFrame(.event, request: request, payload: JSON.encode(value)))
  }

  private func fail(_ request: UInt64, _ error: any Error) {
    do { try channel.write(WireFrame(.failed, request: request, payload: JSON.encode(RemoteError(error)))) } catch {
      // Nobody listens any more; reading ends next, and the process with it.
    }
  }
}
