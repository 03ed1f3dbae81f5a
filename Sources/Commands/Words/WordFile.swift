import Core
import Foundation

/// A table of words as people write and compare it: "[section]" begins a part, "key: phrase, phrase" is a row, a line that begins
/// with blanks goes on the row before, "#" opens a comment, and "-" says that there is nothing of the kind.
struct WordFile: Sendable {
  struct Row: Sendable, Equatable {
    var key: String
    var phrases: [String]
  }

  let name: String
  private(set) var sections: [String: [Row]] = [:]

  init(_ text: String, name: String) throws {
    self.name = name
    var section: String?
    for (number, written) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = written.prefix { $0 != "#" }
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if trimmed.isEmpty { continue }
      if trimmed.hasPrefix("["), trimmed.hasSuffix("]") {
        section = String(trimmed.dropFirst().dropLast())
        guard sections.updateValue([], forKey: section ?? "") == nil else {
          throw CommandError.lineUnreadable(name, number + 1)
        }
        continue
      }
      guard let section, var rows = sections[section] else { throw CommandError.lineUnreadable(name, number + 1) }
      let colon = trimmed.firstIndex(of: ":")
      let goesOn = line.first?.isWhitespace ?? false
      guard goesOn ? !rows.isEmpty && colon == nil : true else { throw CommandError.lineUnreadable(name, number + 1) }
      let phrases = (colon.map { trimmed[trimmed.index(after: $0)...] } ?? trimmed[...]).split(separator: ",")
        .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }.flatMap(Self.expanded)
      if goesOn {
        rows[rows.count - 1].phrases += phrases
      } else {
        rows.append(Row(key: colon.map { String(trimmed[..<$0]) } ?? "", phrases: phrases))
      }
      sections[section] = rows
    }
  }

  /// "(add|put) (it|that)" is four phrases, "(please|) note" two.
  private static func expanded(_ phrase: String) -> [String] {
    guard let open = phrase.firstIndex(of: "("), let close = phrase[open...].firstIndex(of: ")") else {
      return [phrase]
    }
    return phrase[phrase.index(after: open)..<close].split(separator: "|", omittingEmptySubsequences: false).flatMap {
      expanded(
        (phrase[..<open] + $0 + phrase[phrase.index(after: close)...]).split(separator: " ").joined(separator: " "))
    }
  }

  /// Without accents and capitals, as what is compared with it.
  func folded() -> WordFile {
    var file = self
    for name in sections.keys where name != "habits" {
      file.sections[name] = sections[name]?.map { Row(key: $0.key, phrases: $0.phrases.map(Vocabulary.folded)) }
    }
    return file
  }

  static func bundled(_ language: String, _ name: String) throws -> WordFile {
    let path = "Languages/\(language)/\(name).words"
    do {
      return try WordFile(String(contentsOf: CommandResources.file(path), encoding: .utf8), name: path)
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError.modelUnreadable(path)
    }
  }

  /// The rows of a section, without those that say that there is nothing.
  func rows(_ section: String) throws -> [Row] {
    guard let rows = sections[section] else { throw CommandError.modelUnreadable("\(name), [\(section)]") }
    return rows.filter { $0.phrases != ["-"] }
  }

  /// Each phrase of a section with what the key of its row stands for.
  func table<Value>(_ section: String, _ value: (String) throws -> Value?) throws -> [(String, Value)] {
    try rows(section).flatMap { row in
      guard let value = try value(row.key) else {
        throw CommandError.modelUnreadable("\(name), [\(section)], \(row.key)")
      }
      return row.phrases.map { ($0, value) }
    }
  }

  func map<Value>(_ section: String, _ value: (String) throws -> Value?) throws -> [String: Value] {
    Dictionary(try table(section, value), uniquingKeysWith: { first, _ in first })
  }
}
