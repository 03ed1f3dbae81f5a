import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Storage

/// One turn from question to answer: kind, evidence, provider, prompt, stream, ties, record. Every fallback on the way is part
/// of the record.
struct Turn: Sendable {
  let input: Ask.Input
  let house: House
  let emit: @Sendable (Ask.Event) -> Void
  let began = ContinuousClock.now
  let phases = Phases()

  init(_ input: Ask.Input, in house: House, emit: @escaping @Sendable (Ask.Event) -> Void) {
    self.input = input
    self.house = house
    self.emit = emit
  }

  func run() async throws {
    // A pack that is not known is a mistake to be told, not one more provider that cannot.
    if let id = input.pack { _ = try house.packs.status(of: id) }
    let usual = await house.settings.mode
    let wanted = input.mode ?? usual
    let limits = await house.governor.limits(wanted, promptSpeed: await house.promptSpeed(asked: input.pack))
    let history = await house.turns(of: input.conversation)
    let kind = try await kind()
    var record = AnswerRecord(
      task: kind, question: input.question, provider: "", pack: nil, mode: limits.mode.value)
    record.limits = limits.inForce.map(LimitNote.init)
    if kind == .documents, let completed = FollowUp.completed(input.question, after: history.map(\.question)) {
      record.completedQuestion = completed
      emit(Ask.Event(completed: completed))
    }

    if kind == .wholeDocument { return try await workThrough(record, limits, history) }
    if kind == .transform { return try await transform(record, limits, history) }
    var evidence = Evidence()
    if kind == .documents {
      evidence = try await consult(&record, limits)
      if try await tallied(evidence, record) { return }
      if evidence.abstains { return try await abstain(evidence, record) }
    }

    let pack = await chatPack(limits)
    try await answer(await chain(pack, limits, evidence), pack, limits, history, evidence, record)
  }

  /// With the first provider that can; one that cannot after all is passed over, with its reason.
  private func answer(
    _ chain: [Availability], _ pack: Result<PackStatus, any Error>, _ limits: Limits, _ history: [Prompt.Turn],
    _ evidence: Evidence, _ unfinished: AnswerRecord
  ) async throws {
    var record = unfinished
    let usual = await house.settings.provider
    let choice = ProviderChoice.choose(chain, pinned: input.provider ?? usual)
    record.limits += choice.notes
    record.provider = choice.provider.rawValue
    if !record.limits.isEmpty { emit(Ask.Event(limits: record.limits)) }
    if choice.provider != .local { try await house.tellIfGated() }

    switch (choice.provider, pack) {
    case (.local, .success(let status)):
      record.pack = status.pack.id
      do { try await write(with: status, limits, history, evidence, record) } catch {
        guard let reason = await house.failing(status.pack.id, error) else { throw error }
        let passed = chain.map { $0.provider == .local ? Availability(.local, available: false, reason: reason) : $0 }
        try await answer(passed, pack, limits, history, evidence, unfinished)
      }
    case (.extractive, _):
      try await quote(evidence, record)
    default:
      let answer = Templates.answer(chain, evidence: evidence)
      try await conclude(Prompt.Turn(question: input.question), answer, record)
    }
  }

  // MARK: Evidence

  private func kind() async throws -> TurnKind {
    if let task = input.task { return task }
    let documents = try await house.vault.documents.list(collection: input.collection)
    return TurnRecognition.kind(
      of: input.question,
      .init(
        hasDocuments: documents.contains { $0.state != .failed },
        titles: documents.flatMap { [$0.title, ($0.name as NSString).lastPathComponent] },
        isSingle: documents.count == 1)
    )
  }

