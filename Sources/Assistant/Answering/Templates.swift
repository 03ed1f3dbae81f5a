import Core

/// The last provider: never blank, never pretending. It says what could not be done, what was found, and what to try.
enum Templates {
  static func answer(_ chain: [Availability], evidence: Evidence) -> String {
    let missing = chain.filter { !$0.available && $0.provider != .platform }
    var lines = ["This cannot be answered here now."]
    if !missing.isEmpty { lines += ["Why:"] + missing.map { "- \($0.reason)" } }
    if !evidence.items.isEmpty {
      let places = evidence.items.prefix(3).map { "- \($0.citation.label)" }
      lines += ["What was found in your documents:"] + places
    }
    let remedies = missing.compactMap(\.remedy)
    lines += ["What to try:"] + remedies.map { "- \($0)" }
    lines.append("- \"libera doctor\" shows what is missing and how to mend it.")
    return lines.joined(separator: "\n")
  }
}
