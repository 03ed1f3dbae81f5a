import Assistant
import Core
import Foundation

enum LogCommand: Command {
  static let name = "log"
  static let summary = "the error log: show, clear"
  static let usage = "show | clear"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...1, "")
    let (terminal, door) = (context.terminal, try await context.door())
    switch arguments.words.first ?? "show" {
    case "show":
      for try await entry in door.call(ShowLog.self, Nothing()) {
        let time = entry.time.formatted(.iso8601)
        terminal.line(
          context.json ? try JSON.line(entry) : "\(time)  \(entry.subsystem)  \(entry.code)  \(entry.message)")
      }
    case "clear":
      for try await _ in door.call(ClearLog.self, Nothing()) {}
      terminal.note("The error log is empty.")
    case let other: throw UsageError.unknownCommand("log \(other)")
    }
    await door.close()
  }
}
