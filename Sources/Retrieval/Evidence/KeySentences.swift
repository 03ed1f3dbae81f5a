import Core
import Foundation

/// The sentences of found passages, ranked by how well each answers a question. What is quoted, what a small model is shown,
/// and what a written sentence must rest on are all chosen from this one ranking.
package enum KeySentences {
  /// A sentence where it stands.
  package struct Candidate: Sendable, Equatable {
    /// Which of the passages.
    package var passage: Int
    /// UTF-8 bytes within the passage's text.
    package var range: Range<Int>
    package var text: String
    /// Stands directly after the candidate before it, in the same block of text.
    package var continues: Bool
  }

  package struct Ranked: Sendable, Equatable {
    package var candidate: Int
    package var score: Double
    package var features: Features
    package init(candidate: Int, score: Double, features: Features) {
      (self.candidate, self.score, self.features) = (candidate, score, features)
    }
  }

  /// What is seen of one sentence; each between 0 and 1 where nothing else is said.
  package struct Features: Sendable, Equatable {
    /// The part of the question's weight that the sentence holds.
    package var coverage = 0.0
    /// The same part where a word counts the more the fewer of the sentences hold it: the name of what they all speak of tells
    /// none from another.
    package var specific = 0.0
    package var cosine = 0.0
    /// How near the sentence alone is to the question without what only says which document is meant.
    package var plain = 0.0
    /// How well its passage was found, as a part of the best.
    package var passage = 0.0
    /// Holds a number, a date, a name: whatever was asked for.
    package var shape = 0.0
    /// How much likelier the judge finds it that this sentence answers than that none beside it does, from -1 to 1.
    package var answers = 0.0
    /// A judge was asked, and not about this sentence: 1.
    package var unread = 0.0
    /// The title or a heading: it says what is spoken of, and nothing about it.
    package var heading = 0.0
    /// A line of a table of contents or an index.
    package var contents = 0.0
    /// Speaks to whoever answers instead of about the matter.
    package var instructs = 0.0

    /// By name, for whoever wants to see why.
    package var named: [String: Double] {
      [
        "coverage": coverage, "specific": specific, "cosine": cosine, "passage": passage, "plain": plain,
        "shape": shape, "answers": answers, "unread": unread, "heading": heading, "contents": contents,
        "instructs": instructs,
      ]
    }
  }

  /// One weight for each feature.
  package struct Weights: Sendable {
    package var coverage, specific, cosine, plain, passage, shape: Double
    package var answers = 0.0
    package var unread = 0.0
    package var heading = -1.23
    package var contents = -2.5
    package var instructs = -4.0
  }

  // Fitted over several sources, each time judged on the one that was left out: Benchmarks/answers.md.
  package static let withVectors = Weights(
    coverage: 2.57, specific: 1.95, cosine: 3.66, plain: 2.38, passage: 1.48, shape: 1.56)
  package static let withJudge = Weights(
    coverage: 2.14, specific: 0.99, cosine: 3.25, plain: 1.77, passage: 1.73, shape: 1.65, answers: 3.59, unread: -1.9)
  /// In which order a judge reads: what answers shall be among the first, and need not be the first.
  package static let toRead = Weights(
    coverage: 1.3, specific: 1, cosine: 5.5, plain: 2.4, passage: 0.75, shape: 0.8)
  package static let wordsOnly = Weights(
    coverage: 3.29, specific: 2.67, cosine: 0, plain: 0, passage: 1.94, shape: 1.71)

  package static func score(_ features: Features, _ weights: Weights) -> Double {
    weights.coverage * features.coverage + weights.specific * features.specific
      + weights.cosine * features.cosine + weights.plain * features.plain + weights.heading * features.heading
      + weights.passage * features.passage + weights.shape * features.shape
      + weights.answers * features.answers + weights.unread * features.unread
      + weights.contents * features.contents
      + weights.instructs * features.instructs
  }

  // MARK: Taking apart

  /// The sentences of the passages, each place of a document once. `starts` says where each passage begins in its document.
  package static func candidates(in texts: [String], starts: [(document: Int64, start: Int)]) -> [Candidate] {
    var seen: Set<[Int64]> = []
    var found: [Candidate] = []
    for (passage, text) in texts.enumerated() {
      var end: Int?
      for range in pieces(of: text) {
        let (document, start) = starts[passage]
        let bytes = Array(text.utf8)
        let isNew = seen.insert([document, Int64(start + range.lowerBound)]).inserted
        if isNew {
          // A line end between two sentences begins another block.
          let between = end.map { bytes[$0..<range.lowerBound] }
          found.append(
            Candidate(
              passage: passage, range: range, text: String(decoding: bytes[range], as: UTF8.self),
              continues: between.map { !$0.contains(10) } ?? false))
        }
        end = range.upperBound
      }
    }
    return found
  }

  /// Sentences, and within them the lines that stand for themselves: rows, items, headings.
  package static func pieces(of text: String) -> [Range<Int>] {
    let bytes = Array(text.utf8)
    var found: [Range<Int>] = []
    for sentence in Sentences.ranges(in: text) {
      var start = sentence.lowerBound
      for index in sentence where bytes[index] == 10 && !runsOn(bytes, at: index, until: sentence.upperBound) {
        if let piece = trimmed(bytes, start..<index) { found.append(piece) }
        start = index + 1
      }
      if let piece = trimmed(bytes, start..<sentence.upperBound) { found.append(piece) }
    }
    return found
  }

  /// Whether the line goes on after its end: what follows begins small and the line has some length.
  private static func runsOn(_ bytes: [UInt8], at end: Int, until limit: Int) -> Bool {
    var next = end + 1
    while next < limit, bytes[next] == 32 { next += 1 }
    guard next < limit else { return false }
    var start = end
    while start > 0, bytes[start - 1] != 10 { start -= 1 }
    return end - start > 50 && (97...122).contains(bytes[next])
  }

  private static func trimmed(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
    let blank: Set<UInt8> = [9, 10, 13, 32]
    var (from, to) = (range.lowerBound, range.upperBound)
    while from < to, blank.contains(bytes[from]) { from += 1 }
    while to > from, blank.contains(bytes[to - 1]) { to -= 1 }
    return to - from >= 2 ? from..<to : nil
  }

  // MARK: Ranking

  /// Best first. `seen` is what the sentences' words tell. `vectors` holds those sentences whose meaning is known, `wanted` the
  /// question's, `plain` how near each of them is by itself; without any, words alone decide. `answers` is what the judge said of
  /// those that it read. `weights` nil: as what is known wants it. `cosineWorth`: what a cosine counts of the encoder in use.
  package static func rank(
    _ seen: [Features], wanted: [Float]? = nil, vectors: [Int: [Float]] = [:], plain: [Int: Float] = [:],
    answers: [Int: Double] = [:], by weights: Weights? = nil, cosineWorth: Double = 1
  ) -> [Ranked] {
    let hasMeaning = !vectors.isEmpty && wanted != nil
    var weights = weights ?? (!hasMeaning ? wordsOnly : answers.isEmpty ? withVectors : withJudge)
    weights.cosine *= cosineWorth
    weights.plain *= cosineWorth
    return seen.enumerated().map { index, words in
      var features = words
      if let vector = vectors[index], let wanted {
        features.cosine = Double(max(0, dot(vector, wanted)))
      }
      features.plain = Double(max(0, plain[index] ?? 0))
      features.answers = answers[index] ?? 0
      features.unread = answers.isEmpty || answers[index] != nil ? 0 : 1
      return Ranked(candidate: index, score: score(features, weights), features: features)
    }.sorted { $0.score != $1.score ? $0.score > $1.score : $0.candidate < $1.candidate }
  }

  /// What each sentence stands under: the title of its document and the nearest heading above it.
  package static func contexts(of candidates: [Candidate], headings: [String]) -> [String] {
    var (section, passage) = (String?.none, -1)
    return candidates.map { candidate in
      if candidate.passage != passage { (section, passage) = (nil, candidate.passage) }
      let path = headings[candidate.passage].components(separatedBy: " › ")
      let above = section ?? (path.count > 1 ? path.last : nil)
      if isHeading(candidate) { section = candidate.text }
      return [path.first, above == path.first ? nil : above].compactMap { $0 }.joined(separator: ": ")
    }
  }

  /// A short line for itself, with neither a beginning like an entry's nor an end like a sentence's.
  package static func isHeading(_ candidate: Candidate) -> Bool {
    !candidate.continues && isFragment(candidate.text) && candidate.text.last.map { !".,;!?|".contains($0) } ?? false
      && candidate.text.first.map { $0.isUppercase || $0.isNumber || $0 == "§" } ?? false
      && candidate.text.contains(where: \.isLetter)
  }

  /// The first sentence of the paragraph that a sentence stands in.
  package static func first(of index: Int, _ candidates: [Candidate]) -> Int {
    var first = index
    while candidates[first].continues, first > 0, candidates[first - 1].passage == candidates[index].passage {
      first -= 1
    }
    return first
  }

  /// An entry of a list: numbered or with a bullet.
  package static func isListed(_ text: String) -> Bool {
    text.prefixMatch(of: /(?:[-•*–]|\(?[0-9]{1,2}[.)]|\(?[a-z][.)])\s/) != nil
  }

  /// Too short to say something, or with no beginning.
  static func isFragment(_ text: String) -> Bool {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count >= 4 else { return true }
    let ends = text.last.map { ".!?:;)\"”»".contains($0) } ?? false
    // "Oil change 96.50 EUR" is an entry of a bill.
    let isEntry = text.contains("|") || text.contains(": ") || Units.namesMoney(text, Question.words(in: text))
    return !ends && words.count < 8 && !isEntry
  }

  /// Rows of dots before a number, or a line that is mostly numbers of pages.
  package static func isContents(_ text: String) -> Bool {
    let dense = text.filter { !$0.isWhitespace }
    if dense.contains(".....") || dense.contains("……") { return true }
    let tokens = text.split(whereSeparator: \.isWhitespace)
    let commas = tokens.count { $0.hasSuffix(",") }
    let numbers = tokens.count { $0.allSatisfy { $0.isNumber || $0 == "," } }
    return tokens.count >= 6 && numbers * 3 >= tokens.count && commas * 3 >= tokens.count
  }

  package static func dot(_ a: [Float], _ b: [Float]) -> Float {
    a.count == b.count ? zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } : 0
  }
}

