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
      for try await event in door.call(Import.self, .init(paths: paths, collection: collection)) {
        try context.show(event) { show(event, terminal) }
      }
    }
  }

  static func show(_ event: ImportEvent, _ terminal: Terminal) {
    let name = Visible.line(event.document ?? "")
    switch event.event {
    case .progress where event.reason != nil:
      terminal.progress("")
      terminal.note(terminal.styledNote("\(name)  \(event.reason ?? "")", .quiet))
    case .progress:
      let left = event.etaSeconds.map { "  \(Words.timeLeft(seconds: $0)) left" } ?? ""
      if let done = event.chunksDone {
        terminal.progress("\(name)  \(done) of \(event.chunks ?? 0) passages indexed\(left)")
      } else {
        terminal.progress("\(name)  \(event.pagesDone ?? 0)\(event.pages.map { " of \($0)" } ?? "") pages\(left)")
      }
    case .done:
      terminal.progress("")
      let reason = event.reason.map { "  (\($0))" } ?? ""
      let (pages, passages) = (Words.count(event.pages ?? 0, "page"), Words.count(event.chunks ?? 0, "passage"))
      terminal.line("\(name)  \(pages), \(passages)\(reason)")
    case .skipped:
      terminal.progress("")
      terminal.line(terminal.styled("\(name)  skipped: \(event.reason ?? "")", .quiet))
    case .failed:
      terminal.progress("")
      terminal.line(terminal.styled("\(name)  failed: \(event.reason ?? "")", .problem))
    case .summary:
      terminal.progress("")
      terminal.line(
        "\(event.imported ?? 0) imported, \(event.skipped ?? 0) skipped, \(event.failed ?? 0) failed, "
          + Words.duration(ms: (event.seconds ?? 0) * 1000))
    }
  }
}
