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
    guard let house = door.house else { throw ServeError.ownedElsewhere }
    let ask = Service(AnyOperation(Ask.self), in: house)
    let server = try Server(
      listening, house: house, folders: context.folders, operations: Operations.all,
      routes: CompletionRoutes(HouseCompletions(house), ask: ask).routes)
    try server.start()
    do { try await house.watch() } catch { Libera.report(error, json: context.json) }
    await house.startRinging()
    let page = server.pageAddress()
    if context.json {
      context.terminal.line(try JSON.line(["address": server.address, "page": page]))
    } else {
      context.terminal.line("LiberaGPT is at \(page)")
      context.terminal.note("Reachable from this machine only. Ctrl-C ends it.")
    }
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
}

enum ServeError: Explained {
  case ownedElsewhere
  var code: String { "serve_refused" }
  var message: String { "Another libera works with this data folder." }
  var remedy: String? { "If it is a server, its page is open to you already; else end it and try again." }
}
