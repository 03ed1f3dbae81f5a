package import Foundation

/// A table of words as people write and compare it: "[section]" begins a part, "key: phrase, phrase" is a row, a line that begins
/// with blanks goes on the row before, "#" opens a comment, and "-" says that there is nothing of the kind.
package struct WordFile: Sendable {
  package struct Row: Sendable, Equatable {
    package var key: String
    package var phrases: [String]
  }

  package let name: String
  package private(set) var sections: [String: [Row]] = [:]

  /// The file at `path` of a folder of resources.
  package init(_ path: String, in resources: URL) throws {
    let text: String
    do { text = try String(contentsOf: resources.appending(path: path), encoding: .utf8) } catch {
      throw InstallationError.damaged(path)
    }
    try self.init(text, name: path)
  }

  package init(_ text: String, name: String) throws {
    self.name = name
    var section: String?
    for (number, written) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = written.prefix { $0 != "#" }
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if trimmed.isEmpty { continue }
      if trimmed.hasPrefix("["), trimmed.hasSuffix("]") {
        section = String(trimmed.dropFirst().dropLast())
        guard sections.updateValue([], forKey: section ?? "") == nil else {
          throw InstallationError.damaged("\(name), line \(number + 1)")
        }
        continue
      }
      guard let section, var rows = sections[section] else {
        throw InstallationError.damaged("\(name), line \(number + 1)")
      }
      let colon = trimmed.firstIndex(of: ":")
      let goesOn = line.first?.isWhitespace ?? false
      guard goesOn ? !rows.isEmpty && colon == nil : true else {
        throw InstallationError.damaged("\(name), line \(number + 1)")
      }
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
        (phrase[..<open] + $0 + phrase[phrase.index(after: close)...]).onOneLine)
    }
  }

  /// The same with other words in each section.
  package func mapping(_ change: (_ section: String, _ phrase: String) -> String) -> WordFile {
    var file = self
    for (name, rows) in sections {
      file.sections[name] = rows.map { Row(key: $0.key, phrases: $0.phrases.map { change(name, $0) }) }
    }
    return file
  }

  /// The rows of a section, without those that say that there is nothing.
  package func rows(_ section: String) throws -> [Row] {
    guard let rows = sections[section] else { throw InstallationError.damaged("\(name), [\(section)]") }
    return rows.filter { $0.phrases != ["-"] }
  }

  /// Each phrase of a section with what the key of its row stands for.
  package func table<Value>(_ section: String, _ value: (String) throws -> Value?) throws -> [(String, Value)] {
    try rows(section).flatMap { row in
      guard let value = try value(row.key) else {
        throw InstallationError.damaged("\(name), [\(section)], \(row.key)")
      }
      return row.phrases.map { ($0, value) }
    }
  }

  /// The phrases of each list under [lists], by its name.
  package func lists<Name: CaseIterable & Hashable>(_: Name.Type) throws -> [Name: [String]] {
    let names = Dictionary(uniqueKeysWithValues: Name.allCases.map { ("\($0)", $0) })
    return Dictionary(grouping: try table("lists") { names[$0] }, by: \.1).mapValues { $0.map(\.0) }
  }

  package func map<Value>(_ section: String, _ value: (String) throws -> Value?) throws -> [String: Value] {
    Dictionary(try table(section, value), uniquingKeysWith: { first, _ in first })
  }
}
