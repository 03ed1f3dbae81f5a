import Core
import Foundation
import Inference
import Models
package import Resources
import Retrieval
import Storage

/// One turn from question to stored answer, the same way for every kind: read, choose a provider, load, write, check, fall back
/// with a reason, keep. What the kinds differ in is their `Material`.
struct Turn: Sendable {
  let input: Ask.Input
  /// The question as far as it is taken apart.
  let asked: String
  let house: any TurnHouse
  let emit: @Sendable (Ask.Event) -> Void
  /// When its conversation was looked up, by `LoadedPacks.now`; nil: nothing that is read for it is kept.
  let moment: Int?
  let began = ContinuousClock.now
  let phases: Phases

  init(
    _ input: Ask.Input, in house: any TurnHouse, since moment: Int? = nil, emit: @escaping @Sendable (Ask.Event) -> Void
  ) {
    (self.input, self.moment) = (input, moment)
    asked = LongQuestion.asked(input.question)
    self.house = house
    self.emit = emit
    phases = Phases(house.signposts)
  }

  /// What the person tells every answer.
  var instructions: String? { get async { await house.settings.instructions(for: Caller.asking) } }

  func run() async throws {
    defer { phases.over() }
    let limits = await house.limits(input.mode, for: input)
    await house.prewarm(limits.mode.value, for: input)
    let history = await house.turns(of: input.conversation)
    var record = AnswerRecord(
      task: try await kind(), question: input.question, provider: ProviderKind.templates.rawValue, pack: nil,
      mode: limits.mode.value)
    record.take(limits)
    switch try await read(&record, limits, history) {
    case .material(let material): try await answer(material, limits, record)
    case .answer(let text): try await conclude(text, Draft(record, question: input.question))
    }
  }

  // MARK: Read

  private func kind() async throws -> TurnKind {
    if let task = input.task { return task }
    let (isSingle, isReadable) = try await house.documents.presence(collection: input.collection)
    var situation = TurnRecognition.Situation(hasDocuments: isReadable, isSingle: isSingle)
    if isReadable, TurnRecognition.mayMeanWhole(asked) {
      situation.titles = try await house.documents.titles(collection: input.collection).flatMap {
        [$0.title, ($0.name as NSString).lastPathComponent]
      }
    }
    return TurnRecognition.kind(of: asked, situation)
  }

  private func read(
    _ record: inout AnswerRecord, _ limits: Limits, _ history: [Prompt.Turn]
  ) async throws -> Findings {
    let told = await house.told(in: input.conversation)
    switch record.task {
    case .documents:
      let found = try await FoundPassages.read(for: self, &record, limits, history)
      return ToldWords.read(for: self, told, history, &record, found)
    case .wholeDocument: return try await WholeDocuments.read(for: self, &record, history)
    case .transform: return GivenText.read(for: self, told, history, &record)
    case .talk:
      return ToldWords.read(
        for: self, told, history, &record,
        .material(FoundPassages(turn: self, history: history, evidence: Evidence())))
    }
  }

  // MARK: Choose

  /// With the first provider that can. One that cannot after all is passed over: `lost` says why.
  private func answer(
    _ material: any Material, _ limits: Limits, _ unfinished: AnswerRecord, lost: [Availability] = [],
    hasWaited: Bool = false
  ) async throws {
    var record = unfinished
    var candidates = await house.candidates(input.pack, limits)
    candidates.lose(lost)
    let chain = candidates.chain(quoting: material.quoting)
    let usual = await house.settings.provider
    let pinned = input.provider ?? usual
    let choice = ProviderChoice.choose(chain, pinned: pinned)
    if choice.provider == .templates, pinned != .templates, candidates.local.isPassing, !hasWaited,
      let waited = try await awaitMemory(because: limits)
    {
      let now = await house.limits(input.mode, for: input)
      record.take(now)
      record.limits.append(waited)
      return try await answer(material, now, record, lost: lost, hasWaited: true)
    }
    record.limits += choice.notes
    if !record.limits.isEmpty { emit(Ask.Event(limits: record.limits)) }
    if choice.provider != .local, choice.provider != .platform { try await house.tellIfGated() }
    let provider = choice.provider == .local && !material.wants(candidates.pack?.pack) ? .extractive : choice.provider
    record.provider = provider.rawValue

    if let author = candidates.author(provider) {
      do { try await write(material, by: author, limits, record) } catch let gone as WriterLost {
        try await answer(material, limits, unfinished, lost: lost + gone.leaves(provider), hasWaited: hasWaited)
      }
    } else if provider == .extractive {
      try await quote(material, record)
    } else {
      let text = Templates.answer(chain, evidence: material.evidence)
      try await conclude(text, Draft(record, question: input.question))
    }
  }

