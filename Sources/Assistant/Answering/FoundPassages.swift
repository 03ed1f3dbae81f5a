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
    if let completed = FollowUp.completed(turn.input.question, after: history.map(\.question)) {
      record.completedQuestion = completed
      turn.emit(Ask.Event(completed: completed))
    }
    let found = FoundPassages(turn: turn, history: history, evidence: try await consult(turn, &record, limits))
    if let tallied = try await turn.tallied(found.evidence, &record) { return .answer(tallied) }
    guard found.evidence.finding == .notThere else { return .material(found) }
    return .answer(FindingWords.of(turn.input.question).answer(found.evidence))
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
    record.passagesConsulted = evidence.items.count
    if evidence.searched.count > 1 { record.searched = evidence.searched }
    // Shown at once; what its sentences are worth is found out while it is read.
    turn.emit(Ask.Event(evidence: evidence.items.map(\.citation)))
    if !evidence.items.isEmpty {
      try await evidence.weigh(with: house.finder(), meaning: limits.embedding.value, limits.mode.value)
      turn.phases.end("weigh its sentences")
    }
    if input.explain == true { turn.emit(Ask.Event(considered: evidence.considered)) }
    record.finding = evidence.finding
    record.confidence = evidence.confidence.map { ($0 * 1000).rounded() / 1000 }
    record.signals = evidence.signals.named
    record.citations = evidence.items.prefix(evidence.finding == .notThere ? 3 : .max).map(\.citation)
    record.dropped += evidence.notes
    if let unready = try await house.unready(in: input.collection) {
      record.dropped.append(DropNote(what: "documents", reason: unready))
    }
    return evidence
  }

  // MARK: Without a model

  var quoting: Availability { .extractive(passages: evidence.items.count) }

  /// Where it is not sure that anything answers, a pack that is held to the best sentences adds nothing to their quotation.
  func wants(_ pack: Pack?) -> Bool { evidence.finding != .probably || (pack?.parameters ?? 0) >= Gate.ownWords }

  func quoted(_ mode: Mode) -> Quoted? {
    let parts = quotes(mode).map(AnswerPart.quoted)
    guard !parts.isEmpty else { return nil }
    let lead = evidence.finding == .probably ? [FindingWords.of(turn.input.question).maybe] : []
    return Quoted(parts: parts, text: (lead + [AnswerPart.text(of: parts)]).joined(separator: "\n\n"))
  }

  func quotes(_ mode: Mode) -> [Quote] {
    Quoting.quotes(from: evidence.keys, for: evidence.sought, mode == .deep ? .deep : .fast)
  }

  // MARK: With a model

  func write(with writer: Writer, _ limits: Limits, _ draft: inout Draft) async throws {
    let gate = Gate(evidence, isStrict: writer.pack.parameters < Gate.ownWords)
    draft.prompt.evidence = try await shown(to: writer, limits, &draft.record, narrowly: gate.isStrict)
    let prompt = Prompt(mode: draft.record.mode, turns: history + [draft.prompt])
    let collector = Collector(turn, Tying(evidence), gate)
    let request = request(prompt, limits, isStrict: gate.isStrict)
    var written = try await writer.write("an answer", request, through: collector, &draft.record)
    written.isComposed = gate.isStrict
    draft.take(written)
    draft.parts = written.sentences.map(AnswerPart.written)
    if draft.record.mode == .deep, !gate.isStrict, !evidence.items.isEmpty, !written.stopped {
      try await repair(&draft, with: writer)
    }
  }

  /// The evidence as the model is shown it, within the budget of tokens; what was left out is noted.
  private func shown(
    to writer: Writer, _ limits: Limits, _ record: inout AnswerRecord, narrowly: Bool
  ) async throws -> [Prompt.Evidence] {
    guard !evidence.items.isEmpty else { return [] }
    let (budget, nearest) = (limits.evidenceTokens, narrowly ? evidence.nearest : [])
    let texts = narrowly ? nearest.map { evidence.keys.candidates[$0].text } : evidence.whole.map(\.text)
    let kept = Evidence.fitting(try await writer.countTokens(texts), budget.value)
    if kept.count < texts.count {
      let count = texts.count - kept.count
      record.dropped.append(
        DropNote(what: narrowly ? Words.sentences(count) : Words.passages(count), reason: budget.reason))
    }
    guard narrowly else { return kept.map { evidence.whole[$0] } }
    let far = evidence.items.count - Set(nearest.map { evidence.keys.candidates[$0].passage }).count
    if far > 0 {
      record.dropped.append(
        DropNote(
          what: Words.passages(far),
          reason: "a pack of this size is shown only what stands around the nearest sentences")
      )
    }
    return evidence.shown(kept.map { nearest[$0] })
  }

  private func request(_ prompt: Prompt, _ limits: Limits, isStrict: Bool) -> GenerateRequest {
    var request = GenerateRequest(.chat(prompt.messages))
    request.maximumTokens = isStrict ? (prompt.mode == .deep ? 160 : 80) : .max
    request.contextTokens = limits.contextTokens.value
    request.overflow = .dropOldest
    if prompt.turns.last?.evidence.isEmpty != false {
      // Talk has nothing to copy from: a little variety keeps small packs out of loops. With evidence the likeliest word
      // counts.
      request.sampling.temperature = 0.2
      request.sampling.topP = 0.9
      request.sampling.repeatPenalty = 1.1
    }
    return request
  }
}

extension Citation {
  /// How the evidence is called in the prompt.
  var label: String { page.map { "\(title), page \($0)" } ?? title }
}
