/// The words of an utterance, with what surrounds a command taken off: wake words and politeness.
struct Phrasing: Sendable {
  var text: String
  var bytes: [UInt8]
  var tokens: [Token]
  /// The tokens that say something, first and past the last.
  var body: Range<Int>

  private static let openings = Phrases<Bool>([
    (
      "please|pls|maybe|perhaps|hey|hi|hello|ok|okay|um|uh|er|erm|uhm|so|well|right|now|alright|yo|oh|and|then|also|just|hmm",
      true
    ),
    (
      "i was thinking|i was wondering if|i was wondering whether|i was just wondering if|i'm wondering if you could|hold on|hang on|what i need is|what i want is|what i'd like is|would it be possible to|is it possible to|any chance you could|do you think you could|possibly|hi there|hey there|hello there|listen|actually|if you don't mind|be a dear and|be so kind and",
      true
    ),
    (
      "you could|can you|could you|would you|will you|can you please|could you please|would you please|can u|could u",
      true
    ),
    (
      "would you mind|i want you to|i would like you to|i'd like you to|i need you to|you should|you can|go ahead and",
      true
    ),
    ("i want to|i'd like to|i would like to|i need to|i wanna|help me|let's|lets|let us|let me", true),
    (
      "hey siri|siri|alexa|hey alexa|ok google|hey google|google|olly|hey olly|hi olly|libera|hey libera|computer|assistant|cortana|hey cortana|pda",
      true
    ),
    (
      "kindly|quickly|like|for me|you know|i mean|do me a favor and|do me a favour and|if you could|if you can|try to",
      true
    ),
  ])
  private static let closings: [[String]] = [
    "please", "thanks", "thank you", "if you can", "if you could", "would you", "will you", "okay",
    "ok", "please and thank you", "thank you very much", "thanks a lot", "could you", "can you", "right away", "olly",
    "siri",
    "alexa", "google", "cheers", "now please", "can you do that", "will ya", "libera",
  ].map { $0.split(separator: " ").map(String.init) }.sorted { $0.count > $1.count }

  /// "Tell her thanks": what is to be said is not said to us.
  private static let tellers: Set<String> = [
    "her", "him", "them", "say", "says", "saying", "tell", "with", "a", "of", "no", "many",
  ]

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
    tokens = Array(Token.split(text).prefix(400))
    var start = 0
    var end = tokens.count
    while start < end {
      if tokens[start].kind == .symbol, tokens[start].text != "@" {
        start += 1
      } else if let lead = Self.openings.longest(tokens, at: start), lead.end < end,
        // "Let's" opens; "let Anna know" does not.
        tokens[start].text != "let" || lead.end > start + 1 || tokens[start].isContracted
      {
        start = lead.end
      } else {
        break
      }
    }
    var trimmed = true
    while trimmed, end > start {
      trimmed = false
      if tokens[end - 1].kind == .symbol, ![")", "\""].contains(tokens[end - 1].text) {
        end -= 1
        trimmed = true
        continue
      }
      // What follows "saying" is said to somebody else.
      for closing in Self.closings
      where end - start > closing.count && !tokens[start..<end].contains(where: { $0.text == "saying" }) {
        if zip(tokens[(end - closing.count)..<end], closing).allSatisfy({ $0.text == $1 }),
          !(closing[0].hasPrefix("thank") && Self.tellers.contains(tokens[end - closing.count - 1].text))
        {
          end -= closing.count
          trimmed = true
          break
        }
      }
    }
    body = start..<max(start, end)
  }

  /// An apostrophe was said with it: "we're", not "were".
  func isContracted(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].isContracted
  }

  func word(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

  /// The utterance's own characters from one token to another.
  func slice(_ range: Range<Int>) -> String {
    guard range.lowerBound < range.upperBound, range.upperBound <= tokens.count else { return "" }
    return String(decoding: bytes[tokens[range.lowerBound].start..<tokens[range.upperBound - 1].end], as: UTF8.self)
  }

  /// The first place at or after `from` where these words stand.
  func find(_ words: [String], from: Int, until: Int? = nil) -> Int? {
    let end = until ?? body.upperBound
    guard !words.isEmpty, from + words.count <= end else { return nil }
    for start in from...(end - words.count) {
      if words.enumerated().allSatisfy({ word(start + $0.offset) == $0.element }) { return start }
    }
    return nil
  }
}
