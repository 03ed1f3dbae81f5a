import Foundation

/// Which language sound is in, against the one that was said to be spoken. Whisper reads a language as another one slowly, and
/// makes up words.
package enum HeardLanguage {
  /// Of one family, and hard to tell apart by a second of sound.
  private static let families: [Set<String>] = [
    ["no", "nn", "da", "sv"], ["hr", "sr", "bs", "sl", "mk"], ["ru", "uk", "be", "bg"], ["es", "gl", "pt", "ca"],
    ["id", "ms", "jw", "su"], ["hi", "ur"], ["zh", "yue"], ["cs", "sk"], ["nl", "af"], ["de", "lb", "yi"],
  ]

  /// The language that it surely is instead of `claimed`; nil where there is doubt.
  package static func other(than claimed: String, in heard: [String: Double]) -> String? {
    guard let best = heard.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), best.key != claimed, best.value >= 0.8,
      heard[claimed] ?? 0 <= 0.1, !families.contains(where: { $0.contains(claimed) && $0.contains(best.key) })
    else { return nil }
    return best.key
  }

  package static func remark(_ heard: String, not claimed: String) -> String {
    func name(_ code: String) -> String { Subtitles.language(code).capitalized(with: Locale(identifier: "en")) }
    return "this sounds like \(name(heard)), not \(name(claimed)); it was read as \(name(heard))"
  }
}