  private func consult(_ record: inout AnswerRecord, _ limits: Limits) async throws -> Evidence {
    let scope: Scope = input.collection.map { .collections([$0]) } ?? .everything
    var evidence = try await Evidence.find(record.completedQuestion, in: scope, limits: limits, house: house)
    record.timings.retrieveMs = began.msUntilNow
    record.timings.firstEvidenceMs = began.msUntilNow
    phases.end("find evidence")
    record.retrievalUsed = true
    record.passagesConsulted = evidence.items.count
    if evidence.searched.count > 1 { record.searched = evidence.searched }
    // Shown at once; what its sentences are worth is found out while it is read.
    emit(Ask.Event(evidence: evidence.items.map(\.citation)))
    if !evidence.items.isEmpty {
      try await evidence.weigh(with: house.finder(), meaning: limits.embedding.value, limits.mode.value)
      phases.end("weigh its sentences")
    }
    if input.explain == true { emit(Ask.Event(considered: evidence.considered)) }
    record.abstained = evidence.abstains
    record.confidence = evidence.confidence.map { ($0 * 1000).rounded() / 1000 }
    record.signals = Dictionary(uniqueKeysWithValues: zip(Signals.names, evidence.signals.values))
    record.citations = evidence.items.prefix(evidence.abstains ? 3 : .max).map(\.citation)
    record.dropped += evidence.notes
    if let unready = try await house.unready(in: input.collection) {
      record.dropped.append(DropNote(what: "documents", reason: unready))
    }
    if evidence.abstains { record.provider = ProviderKind.templates.rawValue }
    return evidence
  }

  private func quote(_ evidence: Evidence, _ record: AnswerRecord) async throws {
    var record = record
    let quotes = Quoting.quotes(from: evidence.keys, for: evidence.sought, record.mode == .deep ? .deep : .fast)
    let tying = Tying(evidence, of: quotes)
    for sentence in tying.sentences { emit(Ask.Event(sentence: Tying.shown(sentence))) }
    (record.sentences, record.citations) = try await tying.finish(Citing(shelf: house.vault.documents))
    try await conclude(Prompt.Turn(question: input.question), quotes.map(\.text).joined(separator: "\n\n"), record)
  }

  /// No sure answer: what is nearest is quoted where it may be worth reading, and said to be no more than that.
  private func abstain(_ evidence: Evidence, _ record: AnswerRecord) async throws {
    var record = record
    let isNear = (evidence.confidence ?? 0) >= Abstention.worthReading
    let quotes = isNear ? Quoting.quotes(from: evidence.keys, for: evidence.sought, .nearest) : []
    var text = Abstaining.answer(evidence)
    if !quotes.isEmpty {
      let tied = try await Tying(evidence, of: quotes).finish(Citing(shelf: house.vault.documents))
      (record.sentences, record.citations) = (tied.sentences, Array(tied.citations.prefix(3)))
      text = ([Abstaining.unsure(evidence)] + quotes.map(\.text)).joined(separator: "\n\n")
    }
    try await conclude(Prompt.Turn(question: input.question), text, record)
  }

  /// Ends the turn with a text that no model wrote.
  func conclude(_ turn: Prompt.Turn, _ answer: String, _ record: AnswerRecord) async throws {
    var record = record
    record.answer = answer
    emit(Ask.Event(piece: answer))
    try await keep(turn, record)
  }

  func keep(_ turn: Prompt.Turn, _ record: AnswerRecord) async throws {
    var (turn, record) = (turn, record)
    record.timings.totalMs = began.msUntilNow
    turn.answer = record.answer
    record.id = try await house.remember(turn, record, in: input.conversation)
    phases.end("keep")
    await house.trace(phases, record)
    emit(Ask.Event(done: record))
  }

  // MARK: Who answers

  func chatPack(_ limits: Limits) async -> Result<PackStatus, any Error> {
    await house.chatPackNow(input.pack, limits)
  }

  func chain(_ pack: Result<PackStatus, any Error>, _ limits: Limits, _ evidence: Evidence) async -> [Availability] {
    await house.chain(pack, limits, passages: evidence.items.count)
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

extension LimitNote {
  init(_ entry: LimitEntry) { self.init(what: entry.what, value: entry.value.text, reason: entry.reason) }
}

extension ContinuousClock.Instant {
  var msUntilNow: Double { (ContinuousClock.now - self).seconds * 1000 }
}
