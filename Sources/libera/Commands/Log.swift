import Assistant
import Core
import Foundation

enum LogCommand: Command {
  static let name = "log"
  static let summary = "the error log: show, clear; trace: where the time of the last answers went"
  static let examples = ["libera log show", "libera log trace > trace.json"]
  static let usage = "show [SUBSYSTEM] | clear | trace"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...(arguments.words.first == "show" ? 2 : 1), "")
    let (terminal, door) = (context.terminal, try await context.door())
    switch arguments.words.first ?? "show" {
    case "show":
      let wanted = arguments.words.dropFirst().first
      for try await entry in door.call(ShowLog.self, Nothing()) where wanted == nil || entry.subsystem == wanted {
        let time = entry.time.formatted(.iso8601)
        try context.line(entry, "\(time)  \(entry.subsystem)  \(entry.code)  \(entry.message)")
      }
    case "clear":
      try await door.finish(ClearLog.self, Nothing())
      terminal.note(say("The error log is empty."))
    case "trace":
      for try await trace in door.call(ShowTrace.self, Nothing()) { terminal.line(try JSON.line(trace)) }
    case let other: throw UsageError.unknownCommand("log \(other)")
    }
  }
}