/// Sentences that give orders to whoever answers. Hygiene and no wall: what keeps them from doing harm is that no document's
/// text is ever obeyed; this keeps them from being quoted as if they were an answer.
package enum Instructions {
  /// Which sentences give orders, with the lines of code that stand directly below an order.
  static func marked(_ candidates: [KeySentences.Candidate], isAboutCode: Bool) -> [Bool] {
    var (passage, goesOn) = (-1, false)
    return candidates.map { candidate in
      goesOn = goesOn && candidate.passage == passage && isCode(candidate.text)
      passage = candidate.passage
      let isOrder =
        addressesAnswer(candidate.text) || !isAboutCode && (handsOutCode(candidate.text) || partsTurns(candidate.text))
      goesOn = goesOn || isOrder
      return goesOn
    }
  }

  private static func isCode(_ line: String) -> Bool {
    line.contains(/^(?:import|from|def|class|return|print|function|const|let|var|using)\b/)
      || line.contains(/[\w\])] ?[-+*]?= ?\S/) || endsInCall(line)
      || line.last.map { ";{}`".contains($0) } ?? false
  }

  /// As "say(words):" does. Its end is looked at first: a pattern for the whole would be tried from each bracket to the end.
  private static func endsInCall(_ line: String) -> Bool {
    let words = line.last == ":" ? line.dropLast() : line[...]
    guard words.last == ")" else { return false }
    let last = words.lastIndex(where: \.isNewline).map { words[$0...] } ?? words
    return last.dropLast().contains(/\w\(/)
  }

  /// By these programs tell models who speaks: a paper that has them pretends to be somebody else.
  private static let marks = [
    "<|", "|>", "[inst]", "[/inst]", "<<sys>>", "</s>", "<tool_call>", "</tool_call>", "<start_of_turn>",
    "### instruction:",
    "### response:", "\"role\":",
  ]

  static func partsTurns(_ sentence: String) -> Bool {
    let said = sentence.lowercased()
    return marks.contains(where: said.contains)
  }

  /// "Weave the following code into your solution" answers a question about code and no other.
  static func handsOutCode(_ sentence: String) -> Bool {
    let words = Set(Question.words(in: sentence))
    return words.contains("code") && !words.isDisjoint(with: ["you", "your"])
      && !words.isDisjoint(with: ["following", "subsequent", "below"])
  }

  static func isAboutCode(_ stems: Set<String>) -> Bool {
    !stems.isDisjoint(with: WordList.aboutCode.words.map(Relevance.stem))
  }

  package static func addressesAnswer(_ sentence: String) -> Bool {
    let words = Question.words(in: sentence)
    guard WordList.orderVerbs.isIn(words) else { return false }
    // "Your whole answer".
    let isOfAnswer = words.indices.contains { place in
      WordList.yours.contains(words[place]) && WordList.replies.isIn(words[(place + 1)...].prefix(2))
    }
    return isOfAnswer || WordList.orderPhrases.occurs(in: words)
  }
}
