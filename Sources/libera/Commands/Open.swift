import Assistant
import Core
import Foundation

enum OpenCommand: Command {
  static let name = "open"
  static let summary = "the page behind a citation, with the passage marked, as a picture"
  static let examples = ["libera open ID --out page.png"]
  static let usage = "ID"
  static let options: [Arguments.Option] = [
    .value("--out", "FILE", "write the PNG there instead of into the current folder"),
    .value("--scale", "NUMBER", "pixels per point (2)"),
  ]

  static func writes(_ arguments: Arguments) -> [URL] {
    [URL(filePath: arguments.text("--out") ?? "x").standardizedFileURL.deletingLastPathComponent()]
  }

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(1...1, "The citation's id")
    let scale = try arguments.value("--scale", as: Double.self) ?? 2
    guard scale > 0.1, scale <= 8 else { throw UsageError.badValue("--scale", "\(scale)") }
    let (terminal, door) = (context.terminal, try await context.door())
    for try await event in door.call(Open.self, .init(id: arguments.words[0], scale: scale)) {
      var file: String?
      if let picture = event.picture {
        let target = arguments.text("--out") ?? "libera-\(event.citation.id).png"
        try picture.write(to: URL(filePath: target))
        file = target
      }
      try context.show(Output(file: file, citation: event.citation)) {
        show(event, terminal)
        if let file { terminal.line("\n" + say("The page is in \(file)")) }
      }
    }
  }

  static func show(_ event: Open.Event, _ terminal: Terminal) {
    let page = event.citation.page.map { say(", page \($0)") } ?? ""
    terminal.line(terminal.styled("\(event.citation.title)\(page)", .bold))
    terminal.line(event.before + terminal.styled(event.citation.text, .accent) + event.after)
  }

  private struct Output: Encodable {
    var file: String?
    var citation: Citation
  }
}
