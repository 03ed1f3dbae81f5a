import Core

/// The last provider: never blank, never pretending. It says what could not be done, what was found, and what to try.
enum Templates {
  static func answer(_ chain: [Availability], evidence: Evidence) -> String {
    let missing = chain.filter { !$0.available && !$0.isAbsent }
    // A list ends only where an empty line stands.
    var parts = ["This cannot be answered here now."]
    func list(_ title: String, _ points: [String]) {
      parts.append(([title + "\n"] + points.map { "- \($0)" }).joined(separator: "\n"))
    }
    if !missing.isEmpty { list("Why:", missing.map(\.reason)) }
    if !evidence.items.isEmpty {
      list("What was found in your documents:", evidence.items.prefix(3).map(\.citation.label))
    }
    list(
      "What to try:",
      missing.compactMap(\.remedy) + ["\"libera doctor\" shows what is missing and how to mend it."])
    return parts.joined(separator: "\n\n")
  }
}
