import Foundation

/// What a person answers to "Do this? [y, N]".
enum Consent {
  /// Whether it is a yes: "y" everywhere, and the first letter of the person's own yes.
  static func isYes(_ line: String?) -> Bool {
    let word = (line ?? "").trimmingCharacters(in: .whitespaces).lowercased()
    return ["y", say("y")].contains(word)
  }
}
