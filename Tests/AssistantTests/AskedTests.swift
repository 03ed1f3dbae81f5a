import Foundation
import Testing

@testable import Assistant
@testable import Retrieval

@Suite("What is asked for, one thing or several")
struct AskedTests {
  @Test(
    "A question is taken apart where each part asks by itself",
    arguments: [
      (
        "When does the lease end and how many keys are returned?",
        ["When does the lease end", "how many keys are returned?"]
      ),
      ("How heavy is it? Can I carry it alone?", ["How heavy is it?", "Can I carry it alone?"]),
      (
        "Who lets the hall, and what does it cost? Thanks a lot",
        ["Who lets the hall", "what does it cost? Thanks a lot"]
      ),
      (
        "Was kostet die Pumpe und wie lange gilt das Angebot?", ["Was kostet die Pumpe", "wie lange gilt das Angebot?"]
      ),
      ("Où est la clé et combien coûte la nuit ?", ["Où est la clé", "combien coûte la nuit ?"]),
      ("Wann ist Training und darf ich zuschauen?", ["Wann ist Training", "darf ich zuschauen?"]),
      ("Quel est le loyer et quand faut-il le payer ?", ["Quel est le loyer", "quand faut-il le payer ?"]),
      (
        "What is the rent? When is it due? Who pays the water? Who cleans?",
        ["What is the rent?", "When is it due?", "Who pays the water? Who cleans?"]
      ),
      // What asks nothing says something of what stands beside it.
      ("I stop paying; how quickly will my recordings be gone?", []),
      ("My friend is going to live with me; how quickly must the office know?", []),
      (
        "My hose has iced up; how do I free it, and who pays for it?",
        ["My hose has iced up; how do I free it", "who pays for it?"]
      ),
      // "And when?" is not looked up by itself, and what tells of a thing is no question.
      ("Who built the boat and when?", []),
      ("How many acres has he and on what soil?", ["How many acres has he", "on what soil?"]),
      ("Which bird sings at night and does not leave?", []), ("Who is on leave in May and is not back in June?", []),
      ("Rent and deposit together?", []), ("What does salt and pepper cost?", []), ("", []),
      ("What does he want? Who is he? " + String(repeating: "He writes. ", count: 60), []),
      ("What was the rent — and when is it due and who pays it?", []),
    ] as [(String, [String])])
  func parts(_ question: String, _ parts: [String]) {
    #expect(QuestionParts.split(question) == parts)
  }

  private func ranked(_ entries: [(Int, Double)]) -> [KeySentences.Ranked] {
    entries.map { KeySentences.Ranked(candidate: $0.0, score: $0.1, features: .init()) }
  }

  private func asked(_ said: String, answers: Double, _ entries: [(Int, Double)]) -> Asked {
    var one = Asked(said: said, question: said, profile: QuestionProfile(said))
    one.ranked = ranked(entries)
    one.signals = Signals(one.ranked, hasMeaning: true)
    one.signals.answers = answers
    return one
  }

  @Test("The sentences for several things take turns, and the best of each counts as much as the best of all")
  func merged() {
    let merged = Asked.merged([
      asked("a", answers: 1, [(3, 9), (1, 8), (5, 2)]), asked("b", answers: 1, [(1, 4), (3, 3), (2, 1)]),
    ])
    #expect(merged.ranked.map(\.candidate) == [3, 1, 5, 2])
    #expect(merged.ranked.map(\.score) == [9, 9, 2, 6])
    #expect(merged.best == 2)
    #expect(Asked.merged([asked("a", answers: 1, [(3, 9)]), asked("b", answers: 1, [(3, 4)])]).best == 1)
    #expect(Asked.merged([]).ranked.isEmpty)
  }

  @Test(
    "What some of several things have no answer is named, and nothing is quoted for it; where none has one, there is none",
    arguments: [
      ([3, 3], Finding.found, [], [0, 1]), ([3, 0], .probably, [], [0, 1]), ([3, -4], .found, ["1"], [0]),
      ([-4, 0], .probably, ["0"], [1]), ([-4, -4], .notThere, [], [0, 1]), ([-4], .notThere, [], [0]),
    ] as [([Double], Finding, [String], [Int])])
  func decided(_ answers: [Double], _ finding: Finding, _ unanswered: [String], _ quoted: [Int]) {
    var evidence = Evidence()
    evidence.asked = answers.enumerated().map { asked("\($0.offset)", answers: $0.element, [($0.offset, 5)]) }
    evidence.decide()
    #expect(evidence.finding == finding && evidence.unanswered == unanswered)
    #expect(evidence.keys.ranked.map(\.candidate) == quoted)
    #expect(
      evidence.signals["answers"]
        == evidence.asked.map(\.signals.answers!).filter { finding == .notThere || $0 > -4 }.min())
  }

  @Test(
    "Words stand at the head where the judge is sure of them and they come from the sentence that is quoted first",
    arguments: [(0, 2, "940 euros"), (0, 1, nil), (0, nil, nil), (1, 2, nil)] as [(Int, Double?, String?)])
  func head(_ candidate: Int, _ answers: Double?, _ shown: String?) {
    var one = asked("What is the rent?", answers: 0, [(0, 5), (1, 4)])
    one.judged.answers = answers
    one.judged.words = Judged.Words(candidate: candidate, text: "940 euros", chance: -0.5)
    #expect(one.short == shown)
    one.question = "Is the rent 940 euros?"
    #expect(one.short == nil)
    // Of several things it would be the answer to one.
    var evidence = Evidence()
    evidence.asked = [one, one]
    evidence.decide()
    #expect(evidence.short == nil)
  }
}
