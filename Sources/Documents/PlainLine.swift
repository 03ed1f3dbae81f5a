/// Words that others wrote, made fit for a line: nothing that steers a terminal, turns the reading direction or cannot be seen.
package enum PlainLine {
  package static func clean(_ text: String, most: Int) -> String {
    var out = String.UnicodeScalarView()
    var wasSpace = true
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < 4 * most else { break }
      if scalar.properties.isWhitespace || scalar.value < 0x20 {
        if !wasSpace { out.append(" ") }
        wasSpace = true
        continue
      }
      guard isVisible(scalar) else { continue }
      out.append(scalar)
      wasSpace = false
      count += 1
    }
    if wasSpace, !out.isEmpty { out.removeLast() }
    return String(String(out).prefix(most))
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
    // Joiners belong to scripts and to emoji.
    case .format: scalar.value == 0x200C || scalar.value == 0x200D
    default: true
    }
  }
}
