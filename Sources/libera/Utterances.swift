import Commands
import Core
import Foundation

/// What `time` and `understand` read: plain lines, or JSON lines with an id, a moment and a text.
struct SpokenLine: Decodable {
  var id: String?
  var now: String?
  var text: String
  var recognition: Double?

  enum CodingKeys: String, CodingKey {
    case id, now, text
    case recognition = "asr_confidence"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // Ids may be numbers.
    if let number = try? container.decode(Int.self, forKey: .id) {
      id = String(number)
    } else {
      id = try container.decodeIfPresent(String.self, forKey: .id)
    }
    now = try container.decodeIfPresent(String.self, forKey: .now)
    text = try container.decode(String.self, forKey: .text)
    recognition = try container.decodeIfPresent(Double.self, forKey: .recognition)
  }

  init(_ text: String) { self.text = text }

  static func read(_ line: String) throws -> SpokenLine {
    guard line.first(where: { !$0.isWhitespace }) == "{" else { return SpokenLine(line) }
    do { return try JSON.decode(SpokenLine.self, from: Data(line.utf8)) } catch {
      throw UsageError.badValue("a line of the input", String(line.prefix(80)))
    }
  }

  static let options: [Arguments.Option] = [
    .value("--now", "ISO", "the moment to count from, local ISO 8601 (now)"),
    .value("--zone", "NAME", "the time zone, as in Europe/Berlin (this device's)"),
    .value("--locale", "NAME", "en_US or en_GB: which of two numbers is the day"),
  ]

  /// The resolver for this line: its own moment, else the one of the command line, else now.
  func resolver(_ arguments: Arguments) throws -> TimeResolver {
    do {
      return try TimeResolver(
        now: now ?? arguments.text("--now"), zone: arguments.text("--zone"), locale: arguments.text("--locale"))
    } catch MomentError.zone(let name) {
      throw UsageError.badValue("--zone", name)
    } catch MomentError.moment(let text) {
      throw UsageError.badValue("--now", text)
    }
  }

  /// The words of the command line, else standard input line by line.
  static func each(_ arguments: Arguments, _ body: (SpokenLine) async throws -> Void) async throws {
    if !arguments.words.isEmpty { return try await body(SpokenLine(arguments.words.joined(separator: " "))) }
    while let line = try InputLine.next() {
      if line.contains(where: { !$0.isWhitespace }) { try await body(read(line)) }
    }
  }
}
