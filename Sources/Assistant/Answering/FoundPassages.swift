import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Storage

/// What a question found in the library; for talk it is empty. A model may phrase it and is held to it.
struct FoundPassages: Material {
  let turn: Turn
  let history: [Prompt.Turn]
  let evidence: Evidence

  // MARK: Reading

  static func read(
    for turn: Turn, _ record: inout AnswerRecord, _ limits: Limits, _ history: [Prompt.Turn]
  ) async throws -> Findings {
    if let completed = FollowUp.completed(turn.asked, after: history.map { LongQuestion.asked($0.question) }) {
      record.completedQuestion = completed
      turn.emit(Ask.Event(completed: completed))
    }
    let found = FoundPassages(turn: turn, history: history, evidence: try await consult(turn, &record, limits))
    if let tallied = try await turn.tallied(found.evidence, &record) { return .answer(tallied) }
    guard found.evidence.finding == .notThere else { return .material(found) }
    return .answer(FindingWords.of(turn.asked).answer(found.evidence))
  }

  private static func consult(
    _ turn: Turn, _ record: inout AnswerRecord, _ limits: Limits
  ) async throws -> Evidence {
    let (input, house) = (turn.input, turn.house)
    let scope: Scope = input.collection.map { .collections([$0]) } ?? .everything
    var evidence = try await Evidence.find(record.completedQuestion, in: scope, limits: limits, house: house)
    record.timings.retrieveMs = turn.began.msUntilNow
    record.timings.firstEvidenceMs = turn.began.msUntilNow
    turn.phases.end("find evidence")
    record.retrievalUsed = true
    if evidence.searched.count > 1 { record.searched = evidence.searched }
    // Shown at once; what its sentences are worth is found out while it is read.
    let first = evidence.items.prefix(Evidence.shown).map(\.citation)
    turn.emit(Ask.Event(evidence: first))
    if !evidence.items.isEmpty {
      try await evidence.weigh(limits, in: house)
      if input.explain == true { turn.emit(Ask.Event(considered: evidence.considered)) }
      evidence.keepBest()
      let best = evidence.items.map(\.citation)
      if best != first { turn.emit(Ask.Event(evidence: best)) }
      turn.phases.end("weigh its sentences")
    }
    record.passagesConsulted = evidence.items.count
    record.finding = evidence.finding
    record.confidence = evidence.confidence.map { ($0 * 1000).rounded() / 1000 }
    record.signals = evidence.signals
    record.citations =
      evidence.finding == .notThere
      ? try await evidence.nearestCited(Citing(shelf: house.documents)) : evidence.items.map(\.citation)
    record.dropped += evidence.notes
    if let unready = try await house.unready(in: input.collection, for: evidence.searched.first ?? "") {
      record.dropped.append(DropNote(what: "documents", reason: unready))
    }
    return evidence
  }

  // MARK: Without a model

  var quoting: Availability { .extractive(passages: evidence.items.count) }

  /// A small pack cannot tell whether passages answer, and what it makes of them keeps a person waiting: they are quoted at once.
  func wants(_ pack: Pack?) -> Bool { evidence.items.isEmpty || (pack?.parameters ?? 0) >= Verdict.least }

  /// From so many parameters on a pack answers in its own words. One of 1.5 billion invents an answer to nearly every question that
  /// has none, of words that are all in the passages (Benchmarks/answers.md): it is asked for its verdict, and they are quoted.
  static let ownWords: Int64 = 3_000_000_000

  func quoted(_ mode: Mode) -> Quoted? { quoted(mode, evidence.finding) }

  private func quoted(_ mode: Mode, _ finding: Finding) -> Quoted? {
    let parts = quotes(mode).map(AnswerPart.quoted)
    guard !parts.isEmpty else { return nil }
    let (short, words) = (evidence.short, FindingWords.of(turn.asked))
    let lead = finding == .probably ? evidence.unsaid.map(words.maybeWithout) ?? words.maybe : nil
    let text = [lead, short, AnswerPart.text(of: parts)].compactMap(\.self)
    return Quoted(
      parts: parts, text: (text + evidence.unanswered.map(words.nothingFor)).joined(separator: "\n\n"), short: short)
  }

