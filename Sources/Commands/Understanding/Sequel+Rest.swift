import Core

extension Sequel {
  /// The second request in words that can be understood by themselves: "remind me an hour before" names the event and its hour.
  package func rest(after frame: Frame, with resolver: TimeResolver) -> String? {
    guard let second else { return nil }
    guard let title = frame.slots.title, let reminder = Reminder(second) else { return second }
    var resolver = resolver
    resolver.language = reminder.words.language
    return reminder.about(title, from: frame.slots.landing?.start, with: resolver) ?? second
  }

  /// A request to be reminded, taken apart: what asks stands around the rest of it.
  private struct Reminder {
    let words: RequestWords
    private let text: String
    private let tokens: [Token]
    private let middle: Range<Int>

    init?(_ text: String) {
      self.text = text
      let english = Token.split(text)
      if let words = RequestWords.all.first, let hit = CommandWords.asked(english, at: 0) {
        guard hit.payload == .addReminder else { return nil }
        (self.words, tokens, middle) = (words, english, hit.end..<english.count)
        return
      }
      for words in RequestWords.all {
        let tokens = Token.split(text, words.language.vocabulary)
        guard let (ask, used) = words.found(words.asks, tokens, in: 0..<tokens.count), !ask.first.isEmpty else {
          continue
        }
        guard ask.value == .addReminder else { return nil }
        (self.words, self.tokens) = (words, tokens)
        middle = used[0].upperBound..<(used.count > 1 ? used[1].lowerBound : tokens.count)
        return
      }
      return nil
    }

    /// The same about a thing that begins at `start`; nil where it names what it is about itself.
    func about(_ title: String, from start: Int?, with resolver: TimeResolver) -> String? {
      let times = resolver.readings(in: text).readings
      let saysClock = times.contains(where: \.hasClock)
      var parts: [String] = []
      var at = middle.lowerBound
      while at < middle.upperBound {
        let said = times.first { $0.start <= tokens[at].start && tokens[at].end <= $0.end }
        if let start, let end = words.end(.eveningBefore, tokens, at: at) {
          parts += [Self.day(start), words.evening]
          at = end
        } else if let start, let end = words.end(.dayBefore, tokens, at: at) {
          parts.append(saysClock ? Self.day(start) : Self.moment(start - Civil.secondsPerDay))
          at = end
        } else if let start, let length = times.first(where: { $0.kind == .duration && $0.start == tokens[at].start }),
          let minutes = length.minutes, let after = tokens.indices.first(where: { tokens[$0].start >= length.end }),
          let end = words.end(.beforehand, tokens, at: after)
        {
          parts.append(Self.moment(start - minutes * 60))
          at = end
        } else if said != nil {
          parts.append(written(at..<at + 1))
          at += 1
        } else if let end = words.end(.itself, tokens, at: at) ?? words.end(.closings, tokens, at: at) {
          at = end
        } else if tokens[at].kind == .symbol {
          at += 1
        } else {
          return nil
        }
      }
      let ask = [written(0..<middle.lowerBound)]
      let behind = middle.upperBound < tokens.count ? [written(middle.upperBound..<tokens.count)] : []
      return (ask + parts + [words.about, title] + behind).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func written(_ range: Range<Int>) -> String {
      tokens.written(Array(range), of: Array(text.utf8)) ?? ""
    }

    private static func moment(_ local: Int) -> String {
      String(Civil.iso(local).prefix(16)).replacing("T", with: " ")
    }
    private static func day(_ start: Int) -> String { String(Civil.iso(start - Civil.secondsPerDay).prefix(10)) }
  }
}
