import Core
package import Foundation
package import Inference

/// A stretch of a passage as the judge is shown it: whole sentences around the one that is nearest to the question.
package struct JudgedWindow: Sendable, Equatable {
  package var passage: Int
  /// Which of the candidates, in the order in which they stand.
  package var candidates: [Int]

  /// UTF-8 bytes: what is to be known of a sentence mostly stands close by, and the more of one passage is read, the fewer others
  /// are (Benchmarks/answers.md).
  private static let longest = 350

  /// Stretches that do not overlap, that with the best sentence first.
  package static func windows(
    around ranked: [KeySentences.Ranked], _ candidates: [KeySentences.Candidate], atMost most: Int
  ) -> [JudgedWindow] {
    var read: Set<Int> = []
    var windows: [JudgedWindow] = []
    for entry in ranked where entry.features.instructs == 0 && entry.features.contents == 0 {
      guard windows.count < most else { break }
      guard !read.contains(entry.candidate) else { continue }
      let window = around(entry.candidate, candidates, without: read)
      read.formUnion(window.candidates)
      windows.append(window)
    }
    return windows
  }

  private static func around(
    _ best: Int, _ candidates: [KeySentences.Candidate], without read: Set<Int>
  ) -> JudgedWindow {
    let passage = candidates[best].passage
    var (lower, upper) = (best, best)
    var used = candidates[best].text.utf8.count
    /// Takes one more on a side, where the passage has one and there is room.
    func grow(_ place: Int) -> Bool {
      guard candidates.indices.contains(place), candidates[place].passage == passage, !read.contains(place),
        upper - lower + 1 < JudgeRequest.mostSentences, used + candidates[place].text.utf8.count <= longest
      else { return false }
      used += candidates[place].text.utf8.count
      return true
    }
    while true {
      let before = grow(lower - 1)
      if before { lower -= 1 }
      let after = grow(upper + 1)
      if after { upper += 1 }
      guard before || after else { break }
    }
    return JudgedWindow(passage: passage, candidates: Array(lower...upper))
  }

  package func texts(_ all: [KeySentences.Candidate]) -> [String] {
    candidates.map { all[$0].text.onOneLine }
  }
}

/// What the judge said of the windows.
package struct Judged: Sendable, Equatable {
  /// Words that answer, as they stand in one of the candidates.
  package struct Words: Sendable, Equatable {
    package var candidate: Int
    package var text: String
    /// How likely the judge finds it that this sentence answers and in these words, as a logarithm.
    package var chance: Double
    package init(candidate: Int, text: String, chance: Double) {
      (self.candidate, self.text, self.chance) = (candidate, text, chance)
    }
  }

  /// How much likelier it is that some sentence of the likeliest passage answers than that none does, as a logarithm; nil where
  /// nobody was asked.
  package var answers: Double?
  /// How much likelier it finds it that a sentence answers than that none beside it does, from -1 to 1; of those that it read.
  package var sentences: [Int: Double] = [:]
  /// Of its likeliest sentence, where that is likelier than none.
  package var words: Words?

  /// Whether the words may stand above the sentence they were read out of, where everybody takes them for the answer: of those that
  /// do, more than eight in ten are right (Benchmarks/answers.md).
  package var areWordsSure: Bool {
    guard let words, let answers else { return false }
    return words.chance + Self.answersWorth * answers >= Self.sure
  }
  private static let answersWorth = 0.2
  private static let sure = -0.2

  package init() {}

  package init(
    _ judgements: [Judgement], of windows: [JudgedWindow], _ candidates: [KeySentences.Candidate]
  ) {
    answers = judgements.map { Self.odds(none: Double($0.none)) }.max()
    for (window, judgement) in zip(windows, judgements) {
      for (candidate, chance) in zip(window.candidates, judgement.sentences) where chance > Self.unread {
        sentences[candidate] = Self.bounded(Double(chance - judgement.none)) / Self.bound
      }
      guard let said = judgement.words, let likeliest = judgement.likeliest else { continue }
      let candidate = window.candidates[likeliest]
      let chance = Double(judgement.sentences[likeliest] + said.chance)
      words = Self.standing(said.text, in: candidates[candidate].text).map {
        Words(candidate: candidate, text: $0, chance: chance)
      }
    }
  }

  /// The words as the sentence has them; nil where it does not, or where they are all of it. Many words are no name and no number but
  /// what is to be known or done, which begins where the sentence begins: its end alone would leave out the first step of an order.
  static func standing(_ words: String, in sentence: String) -> String? {
    let sentence = sentence.onOneLine
    let wanted = words.onOneLine
    guard let place = sentence.place(of: wanted, options: .caseInsensitive) else { return nil }
    func isInside(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
    // No part of a word, and no part of a number.
    let before = place.lowerBound > sentence.startIndex ? sentence[sentence.index(before: place.lowerBound)] : nil
    let after = place.upperBound < sentence.endIndex ? sentence[place.upperBound] : nil
    guard !(isInside(before) && isInside(wanted.first)), !(isInside(after) && isInside(wanted.last)) else { return nil }
    let isMany = wanted.split(separator: " ").count > Self.fewWords
    let stretch = (isMany ? sentence.startIndex : place.lowerBound)..<place.upperBound
    return sentence[stretch].utf8.count * 10 < sentence.utf8.count * 9 ? String(sentence[stretch]) : nil
  }

  private static let fewWords = 6

  /// The judge's adapter, as llama.cpp loads it beside the pack (Training/Reading).
  package static var adapterFile: URL { WordList.resources.appending(path: "judge.gguf") }

  private static func odds(none: Double) -> Double { bounded(log(max(1 - exp(none), 1e-6)) - none) }

  /// Beyond these bounds it tells no more.
  private static let bound = 8.0
  private static func bounded(_ odds: Double) -> Double { min(max(odds, -bound), bound) }

  /// What there was no room for has no chance that a softmax could give.
  private static let unread: Float = -1e9
}
