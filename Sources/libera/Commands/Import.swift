import Assistant
import Core
import Foundation

enum ImportCommand: Command {
  static let name = "import"
  static let summary = "take files and folders into the library"
  static let usage = "PATH..."
  static let options: [Arguments.Option] = [.value("--collection", "NAME", "put them into this collection")]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    guard !arguments.words.isEmpty else { throw UsageError.missing("A file or folder") }
    let (terminal, door) = (context.terminal, try await context.door())
    let paths = arguments.words.map { URL(filePath: $0).standardizedFileURL.path }
    let input = Import.Input(paths: paths, collection: arguments.text("--collection"))
    try await Interrupt.cancelling {
      for try await event in door.call(Import.self, input) {
        if context.json {
          terminal.line(try JSON.line(event))
        } else {
          show(event, terminal)
        }
      }
    }
    await door.close()
  }

  private static func show(_ event: ImportEvent, _ terminal: Terminal) {
    let name = event.document ?? ""
    switch event.event {
    case .progress:
      let of = event.pages.map { " of \($0)" } ?? ""
      let left = event.etaSeconds.map { "  \(Words.timeLeft(seconds: $0)) left" } ?? ""
      terminal.progress("\(name)  \(event.pagesDone ?? 0)\(of) pages\(left)")
    case .done:
      terminal.progress("")
      let reason = event.reason.map { "  (\($0))" } ?? ""
      terminal.line("\(name)  \(event.pages ?? 0) pages, \(event.chunks ?? 0) passages\(reason)")
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
