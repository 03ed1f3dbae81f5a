import Assistant
import Core
import Foundation

enum ImportCommand: Command {
  static let name = "import"
  static let summary = "take files and folders into the library"
  static let examples = [
    "libera import letters/ report.pdf", "libera import notes/ --collection work --watch", "libera import --watched",
  ]
  static let usage = "PATH... | --watched"
  static let options: [Arguments.Option] = [
    .value("--collection", "NAME", "put them into this collection"),
    .flag("--watch", "and keep these folders in step while a server runs"),
    .flag("--unwatch", "keep them in step no longer; their documents stay"),
    .flag("--watched", "list the watched folders"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let (terminal, collection) = (context.terminal, arguments.text("--collection"))
    let paths = arguments.words.map { URL(filePath: $0).standardizedFileURL.path }
    guard paths.isEmpty == arguments.has("--watched") else { throw UsageError.missing("A file or folder") }
    let door = try await context.door()
    if arguments.has("--watched") {
      for try await one in door.call(ListWatched.self, Nothing()) {
        try context.line(one, "\(one.folder)  \(one.collection ?? "")")
      }
      return
    }
    for path in paths {
      let folder = WatchedFolder(folder: path, collection: collection)
      if arguments.has("--watch") { try await door.finish(WatchFolder.self, folder) }
      if arguments.has("--unwatch") { try await door.finish(UnwatchFolder.self, folder) }
    }
    if arguments.has("--unwatch") { return }
    try await Interrupt.cancelling {
      var failed = 0
      for try await event in door.call(Import.self, .init(paths: paths, collection: collection)) {
        failed = event.failed ?? failed
        try context.show(event) { show(event, terminal) }
      }
      if failed > 0 { throw ToldFailure() }
    }
  }

  /// Why a file was left out or was not read whole; where its code is known, by that.
  private static func why(_ event: ImportStep) -> String {
    guard let code = event.code else { return told(event.reason ?? "") }
    let told = Tongue.current.told(RemoteError(code: code, message: event.reason ?? ""))
    return [told.message, told.said.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
  }

  /// How much of it is read: pages of the file at hand, else files.
  private static func read(_ event: ImportStep) -> String {
    guard let done = event.pagesDone else { return say("\(event.filesRead ?? 0) of \(event.files ?? 0) files read") }
    return event.pages.map { say("\(done) of \($0) pages") } ?? say("\(done) pages")
  }

  static func show(_ event: ImportStep, _ terminal: Terminal) {
    let (name, reason) = (Visible.line(event.document ?? ""), why(event))
    switch event.event {
    case .progress where event.reason != nil:
      terminal.progress("")
      terminal.note(terminal.styledNote("\(name)  \(reason)", .quiet))
    case .progress:
      let left = event.etaSeconds.map { "  " + say("\(Words.timeLeft(seconds: $0)) left") } ?? ""
      if let done = event.chunksDone {
        terminal.progress("\(name)  " + say("\(done) of \(event.chunks ?? 0) passages indexed") + left)
      } else {
        terminal.progress("\(name)  \(read(event))\(left)")
      }
    case .done:
      terminal.progress("")
      let (pages, passages) = (Words.pages(event.pages ?? 0), event.chunks ?? 0)
      let found = say(passages, one: "\(passages) passage", many: "\(passages) passages")
      terminal.line("\(name)  \(pages), \(found)\(reason.isEmpty ? "" : "  (\(reason))")")
    case .skipped:
      terminal.progress("")
      terminal.line(terminal.styled("\(name)  " + say("skipped: \(reason)"), .quiet))
    case .failed:
      terminal.progress("")
      terminal.line(terminal.styled("\(name)  " + say("failed: \(reason)"), .problem))
    case .summary:
      terminal.progress("")
      terminal.line(
        say("\(event.imported ?? 0) imported, \(event.skipped ?? 0) skipped, \(event.failed ?? 0) failed") + ", "
          + Words.duration(ms: (event.seconds ?? 0) * 1000))
    }
  }
}
