import Commands
import Core

enum TimeCommand: Command {
  static let name = "time"
  static let summary = "what a time expression means, every reading of it"
  static let examples = [#"libera time "next friday at noon""#, #"libera time "in two weeks" --now 2026-03-01T09:00"#]
  static let usage = "[WORDS] (or lines, or JSON lines, on standard input)"
  static let options = SpokenLine.options
  static let entersHouse = false

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try await SpokenLine.each(arguments) { line in
      let result = try line.resolver(arguments).readings(in: line.text)
      if context.json {
        let output = Output(id: line.id, readings: result.readings, unexplained: result.unexplained)
        context.terminal.line(try JSON.line(output))
      } else {
        if result.readings.isEmpty { context.terminal.line(say("no time in: \(line.text)")) }
        for reading in result.readings {
          let rule = reading.rrule.map { "  \($0)" } ?? ""
          context.terminal.line("\(reading.text)  →  \(reading.value)  (\(reading.kind.rawValue))\(rule)")
        }
      }
    }
  }

  private struct Output: Encodable {
    var id: String?
    var readings: [TimeReading]
    var unexplained: [String]

    enum CodingKeys: CodingKey { case id, readings, unexplained }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(readings, forKey: .readings)
      try container.encode(unexplained, forKey: .unexplained)
    }
  }
}
