import Assistant
import Core
import Foundation

enum SessionsCommand: Command {
  static let name = "sessions"
  static let summary = "the browsers that are let in: list, end ID, end --all"
  static let examples = ["libera sessions list", "libera sessions end --all"]
  static let usage = "list | end [ID]"
  static let options: [Arguments.Option] = [.flag("--all", "end: every one")]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let words = arguments.words
    let door = try await context.door()
    switch (words.first ?? "list", words.count) {
    case ("list", 0...1):
      for try await session in door.call(ListSessions.self, Nothing()) { try context.line(session, line(session)) }
    case ("end", 1) where arguments.has("--all"): try await end(nil, door, context)
    case ("end", 2) where !arguments.has("--all"): try await end(words[1], door, context)
    case ("end", _): throw UsageError.missing("The session's id, or --all,")
    default: throw UsageError.unknownCommand("sessions \(words.joined(separator: " "))")
    }
  }

  private static func end(_ id: String?, _ door: Door, _ context: Context) async throws {
    for try await event in door.call(EndSessions.self, .init(id: id)) {
      try context.show(event) {
        context.terminal.note(event.ended.isEmpty ? say("No browser was let in.") : say("Ended: \(event.ended.count)."))
      }
    }
  }

  private static func line(_ session: SessionEntry) -> String {
    "\(session.id)  \(session.browser)  "
      + say("since \(session.made.ISO8601Format())  seen \(session.used.ISO8601Format())")
  }
}
