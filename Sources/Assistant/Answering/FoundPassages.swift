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
    guard found.evidence.abstains else { return .material(found) }
    return .answer(try await found.abstain(&record))
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
    record.abstained = evidence.abstains
    record.confidence = evidence.confidence.map { ($0 * 1000).rounded() / 1000 }
    record.signals = Dictionary(uniqueKeysWithValues: zip(Signals.names, evidence.signals.values))
    record.citations = evidence.items.prefix(evidence.abstains ? 3 : .max).map(\.citation)
    record.dropped += evidence.notes
    if let unready = try await house.unready(in: input.collection) {
      record.dropped.append(DropNote(what: "documents", reason: unready))
    }
    return evidence
  }

  /// No sure answer: what is nearest is quoted where it may be worth reading, and said to be no more than that.
  private func abstain(_ record: inout AnswerRecord) async throws -> String {
    guard (evidence.confidence ?? 0) >= Abstention.worthReading else { return Abstaining.answer(evidence) }
    let quotes = Quoting.quotes(from: evidence.keys, for: evidence.sought, .nearest)
    guard !quotes.isEmpty else { return Abstaining.answer(evidence) }
    let tying = Tying(evidence, of: quotes.map(AnswerPart.quoted))
    let tied = try await tying.finish(Citing(shelf: turn.house.documents))
    (record.sentences, record.citations) = (tied.sentences, Array(tied.citations.prefix(3)))
    return ([Abstaining.unsure(evidence)] + quotes.map(\.text)).joined(separator: "\n\n")
  }

  // MARK: Without a model

  var quoting: Availability { .extractive(passages: evidence.items.count) }

  func quoted(_ mode: Mode) -> Quoted? {
    let parts = quotes(mode).map(AnswerPart.quoted)
    return parts.isEmpty ? nil : Quoted(parts: parts, text: AnswerPart.text(of: parts))
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

/// The answer when the documents hold none: what was looked for, what is nearest, what to try.
enum Abstaining {
  /// What stands above the nearest, where it may be worth reading.
  static func unsure(_ evidence: Evidence) -> String {
    let missing = evidence.lacking.map { ": what is nearest says nothing of \"\($0)\"" } ?? ""
    return "A sure answer is not in your documents\(missing). The nearest they say is:"
  }

  static func answer(_ evidence: Evidence) -> String {
    guard let nearest = evidence.items.first?.citation else {
      return
        "This is not in your documents. Nothing in them is near to it. Try other words, or import what should hold it."
    }
    let page = nearest.page.map { ", page \($0)" } ?? ""
    return "This is not in your documents. The nearest passage is in \(nearest.title)\(page). "
      + "Try other words, or import what should hold it."
  }
}

extension Citation {
  /// How the evidence is called in the prompt.
  var label: String { page.map { "\(title), page \($0)" } ?? title }
}
