import Core
package import Foundation
package import Safety
package import Workers

/// What comes back from `TextModel.generate`, in order: what is to be read, one prompt report, pieces of text (with log probabilities if asked
/// for), one report at the end.
public enum GenerationEvent: Sendable, Equatable {
  /// So many tokens of the prompt are about to be read, before anything can be written.
  case reading(Int)
  case prompt(PromptReport)
  case piece(String)
  /// What the model thinks before it answers; no part of the answer.
  case thought(String)
  case logprobs(TokenLogprobs)
  /// The graphics card was given up in the middle, for this reason; the processor goes on with the answer.
  case leftCard(String)
  case done(GenerateReport)
}

/// One pack in one worker. The first request starts and loads it; a worker that died is started again by the next
/// request; `unload` ends the process, and the memory with it.
package actor TextModel {
  package let pack: URL
  private let adapters: [URL]
  package let request: LoadRequest
  /// What the pack should take in memory; the worker may take somewhat more and is then ended. nil leaves it to the system.
  package let footprintBytes: UInt64?
  private let host: WorkerHost
  /// Where what was read of a conversation waits while this is out of memory; nil: it is read anew.
  let prompts: KeptPrompts?
  /// When the conversation of the person's that was read was looked up, if nothing was since. Programs' prompts are never written to the disk.
  var conversationRead: Int?
  /// Told once, why a card is used no longer.
  private let onCardFailure: @Sendable (String) -> Void
  /// Why no card is used any more.
  package private(set) var cardFailure: String?

  struct Loaded {
    var worker: Worker
    var info: ModelInfo
  }
  private var loaded: Loaded?
  private var loading: Task<Loaded, any Error>?
  private var waiting = 0
  private var watchers: [UUID: @Sendable (LoadEvent) -> Void] = [:]

  /// `request.embeddings` makes it an embed worker, otherwise it is a chat worker. Nothing is started yet.
  package init(
    pack: URL, adapters: KeyValuePairs<AdapterUse, URL> = [:], request: LoadRequest, footprintBytes: UInt64? = nil,
    prompts: KeptPrompts? = nil, on host: WorkerHost = .processes,
    onCardFailure: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.pack = pack
    self.adapters = adapters.map(\.value)
    var request = request
    request.adapters = adapters.map(\.key)
    self.request = request
    self.footprintBytes = footprintBytes
    self.prompts = prompts
    self.host = host
    self.onCardFailure = onCardFailure
  }

  /// With room for what no estimate knows: other libraries, long requests, attention without its shorter way.
  package static func mostBytes(for footprint: UInt64) -> UInt64 { footprint + footprint / 2 + (1 << 30) }

  /// More than any model has: room is made for so many numbers of each text.
  private static let mostDimensions = 1 << 16

  // MARK: The worker's life

  /// Starts and loads unless that is done; the last event is `.loaded`. Loading stops when nobody waits for it any more.
  package nonisolated func load() -> AsyncThrowingStream<LoadEvent, any Error> {
    streaming { emit in
      let watcher = UUID()
      await self.watch(watcher, emit)
      let info = try await finishing {
        try await self.ready().info
      } then: {
        await self.watch(watcher, nil)
      }
      emit(.loaded(info))
    }
  }

  /// `keeping`: what was read of a conversation is there again when this is loaded the next time.
  package func unload(keeping: Bool = false) async {
    loading?.cancel()
    loading = nil
    let before = loaded
    loaded = nil
    guard let before else { return }
    if keeping { await keepPrompt(of: before) }
    await before.worker.stop()
  }

  /// What the worker said when it had loaded; nil while none is loaded.
  package var info: ModelInfo? { loaded.flatMap { $0.worker.isAlive ? $0.info : nil } }
  package var seal: SealReport? { loaded.flatMap { $0.worker.isAlive ? $0.worker.seal : nil } }
  /// Bytes of memory the worker really holds; nil while none is loaded.
  package var footprint: UInt64? { loaded?.worker.footprint() }
  /// The worker's own process; nil while none is loaded, and for an engine in this program.
  package var process: Int32? { loaded.flatMap { $0.worker.isAlive && $0.worker.isProcess ? $0.worker.process : nil } }

  private func watch(_ watcher: UUID, _ emit: (@Sendable (LoadEvent) -> Void)?) { watchers[watcher] = emit }

  private func tell(_ event: LoadEvent) { for watcher in watchers.values { watcher(event) } }

  /// For a prompt of whomever.
  func readyForPrompt() async throws -> Loaded {
    let loaded = try await ready()
    conversationRead = nil
    return loaded
  }

  func ready() async throws -> Loaded {
    if let loaded, loaded.worker.isAlive { return loaded }
    loaded = nil
    let task = loading ?? Task { try await self.start() }
    loading = task
    waiting += 1
    defer {
      waiting -= 1
      if waiting == 0 { loading = nil }
    }
    return try await withTaskCancellationHandler {
      let result = try await task.value
      try Task.checkCancellation()
      return result
    } onCancel: {
      Task { await self.giveUp(task) }
    }
  }

  /// Called when one of those waiting is cancelled; the rest keep the load going.
  private func giveUp(_ task: Task<Loaded, any Error>) {
    if waiting <= 1, loading == task { task.cancel() }
  }

  private func start() async throws -> Loaded {
    var request = request
    if let cardFailure { request = Self.withoutCard(request, cardFailure) }
    do { return try await start(request) } catch {
      // Some drivers take the process with them.
      guard request.gpu, let reason = Self.blame(of: error) else { throw error }
      try Task.checkCancellation()
      leaveCard(reason)
      return try await start(Self.withoutCard(request, reason))
    }
  }

  private func start(_ request: LoadRequest) async throws -> Loaded {
    let kind = request.embeddings ? WorkerKind.embed : .chat
    let files = try ([pack] + adapters).map { url in
      do { return try FileHandle(forReadingFrom: url) } catch {
        throw InferenceError.packUnreadable(path: url.path, reason: "\(error.localizedDescription)")
      }
    }
    defer { withExtendedLifetime(files) {} }
    let descriptors = files.map(\.fileDescriptor)
    let most = footprintBytes.map(TextModel.mostBytes)
    // A GPU's driver maps memory of its own into the process, which would count.
    let seal = SealSpecification(
      request.gpu ? .gpuEngine : .engine, memoryBytes: request.gpu && GraphicsCard.isHere ? nil : most)
    let worker = try await host.start(kind, seal: seal, files: descriptors, mostBytes: most)
    do {
      var info: ModelInfo?
      for try await case .event(let data) in worker.call("load", request, files: descriptors) {
        let event = try JSON.decode(LoadEvent.self, from: data)
        if case .loaded(let loaded) = event { info = loaded } else { tell(event) }
      }
      try Task.checkCancellation()
      guard let info, (0...Self.mostDimensions).contains(info.dimensions) else {
        throw WorkerError.malformed("no report of the loaded model")
      }
      let result = Loaded(worker: worker, info: info)
      conversationRead = nil
      try await takeUpPrompt(result)
      // A file that ends a worker is gone by now.
      guard worker.isAlive else { return try await start(request) }
      loaded = result
      return result
    } catch {
      await worker.stop()
      throw error
    }
  }

  // MARK: A card that fails

  /// Whether it was on a card, and the card may be to blame for what failed: from now on the processor computes, for the reason that
  /// comes back. nil: the error stands.
  func givesUpCard(_ failed: Loaded, for error: any Error) async -> String? {
    guard failed.info.card != nil, !Task.isCancelled, let reason = Self.blame(of: error) else { return nil }
    // Of several who were waiting for it the first one finds out.
    if loaded?.worker === failed.worker {
      loaded = nil
      leaveCard(reason)
    }
    await failed.worker.stop()
    return reason
  }

  private func leaveCard(_ reason: String) {
    guard cardFailure == nil else { return }
    cardFailure = reason
    onCardFailure(reason)
  }

  /// What a card may be to blame for: its driver ends the process, or an evaluation fails.
  private static func blame(of error: any Error) -> String? {
    let remote = RemoteError(error)
    return ["worker_died", "worker_memory", "evaluation_failed"].contains(remote.code) ? remote.message : nil
  }

  /// How many threads were best beside a card says nothing of the processor alone.
  private static func withoutCard(_ request: LoadRequest, _ reason: String) -> LoadRequest {
    var request = request
    (request.gpu, request.threads, request.cardRefusal) = (false, nil, "the graphics card failed: \(reason)")
    return request
  }

  /// Asks the worker, and once more where it was ended over another call, or without the card where that failed.
  func asking<Answer>(_ ask: (Loaded) async throws -> Answer) async throws -> Answer {
    let loaded = try await ready()
    do { return try await ask(loaded) } catch {
      if !WorkerError.isOverAnother(error) {
        guard await givesUpCard(loaded, for: error) != nil else { throw error }
      }
      return try await ask(ready())
    }
  }

  // MARK: Work

  /// Reads what the next question in a conversation will begin with, while nobody waits; returns how many tokens were new.
  /// `moment`: when it was looked up (`KeptPrompts.now`), where it is a person's and may be kept on the disk while this is out of memory.
  @discardableResult
  package func readAhead(_ request: GenerateRequest, keeping moment: Int?) async throws -> Int {
    conversationRead = nil
    var request = request
    request.party = Caller.asking.program
    let tokens = try await asking { [request] in try await $0.worker.ask("readAhead", request, for: Int.self) }
    conversationRead = request.party == nil ? moment : nil
    return tokens
  }

  /// Changes the answer that is being written now; without one, nothing.
  package func adjust(_ adjustment: GenerateAdjustment) throws { try loaded?.worker.adjust(adjustment) }

  package func countTokens(_ texts: [String]) async throws -> [Int] {
    try await asking { try await $0.worker.ask("tokens", TokensRequest(texts), for: [Int].self) }
  }

  /// Of a whole prompt, as "generate" would read it.
  package func countTokens(of request: GenerateRequest) async throws -> Int {
    try await asking { try await $0.worker.ask("promptTokens", request, for: Int.self) }
  }

  /// Log probability of each candidate as the continuation of one prefix, which is evaluated once.
  package func score(_ request: ScoreRequest) async throws -> [Score] {
    conversationRead = nil
    var request = request
    request.party = Caller.asking.program
    return try await asking { [request] in try await $0.worker.ask("score", request, for: [Score].self) }
  }

  /// Measures how these weights compute fastest here and goes on in that way; returns it.
  package func tune(_ request: TuneRequest, row: @Sendable (TuneRow) -> Void) async throws -> TuneRow {
    var chosen: TuneRow?
    for try await case .event(let data) in try await ready().worker.call("tune", request) {
      switch try JSON.decode(TuneEvent.self, from: data) {
      case .row(let found): row(found)
      case .chosen(let best): chosen = best
      }
    }
    try Task.checkCancellation()
    guard let chosen else { throw WorkerError.malformed("no choice") }
    loaded?.info.threads = chosen.threads
    return chosen
  }
}
