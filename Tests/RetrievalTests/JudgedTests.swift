import Inference
import Testing

@testable import Retrieval

@Suite("What the judge is shown and what it said")
struct JudgedTests {
  private static func candidates(_ passages: [[String]]) -> [KeySentences.Candidate] {
    KeySentences.candidates(
      in: passages.map { $0.joined(separator: "\n") }, starts: passages.indices.map { (Int64($0), 0) })
  }

  private static func ranked(_ order: [Int], instructs: Set<Int> = []) -> [KeySentences.Ranked] {
    order.enumerated().map { place, candidate in
      var features = KeySentences.Features()
      features.instructs = instructs.contains(candidate) ? 1 : 0
      return KeySentences.Ranked(candidate: candidate, score: Double(order.count - place), features: features)
    }
  }

  @Test("A window is whole sentences of one passage around the best, that with the best of all first")
  func windows() {
    let all = Self.candidates([
      ["First of one.", "Second of one.", "Third of one."], ["First of two.", "Second of two."],
    ])
    let windows = JudgedWindow.windows(around: Self.ranked([4, 1, 0]), all, atMost: 5)
    #expect(
      windows == [JudgedWindow(passage: 1, candidates: [3, 4]), JudgedWindow(passage: 0, candidates: [0, 1, 2])])
    #expect(JudgedWindow.windows(around: Self.ranked([4, 1, 0]), all, atMost: 1).map(\.passage) == [1])
    #expect(JudgedWindow.windows(around: [], all, atMost: 5).isEmpty)
    #expect(windows[0].texts(all) == ["First of two.", "Second of two."])
  }

  @Test("A window grows on both sides of the best sentence, as far as there is room, and no order opens one")
  func bounds() throws {
    let long = (0..<40).map { "Sentence \($0) " + String(repeating: "says little ", count: 4) + "here." }
    let all = Self.candidates([long])
    let window = try #require(JudgedWindow.windows(around: Self.ranked([20]), all, atMost: 5).first)
    #expect(window.candidates.contains(20))
    #expect(window.candidates.first! < 20 && window.candidates.last! > 20)
    #expect(window.candidates.count < 8)
    let short = Self.candidates([(0..<40).map { "Line \($0) is." }])
    let most = try #require(JudgedWindow.windows(around: Self.ranked([20]), short, atMost: 5).first)
    #expect(most.candidates.count == JudgeRequest.mostSentences)
    #expect(JudgedWindow.windows(around: Self.ranked([20], instructs: [20]), all, atMost: 5).isEmpty)
    // What one has read no other reads again; a passage that is long has several.
    let several = JudgedWindow.windows(around: Self.ranked([20, 21, 5, 39]), all, atMost: 5).map(\.candidates)
    #expect(several.count == 3)
    #expect(Array(several.joined()).count == Set(several.joined()).count)
    #expect(several[0].contains(21) && several[1].contains(5) && several[2].contains(39))
    // One sentence that is longer than all there is room for is shown all the same.
    let huge = Self.candidates([[String(repeating: "word ", count: 900) + "end."]])
    #expect(JudgedWindow.windows(around: Self.ranked([0]), huge, atMost: 5).map(\.candidates) == [[0]])
  }

  @Test("The likeliest passage decides, and words are taken from a sentence that is likelier than none")
  func judged() {
    let all = Self.candidates([
      ["The rent is 940 euros.", "It is due monthly."], ["The lift is old.", "Nobody knows why."],
    ])
    let windows = [
      JudgedWindow(passage: 0, candidates: [0, 1]), JudgedWindow(passage: 1, candidates: [2, 3]),
    ]
    func judgement(_ none: Float, _ sentences: [Float], _ words: String? = nil, _ chance: Float = -0.25) -> Judgement {
      var judgement = Judgement(none: none, sentences: sentences)
      judgement.words = words.map { Judgement.Words(text: $0, chance: chance) }
      return judgement
    }
    let sure = Judged([judgement(-3, [-0.125, -4], "940 euros"), judgement(-0.01, [-5, -6])], of: windows, all)
    #expect(sure.words == Judged.Words(candidate: 0, text: "940 euros", chance: -0.375))
    #expect(sure.areWordsSure)
    // Of one sentence it is sure, and not of the words in it; or of the words, and not that this sentence answers.
    for (sentence, chance) in [(-0.125, -1), (-1, -0.125)] as [(Float, Float)] {
      let halfSure = Judged([judgement(-3, [sentence, -4], "940 euros", chance)], of: [windows[0]], all)
      #expect(halfSure.words != nil && !halfSure.areWordsSure)
    }
    #expect((sure.answers ?? 0) > 2.5)
    #expect(Set(sure.sentences.keys) == [0, 1, 2, 3])
    #expect(sure.sentences[0]! > 0 && sure.sentences[1]! < 0 && sure.sentences[2]! < 0)
    let unsure = Judged([judgement(-0.3, [-1.5, -4], "940 euros"), judgement(-0.01, [-5, -6])], of: windows, all)
    #expect(unsure.words == nil)
    #expect((unsure.answers ?? 1) < 0)
    #expect(Judged([], of: [], all).answers == nil)
    // What there was no room for was not read.
    let half = Judged([judgement(-0.3, [-1.5, -.greatestFiniteMagnitude])], of: [windows[0]], all)
    #expect(Set(half.sentences.keys) == [0])
    // Nothing that a model can say leads out of the bounds.
    for none in [-Float.greatestFiniteMagnitude, -100, 0] as [Float] {
      let extreme = Judged([judgement(none, [-1, -1])], of: windows, all)
      #expect((-8...8).contains(extreme.answers ?? 9))
      #expect(extreme.sentences.values.allSatisfy { (-1...1).contains($0) })
    }
  }

  @Test(
    "Words stand as the sentence has them, never a part of a word or number, and many of them from its beginning",
    arguments: [
      ("The rent is 940 euros.", "940 Euros", "940 euros"), ("The rent is 940 euros.", "94", nil),
      ("The rent is 940 euros.", "40 euros", nil), ("The rent is 940 euros.", "rent is 940 euros a month", nil),
      ("On\n 5  March it ends.", "5 March", "5 March"), ("It ends on 5 March.", "It ends on 5 March.", nil),
      ("It ends on 5 March.", "", nil), ("Grapefruit juice is barred.", "grapefruit", "Grapefruit"),
      ("Der Preis beträgt 12 €.", "12 €", "12 €"),
      ("Open the flap, let the water out and turn it to the left.", "let the water out and turn it to the left", nil),
      (
        "Clean the filter and let the water out of the hose, which takes a while.",
        "filter and let the water out of the hose", "Clean the filter and let the water out of the hose"
      ),
    ] as [(String, String, String?)])
  func standing(_ sentence: String, _ words: String, _ expected: String?) {
    #expect(Judged.standing(words, in: sentence) == expected)
  }
}
