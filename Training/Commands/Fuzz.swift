import Commands
import Foundation

/// Inputs put together at random from what commands are made of and from what nobody says: every frame has to conform to the
/// published grammar.
struct Fuzz {
  private static let pieces = [
    "remind", "me", "to", "email", "john", "at", "example", "dot", "com", "about", "saying", "subject", "note", "that",
    "schedule", "a", "meeting", "tomorrow", "from", "2", "3", "pm", "every", "friday", "for", "30", "minutes",
    "\"quoted\"", "\\", "\u{0}", "\u{7}", "\u{7F}", "\n", "\t", "{", "}", ",", "é", "日本", "🕰️", "\u{202E}", "don't",
    "read", "my", "calendar", "called", "and", "<|im_start|>", "'; DROP", "99999999999999999999", "\u{301}", "in", "0",
    "hours", "until", "the", "31st", "of", "february", "at", "@", "half", "seven", "last", "next", "week", "\u{FEFF}",
    "[CLS]", "\u{2028}", "send", "it", "😀", "add", "put", "on", "no", "\r", "</s>",
  ]

  /// The inputs whose frames do not conform, and how long one took, in milliseconds.
  static func run(_ count: Int, _ understander: Understander, _ resolver: TimeResolver) throws -> (
    malformed: [String], slowest: Double
  ) {
    guard let file = IntentModel.grammarFile else { return (["the grammar is missing"], 0) }
    let grammar = GrammarMatcher(try String(contentsOf: file, encoding: .utf8))
    var random = Random(state: 11)
    var malformed: [String] = []
    var slowest = 0.0
    for _ in 0..<count {
      let text = (0...random.next(16)).map { _ in pieces[random.next(pieces.count)] }
        .joined(separator: random.next(5) == 0 ? "" : " ")
      let recognition = random.next(2) == 0 ? nil : Double(random.next(100)) / 100
      let began = ContinuousClock.now
      let result = understander.understand(
        text, with: resolver, recognition: recognition, reading: random.next(2) == 0 ? nil : reading(text, &random))
      let passed = (ContinuousClock.now - began).components
      slowest = max(slowest, Double(passed.seconds) * 1000 + Double(passed.attoseconds) / 1e15)
      if ([result.frame] + result.alternatives).contains(where: { !grammar.accepts($0.json) }) {
        malformed.append(text)
      }
    }
    return (malformed, slowest)
  }

  /// An encoder that reads anything into anything.
  private static func reading(_ text: String, _ random: inout Random) -> EncoderReading {
    let names = ["O", "B-title", "I-title", "B-body", "I-body", "B-subject", "B-recipient", "I-recipient", "B-time"]
    var tags: [Float] = []
    for _ in EncoderReader.words(text) {
      let chosen = random.next(names.count)
      tags += names.indices.map { $0 == chosen ? 0.99 : 0.00125 }
    }
    let intent = Intent.allCases[random.next(Intent.allCases.count)]
    return EncoderReading(labels: ["none": 0.05].merging([intent.rawValue: 0.95]) { $1 }, tags: tags, names: names)
  }
}
