import Assistant
import Core
import Foundation

enum KeysCommand: Command {
  static let name = "keys"
  static let summary = "keys with which other programs use the API: list, add NAME --rights RIGHT,..., revoke NAME"
  static let examples = ["libera keys add editor --rights ask,embed", "libera keys revoke editor"]
  static let usage = "list | add NAME | revoke NAME"
  static let options: [Arguments.Option] = [
    .value(
      "--rights", "RIGHTS", say("add: what it may do, of \(Right.allCases.map(\.rawValue).joined(separator: ","))"))
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let (terminal, words) = (context.terminal, arguments.words)
    let rights = try arguments.text("--rights").map(rights(in:))
    let door = try await context.door()
    switch (words.first ?? "list", words.count) {
    case ("list", 0...1):
      for try await key in door.call(ListKeys.self, Nothing()) { try context.line(key, line(key)) }
    case ("add", 2):
      guard let rights else { throw UsageError.missing("What it may do, --rights,") }
      for try await made in door.call(AddKey.self, .init(name: words[1], rights: rights)) {
        try context.show(made) {
          terminal.line(made.key)
          terminal.note(say("It is not shown again. Send it as \"Authorization: Bearer KEY\"."))
        }
      }
    case ("revoke", 2):
      try await door.finish(RevokeKey.self, .init(name: words[1]))
      if !context.json { terminal.note(say("\(words[1]) holds no longer.")) }
    case ("add", 1), ("revoke", 1): throw UsageError.missing("The key's name")
    default: throw UsageError.unknownCommand("keys \(words.joined(separator: " "))")
    }
  }

  private static func rights(in text: String) throws -> Set<Right> {
    let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    return try Set(
      words.map { word in
        guard let right = Right(rawValue: word) else {
          throw UsageError.notOneOf("--rights", word, Right.allCases.map(\.rawValue))
        }
        return right
      })
  }

  private static func line(_ key: KeyEntry) -> String {
    let used = key.used.map { say("used \($0.ISO8601Format())") } ?? say("not used yet")
    let rights = key.rights.map(\.rawValue).joined(separator: ",")
    return "\(key.name)  \(rights)  " + say("made \(key.made.ISO8601Format())") + "  \(used)"
  }
}
