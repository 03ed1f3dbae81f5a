import Foundation

/// Takes out of an error's message what is the person's: quoted words, paths, addresses, links, long numbers. The rest is ours.
enum Redaction {
  static func redacted(_ message: String) -> String {
    let result = rules.reduce(beginning(of: message)) { text, rule in
      text.replacingOccurrences(of: rule.pattern, with: rule.replacement, options: .regularExpression)
    }
    return String(result.prefix(500))
  }

  /// A message may hold whatever a program has sent, and the rules take a time that grows with the square of it. The word in which it
  /// is cut is left out: half of an address is none that a rule would find.
  private static func beginning(of message: String) -> String {
    guard message.utf8.count > longest else { return message }
    let bytes = message.utf8.prefix(longest)
    let end = bytes.lastIndex(of: UInt8(ascii: " ")) ?? bytes.startIndex
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  private static let longest = 2000

  /// A quotation that is not closed reaches to the end. An apostrophe within a word opens none.
  private static let rules: [(pattern: String, replacement: String)] = [
    ("“[^”]*”?", "“…”"), ("„[^“”]*[“”]?", "„…“"), ("«[^»]*»?", "«…»"), ("\"[^\"]*\"?", "\"…\""),
    ("(?<!\\S)‘[^’]*’?", "‘…’"), ("(?<!\\S)'[^']*'?", "'…'"),
    ("[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+", "<address>"),
    ("\\b[a-z][a-z0-9+.-]*://\\S+", "<link>"),
    ("(?<![\\w.])~?(/[^\\s:,;)]+)+", "<path>"),
    ("\\d{5,}", "<number>"),
  ]
}
