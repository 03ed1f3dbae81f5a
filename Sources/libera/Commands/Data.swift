import Assistant
import Core

enum DataCommand: Command {
  static let name = "data"
  static let summary = "destroy everything of one kind, for good"
  static let examples = ["libera data destroy conversations", "libera data destroy everything --yes"]
  static let usage = "destroy \(KeptData.allCases.map(\.rawValue).joined(separator: "|"))"
  static let options: [Arguments.Option] = [.flag("--yes", "do not ask")]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    guard arguments.words.first == "destroy" else {
      throw arguments.words.isEmpty
        ? UsageError.missing("What to do (destroy)") : UsageError.unknownCommand("data \(arguments.words[0])")
    }
    try arguments.only(2...2, "What to destroy")
    guard let kind = KeptData(rawValue: arguments.words[1]) else {
      throw UsageError.notOneOf("What to destroy", arguments.words[1], KeptData.allCases.map(\.rawValue))
    }
    let terminal = context.terminal
    let door = try await context.door()
    if !arguments.has("--yes") {
      for try await measure in door.call(MeasureData.self, .init(kind: kind)) { tell(measure, terminal) }
      guard terminal.readsFromPerson else { throw DataError.notConfirmed }
      terminal.note(say("Nothing can bring it back. Type \"\(kind.rawValue)\" to destroy it:"))
      guard try InputLine.next() == kind.rawValue else { throw DataError.notConfirmed }
    }
    try await door.finish(DestroyData.self, .init(kind: kind))
    try context.show(["destroyed": kind]) { terminal.note(say("Gone from the files: \(kind.rawValue).")) }
  }

  private static func tell(_ measure: DataMeasure, _ terminal: Terminal) {
    let goes = measure.goes.map { "\($0.count) \(told($0.what))" }.joined(separator: ", ")
    terminal.note(say("This goes: \(goes)."))
    if !measure.stays.isEmpty {
      terminal.note(say("This stays: \(measure.stays.map(told).joined(separator: ", "))."))
    }
  }
}

enum DataError: Explained {
  case notConfirmed
  var code: String { "destroy_refused" }
  var message: String { say("Nothing was destroyed: it was not confirmed.") }
  var remedy: String? { say("Type the word as it stands, or give --yes.") }
}
