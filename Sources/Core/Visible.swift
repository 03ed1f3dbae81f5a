/// Text of others as it may be shown where some characters give orders: a terminal, a log, a notification.
///
/// Control characters and what turns the direction of writing become signs that can be seen; line ends and tabs stay.
package enum Visible {
  package static func text(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    var shown = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      // The line ends of other systems.
      if scalar == "\r", rest.first == "\n" { continue }
      if isHidden(scalar) { shown.append(contentsOf: sign(scalar)) } else { shown.append(scalar) }
    }
    return String(shown)
  }

  /// The same for what has one line, a name or a title.
  package static func line(_ text: String) -> String {
    self.text(text).replacing("\n", with: "\u{240A}").replacing("\t", with: " ")
  }

  /// What a reader does not see and a machine obeys.
  package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0..<0x20, 0x7F...0x9F: true
    // Separators of lines; embeddings, overrides and isolates of direction; the shapes that were given up.
    case 0x2028...0x202E, 0x2066...0x206F: true
    case 0xFFF9...0xFFFB: true
    // Tags: a whole alphabet without a shape.
    case 0xE0000...0xE007F: true
    default: false
    }
  }

  private static func sign(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
    let value = scalar.value
    if value < 0x20, let picture = Unicode.Scalar(0x2400 + value) { return String.UnicodeScalarView([picture]) }
    if value == 0x7F { return "\u{2421}".unicodeScalars }
    let digits = String(value, radix: 16, uppercase: true)
    return ("⟨U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits + "⟩").unicodeScalars
  }
}
