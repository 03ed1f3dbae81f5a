import Assistant
import Core
import Foundation
import Server
import Workers

enum ServeCommand: Command {
  static let name = "serve"
  static let summary = "the page in the browser, and the API for other programs, on this machine only"
  static let options: [Arguments.Option] = [
    .value("--port", "NUMBER", "listen there; the next free one is taken if it is in use"),
    .flag("--no-open", "do not open the browser"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    // Bound before the house opens, because the process seals itself there and can make no internet socket afterwards.
    let port = try arguments.value("--port", as: UInt16.self)
    let listening = try port.map { try Listening.open(port: $0) } ?? Listening.open()
    let door = try await context.door()
    guard let house = door.house else { return try await showRunning(door, arguments, context) }
    let services = Operations.all.map { Service($0, in: house) }
    guard let ask = services.first(where: { $0.name == Ask.name }),
      let transcribe = services.first(where: { $0.name == Transcribe.name })
    else { throw AssistantError.noOperation("\(Ask.name), \(Transcribe.name)") }
    let completions = HouseCompletions(house)
    let audio = AudioRoutes(transcribe) {
      try await completions.models().filter { $0.kind == .speech }.map(\.id)
    }
    let server = try Server(
      listening, folders: context.folders, services: services,
      routes: CompletionRoutes(completions, ask: ask).routes + audio.routes, desk: house.desk)
    try server.start()
    await house.serves { server.pageAddress() }
    do { try await house.watch() } catch { Libera.report(error, json: context.json) }
    await house.startRinging()
    let page = server.pageAddress()
    try tell(page, context)
    if !context.json { context.terminal.note("Reachable from this machine only. Ctrl-C ends it.") }
    if !arguments.has("--no-open"), context.terminal.isInteractive, let url = URL(string: page) {
      do { try await house.launcher?.browse(url) } catch {
        context.terminal.note(
          "The browser could not be opened: \(RemoteError(error).message) Open the address yourself.")
      }
    }
    await Interrupt.awaitEnd()
    await server.stop()
    await door.close()
  }

  /// A server is there already: its page, with a link of this call's own.
  private static func showRunning(_ door: Door, _ arguments: Arguments, _ context: Context) async throws {
    for try await answer in door.call(ShowPage.self, Nothing()) {
      guard let page = answer.page else { throw ServeError.ownedElsewhere }
      try tell(page, context)
      if !context.json { context.terminal.note("It was running already; this link lets one more browser in.") }
    }
  }

  private static func tell(_ page: String, _ context: Context) throws {
    let address = page.prefix { $0 != "#" }
    if context.json {
      context.terminal.line(try JSON.line(["address": String(address), "page": page]))
    } else {
      context.terminal.line("LiberaGPT is at \(page)")
    }
  }
}

enum ServeError: Explained {
  case ownedElsewhere
  var code: String { "serve_refused" }
  var message: String { "Another libera works with this data folder." }
  var remedy: String? { "It serves no page: end it and try again." }
}
