import Foundation

/// Takes out of an error's message what is the person's: quoted words, paths, addresses, links, long numbers. The rest is ours.
enum Redaction {
  static func redacted(_ message: String) -> String {
    let result = rules.reduce(message) { text, rule in
      text.replacingOccurrences(of: rule.pattern, with: rule.replacement, options: .regularExpression)
    }
    return String(result.prefix(500))
  }

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