  // MARK: Write and check

  private func write(
    _ material: any Material, by author: Author, _ limits: Limits, _ unfinished: AnswerRecord
  ) async throws {
    var draft = Draft(unfinished, question: input.question)
    draft.record.pack = author.pack?.id
    let writer = try await Writer(author, for: self, limits, &draft.record)
    let following = Task { await writer.governing.run() }
    defer { following.cancel() }
    let energy = EnergyMeter(house.governor)
    try await material.write(with: writer, limits, &draft)
    phases.end("write")
    draft.record.limits = await writer.governing.notes
    let changes = await writer.governing.changes
    draft.record.changes = changes.isEmpty ? nil : changes
    draft.record.timings.tokensPerJoule = await energy.tokensPerJoule(
      draft.record.timings.generatedTokens, house.governor)
    if author.pack != nil, !draft.record.stopped, draft.written.lost == nil { await house.counted() }
    // A task of its own: a stopped answer is checked and kept like any other.
    draft = try await Task { [draft] in
      var draft = draft
      try await material.check(&draft)
      if !draft.record.abstained { try await tie(&draft, to: material.evidence) }
      return draft
    }.value
    if !material.evidence.items.isEmpty { phases.end("check against the evidence") }
    try await keep(draft)
    if let pack = author.pack, input.conversation != nil, !draft.record.stopped, let request = draft.written.request {
      await house.readAhead(request, answer: draft.record.answer, with: writer.model, of: pack.id, keeping: moment)
    }
  }

  /// Ends the turn with words that no model wrote.
  private func quote(_ material: any Material, _ record: AnswerRecord) async throws {
    var draft = Draft(record, question: input.question)
    let quoted = material.quoted(record.mode)
    draft.parts = quoted?.parts ?? []
    draft.record.short = quoted?.short
    if let short = quoted?.short { emit(Ask.Event(short: short)) }
    show(draft.parts, from: material.evidence)
    try await tie(&draft, to: material.evidence)
    try await conclude(quoted?.text ?? "", draft)
  }

  /// The sentences with what they rest on, before they have citations.
  func show(_ parts: [AnswerPart], from evidence: Evidence) {
    for sentence in Tying(evidence, of: parts).sentences { emit(Ask.Event(sentence: Tying.shown(sentence))) }
  }

  /// The final sentences with their citations.
  private func tie(_ draft: inout Draft, to evidence: Evidence) async throws {
    guard !evidence.items.isEmpty else { return }
    let tying = Tying(evidence, of: draft.parts)
    (draft.record.sentences, draft.record.citations) = try await tying.finish(Citing(shelf: house.documents))
  }

  // MARK: Keep

  private func conclude(_ answer: String, _ draft: Draft) async throws {
    var draft = draft
    draft.record.answer = answer
    emit(Ask.Event(piece: answer))
    try await keep(draft)
  }

  private func keep(_ draft: Draft) async throws {
    var (prompt, record) = (draft.prompt, draft.record)
    record.timings.totalMs = began.msUntilNow
    prompt.answer = record.answer
    record.id = try await house.remember(prompt, record, in: input.conversation)
    phases.end("keep")
    await house.trace(phases, record)
    emit(Ask.Event(done: record))
  }
}

extension AnswerRecord {
  /// What the device allows it.
  mutating func take(_ limits: Limits) {
    mode = limits.mode.value
    self.limits = limits.inForce.map(LimitNote.init)
  }
}

extension LimitNote {
  package init(_ entry: LimitEntry) { self.init(what: entry.what, value: entry.words, reason: entry.reason) }
}
