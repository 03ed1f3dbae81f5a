import Documents
import Foundation

/// What programs for notes write into Markdown besides: properties at the top, and links between notes.
enum NoteMarks {
  private static let longestHead = 64 << 10

  /// YAML between two rules at the start is about the document, not in it.
  static func split(_ text: String) -> (head: Substring, rest: String, skipped: Int) {
    guard text.hasPrefix("---\n"), let end = text.range(of: "\n---\n") else { return ("", text, 0) }
    let whole = text[..<end.upperBound]
    return (
      text[..<end.lowerBound].dropFirst(4), String(text[end.upperBound...]), whole.utf8.count { $0 == 10 }
    )
  }

  /// The words that a note is filed under: its tags and other names. What else stands there is for programs.
  static func blocks(of head: Substring) -> [Block] {
    var found: [(name: String, words: [String])] = []
    var isOpen = false
    for line in head.prefix(longestHead).split(separator: "\n") {
      if isOpen, let item = line.firstMatch(of: #/^\s*-\s+(.+)$/#) {
        found[found.count - 1].words.append(plainWord(item.1))
        continue
      }
      isOpen = false
      guard let property = line.wholeMatch(of: #/(?i)(tags?|alias(?:es)?|keywords)\s*:\s*(.*)/#) else { continue }
      let value = property.2.trimmingPrefix("[").prefix { $0 != "]" }
      found.append((property.1.capitalized, value.split(separator: ",").map { plainWord($0) }.filter { !$0.isEmpty }))
      isOpen = true
    }
    return found.filter { !$0.words.isEmpty }.map {
      Block(.paragraph, "\($0.name): \($0.words.joined(separator: ", "))", line: 1)
    }
  }

  private static func plainWord(_ text: Substring) -> String {
    String(text.drop { " \"'#".contains($0) }.reversed().drop { " \"'\r".contains($0) }.reversed())
  }

  /// `[[Note|words]]` is its words, `[[Note#Heading]]` both names. What begins with a space is no link but an expression of a shell.
  static func plain(_ text: String) -> String {
    guard text.contains("[[") else { return text }
    return text.replacing(#/!?\[\[(?!\s)([^\[\]\|\n]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]/#) { link in
      link.2.map { String($0) } ?? String(link.1).replacing("#", with: " › ")
    }
  }
}
