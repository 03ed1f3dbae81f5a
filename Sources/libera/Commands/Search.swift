import Assistant
import Core
import Foundation
import Retrieval

enum SearchCommand: Command {
  static let name = "search"
  static let summary = "passages by words and by meaning, with the scores of each stage"
  static let examples = [#"libera search "notice period""#, #"libera search "rent" -k 3 --collection work"#]
  static let usage = "\"WORDS\" | --batch FILE"
  static let options: [Arguments.Option] = [
    .value("-k", "NUMBER", "how many (10; with --batch documents, 100)"),
    .value("--collection", "NAME", "only these documents"),
    .value("--stage", "lexical|dense|fused", "one stage alone, or both"),
    .value("--batch", "FILE", "queries as JSONL with _id and text; one line each, best documents first"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let batch = arguments.text("--batch")
    try arguments.only(batch == nil ? 1...1 : 0...0, "What to look for")
    let count = try arguments.value("-k", as: Int.self)
    guard (count ?? 1) > 0 else { throw UsageError.badValue("-k", "\(count ?? 0)") }
    let stage = try arguments.choice("--stage", of: Stage.self) ?? .fused
    let collection = arguments.text("--collection")
    let (terminal, door) = (context.terminal, try await context.door())
    try await door.holds(collection)
    if let batch {
      let queries = try read(batch)
      let input = SearchBatch.Input(queries: queries, limit: count ?? 100, collection: collection, stage: stage)
      try await Interrupt.cancelling {
        for try await event in door.call(SearchBatch.self, input) { terminal.line(try JSON.line(event)) }
      }
    } else {
      let input = Search.Input(query: arguments.words[0], limit: count ?? 10, collection: collection, stage: stage)
      for try await event in door.call(Search.self, input) {
        try context.show(event) {
          show(event, terminal)
          if let unready = event.unready { terminal.note(say("Documents: \(told(unready)).")) }
        }
      }
    }
  }

  private static func read(_ path: String) throws -> [SearchBatch.Query] {
    let data = try RegularFile.whole(path, limit: 64 << 20)
    return try data.split(separator: UInt8(ascii: "\n")).map { line in
      do { return try JSON.decode(SearchBatch.Query.self, from: Data(line)) } catch {
        throw UsageError.badValue("a line of --batch", String(decoding: line.prefix(80), as: UTF8.self))
      }
    }
  }

  private static func show(_ event: Search.Event, _ terminal: Terminal) {
    func number(_ value: Double?) -> String { value.map { Words.decimal($0, digits: 2) } ?? "–" }
    if event.results.isEmpty { terminal.line(say("Nothing was found.")) }
    for result in event.results {
      let page = result.page.map { " · " + say("p. \($0)") } ?? ""
      let stages = result.stages
      terminal.line(
        terminal.styled("\(Visible.line(result.document))\(page)", .bold) + "  \(number(result.score))  "
          + terminal.styled(
            say(
              "words \(number(stages.lexical)) · meaning \(number(stages.dense)) · both \(number(stages.fused)) · \(result.id)"
            ),
            .quiet))
      let text = result.text.onOneLine
      terminal.line("  \(text.count > 280 ? text.prefix(280) + "…" : text[...])")
    }
  }
}
