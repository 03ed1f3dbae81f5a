import Assistant
import Commands
import Core
import Foundation

enum UnderstandCommand: Command {
  static let name = "understand"
  static let summary = "what a command asks for, how sure that is, and what would be done"
  static let examples = [#"libera understand "lunch with Ann tomorrow at one""#]
  static let usage = "[WORDS] (or lines, or JSON lines, on standard input)"
  static let options = SpokenLine.options

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let door = try await context.door()
    try await SpokenLine.each(arguments) { line in
      let input = Understand.Input(
        text: line.text, now: line.now ?? arguments.text("--now"), zone: arguments.text("--zone"),
        locale: arguments.text("--locale"), recognition: line.recognition)
      for try await event in door.call(Understand.self, input) {
        if context.json {
          context.terminal.line(try json(line.id, event))
        } else {
          context.terminal.line("\(event.decision.rawValue): \(event.frame)")
          for reason in event.explanation { context.terminal.note("  \(told(reason))") }
        }
      }
    }
  }

  /// The frames stand as the grammar writes them, so the line is put together around them.
  private static func json(_ id: String?, _ event: Understand.Event) throws -> String {
    let fields: [(String, String)] = [
      ("id", try JSON.line(id)), ("frame", event.frame), ("recurrence", try JSON.line(event.recurrence)),
      ("email_from", try JSON.line(event.emailFrom)), ("decision", try JSON.line(event.decision)),
      ("alternatives", "[" + event.alternatives.joined(separator: ",") + "]"),
      ("ms", String(format: "%.3f", event.ms)), ("explanation", try JSON.line(event.explanation)),
      ("card", try JSON.line(event.card)), ("rest", try JSON.line(event.rest)),
    ]
    return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }
}
