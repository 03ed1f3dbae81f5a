import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval

/// What tools said in this conversation, for a question about it. They are a stranger's words: they are quoted or put before a model
/// as such, nothing is cited from them, and the answer says whose they are.
struct ToldWords: Material {
  private let turn: Turn
  private let history: [Prompt.Turn]
  private let told: ToldSoFar

  // MARK: When they are meant

  /// In place of what was read otherwise, where the question is about them.
  static func read(
    for turn: Turn, _ told: ToldSoFar, _ history: [Prompt.Turn], _ record: inout AnswerRecord, _ otherwise: Findings
  ) -> Findings {
    let asksDocuments = turn.input.task == .documents || turn.input.collection != nil
    let situation = Situation(
      finding: record.finding, isTalk: record.task == .talk, asksDocuments: asksDocuments,
      concerns: concerns(turn.asked, told), isFresh: told.isFresh)
    guard !told.said.isEmpty, isMeant(situation) else { return otherwise }
    record.told = told.programs
    // What was near in the documents is not what the answer rests on.
    (record.finding, record.citations, record.confidence, record.signals) = (nil, [], nil, nil)
    return .material(ToldWords(turn: turn, history: history, told: told))
  }

  struct Situation: Sendable {
    var finding: Finding?
    var isTalk = false
    /// The person has said that the documents are asked.
    var asksDocuments = false
    var concerns = false
    var isFresh = false
  }

  /// Documents that answer come first, and a question to them alone is theirs.
  static func isMeant(_ now: Situation) -> Bool {
    if now.asksDocuments || now.finding == .found { return false }
    return now.concerns || now.isTalk && now.isFresh
  }

  /// Whether a question shares a word with what was said or asked there, or says nothing without it.
  static func concerns(_ question: String, _ told: ToldSoFar) -> Bool {
    // Nothing else was said since, so this is what it leans on.
    if FollowUp.leans(question) { return true }
    let wanted = stems(question)
    return told.said.contains { !stems("\($0.asked) \($0.told.text)").isDisjoint(with: wanted) }
  }

  private static func stems(_ text: String) -> Set<String> {
    Set(Question.words(in: text).filter { $0.count > 3 && !WordList.stopWords.contains($0) }.map(Relevance.stem))
  }

  // MARK: Without a model

  var evidence: Evidence { Evidence() }

  var quoting: Availability {
    Availability(.extractive, available: true, reason: "what the program said can be quoted")
  }

  /// What a small pack makes of it is often nobody's words; it would stand under the program's name.
  func wants(_ pack: Pack?) -> Bool { (pack?.parameters ?? 0) >= FoundPassages.ownWords }

  func quoted(_ mode: Mode) -> Quoted? {
    Quoted(text: lead + Self.lines(of: told.told, for: turn.asked).joined(separator: "\n\n"))
  }

  private var lead: String {
    FindingWords.of(turn.asked).told(told.programs.joined(separator: ", ")) + "\n\n"
  }

  private static let mostLines = 3
  private static let longestLine = 600

  /// The lines that share most words with the question; where none does, those with which the last of them began.
  static func lines(of told: [Prompt.Told], for question: String) -> [String] {
    func lines(_ text: String) -> [String] {
      text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { line in line.contains { $0.isLetter || $0.isNumber } }
    }
    let (wanted, all) = (stems(question), told.flatMap { lines($0.text) })
    let ranked = all.enumerated().map { (place: $0, shared: stems($1).intersection(wanted).count) }
      .filter { $0.shared > 0 }.sorted { ($1.shared, $0.place) < ($0.shared, $1.place) }
    let best = ranked.prefix(mostLines).map(\.place).sorted().map { all[$0] }
    let chosen = best.isEmpty ? Array(lines(told.last?.text ?? "").prefix(mostLines)) : best
    return chosen.map { $0.count > longestLine ? $0.prefix(longestLine - 1) + "…" : $0 }
  }

  // MARK: With a model

  func write(with writer: Writer, _ limits: Limits, _ draft: inout Draft) async throws {
    draft.prompt.told = try await shown(to: writer, limits, &draft.record)
    let prompt = Prompt(
      mode: draft.record.mode, instructions: await turn.instructions, turns: history + [draft.prompt])
    var request = GenerateRequest(.chat(prompt.messages))
    request.maximumTokens = .max
    request.contextTokens = limits.contextTokens.value
    request.overflow = .dropOldest
    let collector = Collector(turn, lead: lead)
    let written = try await writer.write("an answer", request, through: collector, &draft.record)
    draft.take(written)
    if !written.text.isEmpty { draft.record.answer = lead + written.text }
  }

  func check(_ draft: inout Draft) async throws {}

  private static let longestPiece = 800

  /// As much of their words as fits, from the beginning of the newest backwards; that something was left out is noted.
  private func shown(
    to writer: Writer, _ limits: Limits, _ record: inout AnswerRecord
  ) async throws -> [Prompt.Told] {
    let budget = writer.evidence(limits)
    let pieces = told.told.enumerated().reversed().flatMap { place, one in
      Self.pieces(one.text, Self.longestPiece).map { (place, $0) }
    }
    let kept = Evidence.fitting(try await writer.countTokens(pieces.map(\.1)), budget.value)
    if kept.count < pieces.count {
      record.dropped.append(DropNote(what: "a part of what the program said", reason: budget.reason))
    }
    return told.told.enumerated().compactMap { place, one in
      let text = kept.filter { pieces[$0].0 == place }.map { pieces[$0].1 }.joined()
      return text.isEmpty ? nil : Prompt.Told(program: one.program, text: text)
    }
  }

  static func pieces(_ text: String, _ longest: Int) -> [String] {
    var (pieces, rest) = ([String](), text[...])
    while !rest.isEmpty {
      let piece = rest.prefix(longest)
      pieces.append(String(piece))
      rest = rest[piece.endIndex...]
    }
    return pieces
  }
}
