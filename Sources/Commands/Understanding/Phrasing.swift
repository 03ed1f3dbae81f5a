/// The words of an utterance, with what surrounds a command taken off: wake words and politeness.
struct Phrasing: Sendable {
  var text: String
  var bytes: [UInt8]
  var tokens: [Token]
  /// The tokens that say something, first and past the last.
  var body: Range<Int>

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
    tokens = Array(Token.split(text).prefix(400))
    let start = Self.start(tokens)
    let end = Self.end(tokens, from: start)
    body = start..<max(start, end)
  }

  /// Past greetings, wake words and politeness.
  private static func start(_ tokens: [Token]) -> Int {
    var start = 0
    while start < tokens.count {
      if tokens[start].kind == .symbol, tokens[start].text != "@" {
        start += 1
      } else if let end = Said.politeness.end(tokens, at: start), end < tokens.count,
        // "Let's" opens; "let Anna know" does not.
        tokens[start].text != "let" || end > start + 1 || tokens[start].isContracted
      {
        start = end
      } else if start > 0, Said.greetings.contains(tokens[start - 1].text), tokens[start].kind == .word,
        CommandWords.asked(tokens, at: start) == nil, CommandWords.asked(tokens, at: start + 1) != nil
      {
        // "Hey Computer, remind me": whatever it is called.
        start += 1
      } else {
        break
      }
    }
    return start
  }

  private static func end(_ tokens: [Token], from start: Int) -> Int {
    var end = tokens.count
    // What follows "saying" is said to somebody else.
    let isMail = CommandWords.asked(tokens, at: start)?.payload == .sendEmail
    let quotes =
      tokens.contains { $0.text == "saying" }
      || isMail && tokens.indices.contains { Said.bodyMarks.end(tokens, at: $0) != nil || tokens[$0].text == "body" }
    while end > start {
      if tokens[end - 1].kind == .symbol, ![")", "\""].contains(tokens[end - 1].text) {
        end -= 1
        continue
      }
      let closing = (start + 1..<max(start + 1, end)).first { at in
        guard !quotes, Said.closings.ends(tokens, at: at).contains(end) else { return false }
        return !tokens[at].text.hasPrefix("thank") || !Said.tellers.contains(tokens[at - 1].text)
      }
      guard let closing else { break }
      end = closing
    }
    return end
  }

  /// An apostrophe was said with it: "we're", not "were".
  func isContracted(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].isContracted
  }

  /// The words of a meal within a time: "lunch on Friday at one" says what it is as well as when.
  func meal(in bytes: Range<Int>) -> Range<Int>? {
    body.lazy.filter { bytes.contains(tokens[$0].start) }.compactMap { at in
      Language.all.first?.dayParts.longest(tokens, at: at).flatMap { $0.payload.meal ? at..<$0.end : nil }
    }.first
  }

  func word(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

  /// The utterance's own characters from one token to another.
  func slice(_ range: Range<Int>) -> String {
    guard range.lowerBound < range.upperBound, range.upperBound <= tokens.count else { return "" }
    return String(decoding: bytes[tokens[range.lowerBound].start..<tokens[range.upperBound - 1].end], as: UTF8.self)
  }

  /// The first place at or after `from` where a phrase of a list stands, and where it ends.
  func find(_ list: Said, from: Int) -> Range<Int>? {
    (from..<max(from, body.upperBound)).lazy.compactMap { at in
      list.ends(tokens, at: at).filter { $0 <= body.upperBound }.max().map { at..<$0 }
    }.first
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
