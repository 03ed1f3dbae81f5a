/// Fixed phrases looked up by their first word.
struct Phrases<Payload> {
  private var table: [String: [(rest: [String], payload: Payload)]] = [:]
  private let stemmed: Bool

  /// With `stemmed`, plural and possessive endings make no difference.
  init(_ entries: [(String, Payload)], _ vocabulary: Vocabulary, stemmed: Bool = false) {
    self.stemmed = stemmed
    for (phrase, payload) in entries {
      let words = Token.split(phrase, vocabulary).map { stemmed ? $0.stem : $0.text }
      guard let first = words.first else { continue }
      table[first, default: []].append((Array(words.dropFirst()), payload))
    }
  }

  /// All phrases beginning at a token, with the index after them.
  func matches(_ tokens: [Token], at start: Int) -> [(payload: Payload, end: Int)] {
    guard tokens.indices.contains(start), let candidates = table[word(tokens[start])] else { return [] }
    return candidates.compactMap { rest, payload in
      let end = start + 1 + rest.count
      guard end <= tokens.count, zip(rest, tokens[(start + 1)..<end]).allSatisfy({ $0 == word($1) }) else { return nil }
      return (payload, end)
    }
  }

  func longest(_ tokens: [Token], at start: Int) -> (payload: Payload, end: Int)? {
    matches(tokens, at: start).max { $0.end < $1.end }
  }

  private func word(_ token: Token) -> String { stemmed ? token.stem : token.text }
}

extension Phrases: Sendable where Payload: Sendable {}

extension Phrases<Bool> {
  /// Phrases that say one thing only.
  init(_ phrases: [String], _ vocabulary: Vocabulary) { self.init(phrases.map { ($0, true) }, vocabulary) }
}
