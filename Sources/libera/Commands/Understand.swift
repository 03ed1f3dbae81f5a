import Commands
import Core
import Foundation

enum UnderstandCommand: Command {
  static let name = "understand"
  static let summary = "what a command asks for, how sure that is, and what would be done"
  static let usage = "[WORDS] (or lines, or JSON lines, on standard input)"
  static let options = SpokenLine.options
  static let entersHouse = false

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let understander = Understander(model: try IntentModel.bundled())
    try SpokenLine.each(arguments) { line in
      let began = ContinuousClock.now
      let understanding = understander.understand(
        line.text, with: try line.resolver(arguments), recognition: line.recognition)
      let ms = Double((ContinuousClock.now - began).components.attoseconds) / 1e15
      if context.json {
        context.terminal.line(try json(line.id, understanding, ms))
      } else {
        context.terminal.line("\(understanding.decision.rawValue): \(understanding.frame.json)")
        for reason in understanding.explanation { context.terminal.note("  \(reason)") }
      }
    }
  }

  /// The frames stand as the grammar writes them, so the line is put together around them.
  private static func json(_ id: String?, _ understanding: Understanding, _ ms: Double) throws -> String {
    let fields: [(String, String)] = [
      ("id", try JSON.line(id)), ("frame", understanding.frame.json),
      ("recurrence", try JSON.line(understanding.recurrence)), ("email_from", try JSON.line(understanding.emailFrom)),
      ("decision", try JSON.line(understanding.decision)),
      ("alternatives", "[" + understanding.alternatives.map(\.json).joined(separator: ",") + "]"),
      ("ms", String(format: "%.3f", ms)), ("explanation", try JSON.line(understanding.explanation)),
    ]
    return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }
}
