import Foundation

/// Takes out of an error message what could tell about a person's documents: quoted text, paths, addresses, long numbers.
package enum Redaction {
  package static func redact(_ text: String) -> String {
    var result = text
    for (pattern, replacement) in rules {
      result = result.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
    }
    return String(result.prefix(500))
  }

  private static let rules = [
    ("“[^”]*”?", "“…”"), ("„[^“]*“?", "„…“"), ("«[^»]*»?", "«…»"), ("\"[^\"]*\"?", "\"…\""),
    ("[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+", "<address>"),
    ("\\b[a-z][a-z0-9+.-]*://\\S+", "<link>"),
    ("(?<![\\w.])~?(/[^\\s:,;)]+)+", "<path>"),
    ("\\d{5,}", "<number>"),
  ]
}
