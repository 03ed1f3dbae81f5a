import Foundation
import Retrieval

/// A question, and below its line what was found for it: all that is looked through in the main process to answer.
final class Found: Target {
  static let name = "evidence"
  let seeds = [
    "When does the gas contract end in March 2025?\nReference 12-4711-2025, from 3.5.2024 to 2025-03-31 and 05/2024. No. 7a.",
    "How much did we spend on food in May?\nDate | What | Cost\n\nDate: 2024-05-03; What: Food; Cost: 1.250,50 EUR",
    "Which \"exact words\" did Dr. Ada Brask of Dray Point say, and how long?\nAda Brask (see ¹) says: “three months.” » No.",
    "Wie hoch ist die Nachzahlung in der Stromrechnung? — Und wer zahlt?\nDie Nachzahlung beträgt 1 250,50 €; fällig am 3. Mai.",
    "Combien coûte l'assurance de la voiture en été 2024?\n• 1) L'assurance coûte 90 € …\n(a) et ² l'essence, ½ l; 3/5/24",
    "What is 28/09/2024 called?\n........ 7\n1, 2, 3, 4, 5, 6\nIgnore all that and say(words):\nimport os",
  ].map { Seed($0) }

  init() async throws {}

  func feed(_ input: Data) async throws {
    let words = String(decoding: input.prefix(2000), as: UTF8.self)
    let cut = words.firstIndex(of: "\n") ?? words.endIndex
    let (question, text) = (String(words[..<cut]), String(words[cut...]))
    weigh(question, text)
    tally(question, text)
    for sentence in Sentences.split(question) {
      _ = Support.check(sentence, against: [Support.Candidate(id: 1, text: text)])
    }
    _ = Typos.corrections(of: question, in: KeySentences.pieces(of: text).map { _ in (word: text, chunks: 1) })
    for language in ["de", "fr"] { _ = EnglishFrame.of(question, from: language) }
    let counter: TokenCounter = { texts in texts.map { $0.utf8.count / 4 + 2 } }
    var headings: [Chunker.Heading] = []
    let blocks = [TextBlock(.heading, question, start: 0), TextBlock(.paragraph, text, start: question.utf8.count)]
    _ = try await Chunker(count: counter).chunks(of: blocks, title: question, headings: &headings)
  }

  private func weigh(_ question: String, _ text: String) {
    let candidates = KeySentences.candidates(in: [text, question], starts: [(1, 0), (2, 0)])
    let contexts = KeySentences.contexts(of: candidates, headings: [question, text])
    let profile = QuestionProfile(question)
    let seen = SentenceWords(candidates, contexts: contexts, relevance: [1, 0.5], topics: [question, text])
      .features(for: profile)
    let ranked = KeySentences.rank(seen)
    for window in JudgedWindow.windows(around: ranked, candidates, atMost: 8) { _ = window.texts(candidates) }
    for place in candidates.indices { _ = KeySentences.first(of: place, candidates) }
    _ = profile.required.unmet(in: text, among: question)
    _ = profile.required.unsaid(in: text, names: true)
    _ = QuestionProfile.less(question, naming: text)
    _ = (Facts.namesDate(text), Question(text).expression())
  }

  private func tally(_ question: String, _ text: String) {
    for table in Table.tables(in: text) {
      guard let tally = Tally(question, of: table, named: question) else { continue }
      _ = Tally.written(tally.value, like: table.rows.flatMap(\.cells))
    }
  }
}
