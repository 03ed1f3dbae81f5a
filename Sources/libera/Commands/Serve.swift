import Assistant
import Commands
import Core
import Foundation
import Server
import Workers

enum ServeCommand: Command {
  static let name = "serve"
  static let summary = "the page in the browser, and the API for other programs, on this machine only"
  static let examples = ["libera serve", "libera serve --no-open --port 4300"]
  static let options: [Arguments.Option] = [
    .value("--port", "NUMBER", "listen there; the next free one is taken if it is in use"),
    .flag("--no-open", "do not open the browser"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    // Bound before the house opens, because the process seals itself there and can make no internet socket afterwards.
    let port = try arguments.value("--port", as: UInt16.self)
    let listening = try port.map { try LoopbackSockets.open(port: $0) } ?? LoopbackSockets.open()
    let door = try await context.door()
    guard let house = door.house else { return try await showRunning(door, context) }
    let services = Operations.all.map { Service($0, in: house) }
    guard let ask = services.first(where: { $0.name == Ask.name }),
      let transcribe = services.first(where: { $0.name == Transcribe.name }),
      let speak = services.first(where: { $0.name == Say.name })
    else { throw AssistantError.noOperation("\(Ask.name), \(Transcribe.name), \(Say.name)") }
    let completions = Completions(house)
    let audio = AudioRoutes(transcribe) {
      try await completions.models().filter { $0.kind == .speech }.map(\.id)
    }
    let desk = TextDesk(completions, ask: ask)
    let others =
      desk.completionRoutes + desk.responsesRoutes + desk.anthropicRoutes + desk.llamaRoutes
      + OllamaRoutes(desk, services).routes + audio.routes + VoiceRoutes(speak).routes
      + ModelContextRoutes(services).routes
    let server = try Server(
      listening, folders: context.folders, services: services, keys: house.keys, routes: others,
      origins: Set(house.settings.origins ?? []), desk: house.desk, forgetting: [desk.forget])
    try server.start()
    house.serves(server)
    do { try await house.watching.start() } catch { Libera.report(error, json: context.json) }
    await house.ringing.start()
    try await tellMissed(door, context)
    let end = await Interrupt.listen()
    try tell(server.link(), context)
    if !context.json { context.terminal.note(say("Reachable from this machine only. Ctrl-C ends it.")) }
    if !arguments.has("--no-open"), context.terminal.isInteractive { await browse(house, server, context) }
    await end.wait(or: { await house.departure.wait() })
    // The last words of the answers that it waited for are on their way: to pages, to other programs, to other commands.
    let deadline = await house.departure.isAskedFor ? ContinuousClock.now + .seconds(4) : .now
    try await server.finish(by: deadline)
    await server.stop()
    await context.leave(by: deadline)
  }

  /// What should have rung while nothing ran.
  private static func tellMissed(_ door: Door, _ context: Context) async throws {
    for try await ring in door.call(ListReminders.self, Nothing()) where ring.missed == true && !context.json {
      context.terminal.note(ring.left(at: Date()))
    }
  }

  /// The code reaches the browser through a file that only this person can read, and holds as long as that stands there.
  private static func browse(_ house: House, _ server: Server, _ context: Context) async {
    guard let launcher = house.launcher else { return }
    let code = server.access.sessions.mint(for: .seconds(30)) {
      Task {
        do { try await launcher.handed() } catch { Libera.report(error, json: context.json) }
      }
    }
    do { try await launcher.browse(port: server.port, code: code) } catch {
      context.terminal.note(
        say("The browser could not be opened: \(told(RemoteError(error).message)) Open the address yourself."))
    }
  }

  /// A server is there already: its page, with a link of this call's own.
  private static func showRunning(_ door: Door, _ context: Context) async throws {
    for try await answer in door.call(ShowPage.self, Nothing()) {
      guard let page = answer.page else { throw ServeError.ownedElsewhere }
      try tell(page, context)
      if !context.json { context.terminal.note(say("It was running already; its link lets one more browser in.")) }
    }
  }

  /// Whoever reads the link may use it, so it stands on a person's own terminal, or where a program asked for it.
  private static func tell(_ page: String, _ context: Context) throws {
    let address = String(page.prefix { $0 != "#" })
    if context.json {
      context.terminal.line(try JSON.line(["address": address, "page": page]))
    } else if context.terminal.isInteractive {
      context.terminal.line(say("LiberaGPT is at \(page)"))
    } else {
      context.terminal.line(say("LiberaGPT is at \(address)"))
      context.terminal.note(say("`libera serve` in a terminal gives a link that lets a browser in."))
    }
  }
}

enum ServeError: Explained {
  case ownedElsewhere
  var code: String { "serve_refused" }
  var message: String { say("Another libera works with this data folder.") }
  var remedy: String? { say("It serves no page: end it and try again.") }
}