  func quotes(_ mode: Mode) -> [Quote] {
    Quoting.quotes(from: evidence.keys, for: evidence.profile, mode == .deep ? .deep : .fast)
  }

  // MARK: With a model

  func write(with writer: Writer, _ limits: Limits, _ draft: inout Draft) async throws {
    let writes = evidence.items.isEmpty || writer.author.parameters >= Self.ownWords
    draft.prompt.evidence = try await shown(to: writer, limits, &draft.record, whole: writes)
    // Where nothing is written but a verdict, it is asked without what the person wants of answers.
    let prompt = Prompt(
      mode: draft.record.mode, instructions: writes ? await turn.instructions : nil,
      turns: (writes ? history : []) + [draft.prompt])
    if !evidence.items.isEmpty {
      do { try await judge(&draft, by: writer, prompt) } catch is CancellationError {
        draft.record.stopped = true
        return
      }
      if draft.record.finding == .notThere {
        return try await withhold(&draft, because: "\(writer.author.name) finds no answer in it")
      }
      guard writes else { return quote(&draft) }
    }
    draft.record.dropped += evidence.unanswered.map {
      DropNote(what: "an answer to \"\($0)\"", reason: "nothing was found for it")
    }
    let collector = Collector(turn, Tying(evidence))
    let written = try await writer.write("an answer", request(prompt, limits), through: collector, &draft.record)
    draft.take(written)
    draft.parts = written.sentences.map(AnswerPart.written)
    if draft.record.mode == .deep, !evidence.items.isEmpty, !written.stopped {
      try await repair(&draft, with: writer)
    }
  }

  private func judge(_ draft: inout Draft, by writer: Writer, _ prompt: Prompt) async throws {
    // Of several things it would say no because of one.
    guard evidence.unanswered.isEmpty, let verdict = try await writer.verdict(on: prompt) else { return }
    draft.record.finding = verdict.finding(evidence.finding)
    draft.record.signals?["verdict"] = (verdict.yes * 1000).rounded() / 1000
    turn.phases.end("the pack's verdict")
  }

  /// The documents' own words, after a pack's verdict on them.
  private func quote(_ draft: inout Draft) {
    guard let quoted = quoted(draft.record.mode, draft.record.finding ?? .found) else { return }
    draft.parts = quoted.parts
    draft.record.provider = ProviderKind.extractive.rawValue
    draft.record.answer = quoted.text
    draft.record.short = quoted.short
    if let short = quoted.short { turn.emit(Ask.Event(short: short)) }
    turn.show(draft.parts, from: evidence)
    turn.emit(Ask.Event(piece: quoted.text))
  }

  /// The evidence as the model is shown it, within the budget of tokens; what was left out is noted. `whole`: its passages; else
  /// their best sentences.
  private func shown(
    to writer: Writer, _ limits: Limits, _ record: inout AnswerRecord, whole: Bool
  ) async throws -> [Prompt.Evidence] {
    guard !evidence.items.isEmpty else { return [] }
    let (budget, all) = (writer.evidence(limits), whole ? evidence.whole : evidence.best)
    let kept = Evidence.fitting(try await writer.countTokens(all.map(\.text)), budget.value)
    if whole, kept.count < all.count {
      record.dropped.append(DropNote(what: Counted.words(all.count - kept.count, "passage"), reason: budget.reason))
    }
    return kept.map { all[$0] }
  }

  private func request(_ prompt: Prompt, _ limits: Limits) -> GenerateRequest {
    var request = GenerateRequest(.chat(prompt.messages))
    request.maximumTokens = .max
    request.contextTokens = limits.contextTokens.value
    request.overflow = .dropOldest
    if prompt.turns.last?.evidence.isEmpty != false {
      // Talk has nothing to copy from, and small packs go in circles: what was just said is made less likely. The likeliest word
      // still counts, for chance leads a small pack astray with the first one.
      request.sampling.repeatPenalty = 1.1
    }
    return request
  }
}

extension Citation {
  /// How the evidence is called in the prompt.
  var label: String { page.map { "\(title), page \($0)" } ?? title }
}
