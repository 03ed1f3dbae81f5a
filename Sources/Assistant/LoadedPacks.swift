import Commands
import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Synchronization
import Workers

/// The packs in memory: admitted by the governor, measured once, at work in their turn, and let go.
actor LoadedPacks {
  private let packs: PackStore
  private let settings: CurrentSettings
  private let governor: Governor
  private let scheduler: Scheduler
  private let claims: Claims
  private let host: WorkerHost
  private let errors: ErrorLog
  private let cards: GraphicsCards
  private let prompts: KeptPrompts
  /// How often a pack has left memory: a searcher may have been made with it.
  private nonisolated let left = Atomic(0)
  private var models: [String: TextModel] = [:]
  private var tuning: Tuning
  /// What each pack reads before it is asked.
  private var readings: [String: Task<Void, Never>] = [:]
  /// The packs that compute now, and for how many; who speaks meanwhile, by session; whether packs have been told to leave them cores.
  private var atWork: [String: Int] = [:]
  private var speaking: [String: Hearing] = [:]
  private var leavesCores = false

  init(
    _ packs: PackStore, _ settings: CurrentSettings, _ governor: Governor, _ scheduler: Scheduler, _ claims: Claims,
    on host: WorkerHost, _ errors: ErrorLog, _ cards: GraphicsCards, tuning: URL, prompts: URL
  ) {
    (self.packs, self.settings, self.governor, self.scheduler) = (packs, settings, governor, scheduler)
    (self.claims, self.host, self.errors, self.cards) = (claims, host, errors, cards)
    self.tuning = Tuning(tuning)
    self.prompts = KeptPrompts(prompts) { error in Task { await errors.note(error, in: "kept prompts") } }
  }

  // MARK: Loading

  /// The pack's model, loaded; admitted by the governor first. A pack whose files are not what was installed is refused, and no
  /// longer used where it was loaded. `measuring`: a chat pack that was not measured yet is, first. `progress` runs from 0 to 1 while it loads, `notice` says what
  /// else is done meanwhile.
  func model(
    _ status: PackStatus, limits: Limits, measuring: Bool = true,
    notice: @escaping @Sendable (String) -> Void = { _ in },
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> TextModel {
    let id = status.pack.id
    let claim = "pack \(id)"
    try await claims.hold(claim)
    defer { claims.release(claim) }
    await stopReadingAhead(id)
    do { try await packs.check(id) } catch {
      await unload(id)
      throw error
    }
    let card = await cards.look()
    tuning.card = cards.used?.name
    let isChat = status.pack.kind == .chat
    let wanted = isChat ? max(limits.contextTokens.value, Fit.smallestContext) : status.pack.context
    if let model = try await kept(status.pack, wanted: wanted, limits) { return model }
    let fit = try packs.fit(id, context: wanted)
    let measures = isChat && measuring ? await needsTuning(id) : false
    let request = loadRequest(
      status.pack, contextTokens: fit.fits ? min(fit.context, wanted) : Fit.smallestContext, measures: measures,
      on: card)
    let footprint = UInt64(max(0, fit.footprintBytes))
    let model = try TextModel(
      pack: packs.weights(of: id), adapters: Self.adapters(beside: id), request: request, footprintBytes: footprint,
      prompts: isChat ? prompts : nil, on: host,
      onCardFailure: { [cards] reason in Task { await cards.fail(reason) } })
    try await governor.admit(id, bytes: footprint)
    models[id] = model
    do {
      for try await event in model.load() {
        if case .progress(let share) = event { progress(share) }
      }
      if measures {
        notice("measuring how this pack computes fastest here, once")
        try await tune(id, model, seconds: 3) { _ in }
      }
    } catch {
      await model.unload()
      await governor.unloaded(id)
      forget(model, of: id)
      throw error
    }
    progress(1)
    // Beside busy programs another way may be the quickest than on this device alone, so it is not kept then.
    let isQuiet = await governor.state.reading.processorStalled ?? 0 <= Crowd.most
    if let info = await model.info { try learn(info, of: id, keeping: measuring && isQuiet, notice) }
    await governor.loaded(id, process: model.process) { [weak self] why in
      // First of all: nobody is given a model that is about to go.
      await self?.forget(model, of: id)
      await model.unload(keeping: !why.isUrgent)
    }
    return model
  }

  /// The one that is loaded; nil where none is, or where a conversation needs more context than it has, there is room for it, and
  /// nobody uses it: it then has left memory.
  private func kept(_ pack: Pack, wanted: Int, _ limits: Limits) async throws -> TextModel? {
    guard let model = models[pack.id], let info = await model.info else { return nil }
    let grows = pack.kind == .chat && info.contextTokens < min(wanted, info.trainedContextTokens, pack.context)
    let hasRoom = try grows && packs.fit(pack.id, context: wanted).context > info.contextTokens
    let isUsed = await governor.isUsed(pack.id)
    guard hasRoom, !isUsed, limits.loads.value else { return model }
    await unload(pack.id)
    return nil
  }

  /// What works beside a pack in its worker: the commands' reader and what questions are near to beside the vectors of documents, the
  /// judge beside conversations.
  private static func adapters(beside id: String) -> KeyValuePairs<AdapterUse, URL> {
    switch id {
    case IntentModel.encoderPack: [.words: IntentModel.adapterFile, .questions: PackEmbedder.questionAdapter]
    case PackEmbedder.mappedPack: [.questions: PackEmbedder.questionMap]
    case JudgePack.id: [.judging: Judged.adapterFile]
    default: [:]
    }
  }

  /// What a worker says once it has loaded a pack. `keeping`: the threads it has chosen are used from now on.
  private func learn(_ info: ModelInfo, of id: String, keeping: Bool, _ notice: (String) -> Void) throws {
    if cards.used != nil, info.card == nil { notice("computes on \(info.backend)") }
    guard keeping, settings.now.threads == nil, tuning[id].threads == nil else { return }
    try tuning.keep(for: id) { $0.threads = info.threads }
  }

  private func loadRequest(
    _ pack: Pack, contextTokens: Int, measures: Bool, on card: GraphicsCards.State
  ) -> LoadRequest {
    let settings = settings.now
    var request = LoadRequest(contextTokens: contextTokens)
    tuning[pack.id].apply(to: &request)
    if measures { request.threads = Device.current.cores }
    request.threads = settings.threads ?? request.threads
    request.microBatch = settings.microBatch ?? request.microBatch
    request.kvType = settings.kvType ?? request.kvType
    request.flashAttention = settings.flashAttention ?? request.flashAttention
    request.embeddings = pack.kind == .embed
    // Where none is used a worker needs no seal that reaches one.
    switch card {
    case .used: request.gpu = true
    case .absent(let reason): request.cardRefusal = reason
    case .failed(let reason): request.cardRefusal = "the graphics card failed: \(reason)"
    }
    return request
  }

  /// What was loaded in its place meanwhile stays.
  private func forget(_ model: TextModel, of id: String) {
    if models[id] === model { models[id] = nil }
    left.add(1, ordering: .relaxed)
  }

  /// `keeping`: what it has read of a conversation is there again when it is loaded the next time.
  func unload(_ id: String, keeping: Bool = true) async {
    left.add(1, ordering: .relaxed)
    await stopReadingAhead(id)
    await models.removeValue(forKey: id)?.unload(keeping: keeping)
    await governor.unloaded(id)
  }

  func unloadAll(keeping: Bool) async {
    for id in Set(models.keys).union(readings.keys) { await unload(id, keeping: keeping) }
  }

  /// Nothing that was read of conversations and documents is kept on the disk.
  func forgetPrompts() throws { try prompts.forget() }

  nonisolated var now: Int { prompts.now }

  nonisolated var unloads: Int { left.load(ordering: .relaxed) }

  // MARK: Measuring

  /// Prompt tokens per second that a pack reads now, as measured on this device or as the catalogue expects: what the evidence
  /// budget goes by.
  func readingSpeed(of pack: Pack) -> Double? { tuning[pack.id].promptSpeed ?? pack.throughput?.prompt }

  /// A speed that cannot be kept is no reason to lose the answer it was measured with.
  func measured(readingSpeed: Double, of id: String) async {
    do { try tuning.keep(for: id) { $0.read(at: readingSpeed) } } catch { await errors.note(error, in: "tuning") }
  }

  func measurements(of id: String) -> Tuning.Entry { tuning[id] }

  func forgetMeasurements() throws { try tuning.forget() }

  /// A pack is measured at its first load, unless the person has said how it is to compute; again at a later one if others
  /// were in the way then and are not now.
  private func needsTuning(_ id: String) async -> Bool {
    guard settings.now.threads == nil else { return false }
    guard tuning[id].best != nil else { return true }
    guard tuning[id].isProvisional == true else { return false }
    return Crowd.doubt(before: await governor.state.reading.processorStalled, after: nil) == nil
  }

  /// Measures, keeps what was found and goes on with it. `doubt`: why it is to be measured again.
  @discardableResult
  private func tune(
    _ id: String, _ model: TextModel, seconds: Double, atLeast: Int = 1, row: @Sendable (TuneRow) -> Void
  ) async throws -> (best: TuneRow, doubt: String?) {
    let wanted = TuneRequest(seconds: seconds, processors: Device.current.cores, atLeast: atLeast)
    await governor.observe()
    let before = await governor.state.reading.processorStalled
    let best = try await model.tune(wanted, row: row)
    await governor.observe()
    let doubt = Crowd.doubt(before: before, after: await governor.state.reading.processorStalled)
    try tuning.keep(for: id) {
      ($0.best, $0.threads) = (best, best.threads)
      $0.read(at: best.promptTokensPerSecond)
      $0.isProvisional = doubt == nil ? nil : true
    }
    return (best, doubt)
  }

  /// The long measurement that a person asked for.
  func retune(
    _ status: PackStatus, limits: Limits, row: @escaping @Sendable (TuneRow) -> Void
  ) async throws -> (best: TuneRow, doubt: String?) {
    let id = status.pack.id
    return try await computing("measuring", on: id, .person, cores: Device.current.cores) { [self] in
      // What is kept until now stands in for the short measurement of a first load.
      if await needsTuning(id) { try await keepUntuned(id) }
      return try await tune(id, model(status, limits: limits), seconds: 30, atLeast: 3, row: row)
    }
  }

  private func keepUntuned(_ id: String) throws {
    try tuning.keep(for: id) {
      $0.best = TuneRow(threads: Device.current.cores, microBatch: 512, kvType: .f16)
      $0.isProvisional = nil
    }
  }

  // MARK: At work

  /// Computes with a pack: in its turn, and with the pack kept in memory meanwhile. It begins anew where it was cut short, as an
  /// import is for whatever is more urgent, and what a program asks for is for the person.
  nonisolated func computing<Value: Sendable>(
    _ name: String, on pack: String, _ priority: Priority, cores: Int,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // Whoever speaks shares the cores with an answer; an import stands aside.
    let shares = priority > .indexing ? 1 : 0
    return try await scheduler.runAnew(name, priority, cores: cores) { [self] in
      await computes(pack, by: shares)
      return try await finishing {
        try await governor.using(pack, body)
      } then: {
        await computes(pack, by: -shares)
      }
    }
  }

  /// While a person reads an answer, its pack reads what the next question will begin with. Whoever needs the pack first ends this.
  /// `moment`: what was looked up then (`now`) and is read outlives the pack's stay in memory, unless something was deleted since.
  func readAhead(
    _ request: GenerateRequest, answer: String, with model: any WritingModel, of pack: String, keeping moment: Int?
  ) {
    guard case .chat(let messages, let tools) = request.input else { return }
    var next = request
    let (before, begun) = Message.begun(messages)
    next.input = .chat(before + [Message(.assistant, begun + [.untrusted(answer)])], tools: tools)
    readings[pack]?.cancel()
    readings[pack] = Task { [scheduler, governor, errors, next] in
      do {
        try await scheduler.run("what a next question begins with", .indexing, cores: 1) { _ in
          try await governor.using(pack) {
            if await model.info != nil { try await model.readAhead(next, keeping: moment) }
          }
        }
      } catch { await errors.note(error, in: "reading ahead") }
    }
  }

  private func stopReadingAhead(_ pack: String) async {
    guard let reading = readings.removeValue(forKey: pack) else { return }
    reading.cancel()
    await reading.value
  }

  private func computes(_ pack: String, by delta: Int) async {
    atWork[pack, default: 0] += delta
    if atWork[pack] == 0 { atWork[pack] = nil }
    await shareCores()
  }

  /// Somebody speaks from now on, or no longer.
  func hears(_ hearing: Hearing?, from session: String) async {
    speaking[session] = hearing
    await shareCores()
  }

  /// Whoever speaks waits for nobody, so that for once two compute side by side: each then has its share of the cores.
  private func shareCores() async {
    let crowded = Crowd.isDense(await governor.state.reading.processorStalled)
    let coreShare = CoreShare(
      cores: Device.current.cores, listens: !speaking.isEmpty, writes: !atWork.isEmpty, crowded: crowded)
    for hearing in speaking.values { hearing.share(threads: coreShare.speech) }
    guard leavesCores || coreShare.answer > 0 else { return }
    leavesCores = coreShare.answer > 0
    for model in models.values {
      // Fails only where the worker has gone, and that needs no cores.
      do { try await model.adjust(GenerateAdjustment(threads: coreShare.answer)) } catch { continue }
    }
  }
}

/// How many threads an answer and a dictation have while both compute; 0 for an answer that is alone: as many as it likes.
struct CoreShare: Equatable {
  var answer = 0
  var speech: Int

  /// Among other programs one thread hears sooner than two that wait for each other: 1.2 s instead of 6.6 for one sentence.
  init(cores: Int, listens: Bool, writes: Bool, crowded: Bool = false) {
    let half = max(1, cores / 2)
    (answer, speech) = listens && writes ? (max(1, cores - half), half) : (0, cores)
    if crowded { speech = 1 }
  }
}
