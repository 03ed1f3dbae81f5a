import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Storage
import Synchronization
import Workers

/// The vectors of what is stored, kept complete, and the searcher that finds by them.
package actor LibraryIndex {
  private let vault: Vault
  private let packs: PackStore
  private let models: LoadedPacks
  private let settings: CurrentSettings
  private let governor: Governor
  private let errors: ErrorLog
  private let underWay = Atomic(0)
  /// What questions go to, until a pack leaves memory or documents go.
  private var searcher: (kept: Searcher, unloads: Int)?
  /// Whether vectors that others have left are made, as a server does; and the making of them.
  private var keepsUp = false
  private var catchingUp: Task<Void, Never>?
  /// Why questions are answered from words alone at the moment, where the device is the cause.
  private var wordsOnly: String?

  init(
    _ vault: Vault, _ packs: PackStore, _ models: LoadedPacks, _ settings: CurrentSettings, _ governor: Governor,
    _ errors: ErrorLog
  ) {
    (self.vault, self.packs, self.models, self.settings) = (vault, packs, models, settings)
    (self.governor, self.errors) = (governor, errors)
  }

  func close() async {
    catchingUp?.cancel()
    await catchingUp?.value
    searcher = nil
  }

  // MARK: Embedders

  /// The embedding packs that could be used now, the one that vectors are made with first; each with the vectors that are made with
  /// it, and then with those that version 0.1.0 made.
  private nonisolated func embeddingPacks() throws -> [(status: PackStatus, identity: String)] {
    let usable = try packs.list().compactMap { status -> (status: PackStatus, identity: String)? in
      guard status.pack.kind == .embed, status.installed != nil, status.fit.fits,
        let record = try packs.record(of: status.pack.id)
      else { return nil }
      return (status, "\(status.pack.id) \(record.sha256)")
    }
    return usable.map { ($0.status, "\($0.identity) \(ChunkVectors.kind)") } + usable
  }

  /// The embedding pack that vectors are made with, loaded; an error says why there is none to be had.
  nonisolated func embedder() async throws -> PackEmbedder {
    guard let wanted = try embeddingPacks().first else { throw AssistantError.noEmbedder }
    return try await embedder(wanted)
  }

  private nonisolated func embedder(_ wanted: (status: PackStatus, identity: String)) async throws -> PackEmbedder {
    let (status, limits) = (wanted.status, await governor.limits(settings.now.mode))
    let model = try await models.model(status, limits: limits)
    guard let info = await model.info else { throw AssistantError.noEmbedder }
    return PackEmbedder(identity: wanted.identity, dimensions: info.dimensions) { [self] texts in
      try await embedding(status) { try await $0.countTokens(texts) }
    } embed: { [self] texts, threads, asQuestions in
      try await embedding(status) {
        try await $0.embed(texts, long: .cut, threads: threads, asQuestions: asQuestions)
      }
    }
  }

  /// Work with an embedding pack: loaded again if it had to leave memory meanwhile, and kept there until it is done.
  private nonisolated func embedding<Value: Sendable>(
    _ status: PackStatus, _ work: @Sendable (TextModel) async throws -> Value
  ) async throws -> Value {
    let model = try await models.model(status, limits: governor.limits(settings.now.mode))
    return try await governor.using(status.pack.id) { try await work(model) }
  }

  /// The same for questions: what the device refuses costs the meaning and not the answer, and is said with it.
  private nonisolated func questioning(_ embedder: PackEmbedder) -> PackEmbedder {
    PackEmbedder(
      identity: embedder.identity, dimensions: embedder.dimensions, counter: embedder.counter
    ) { [self] texts, threads, asQuestions in
      do {
        var all = Embeddings(dimensions: embedder.dimensions)
        // The adapter for questions has learned from English ones alone.
        let isLearned = asQuestions && texts.allSatisfy { QuestionLanguage(of: $0) == .english }
        all.values = try await embedder.embed(texts, threads: threads, asQuestions: isLearned).flatMap(\.self)
        await searchByWords(because: nil)
        return all
      } catch let error where error is ResourcesError || error is WorkerError {
        await searchByWords(because: RemoteError(error).message)
        return Embeddings(dimensions: embedder.dimensions)
      }
    }
  }

  private func searchByWords(because reason: String?) { wordsOnly = reason }

  /// The embedder that questions are asked with: while other vectors are still being made, those that are all there find more.
  private nonisolated func searchEmbedder() async throws -> PackEmbedder {
    let packs = try embeddingPacks()
    guard let wanted = packs.first else { throw AssistantError.noEmbedder }
    let counts = try await VectorShelf.identities(in: vault)
    let fullest = packs.max { counts[$0.identity] ?? 0 < counts[$1.identity] ?? 0 } ?? wanted
    let isBehind = (counts[wanted.identity] ?? 0) < (counts[fullest.identity] ?? 0)
    return questioning(try await embedder(isBehind ? fullest : wanted))
  }

  // MARK: Vectors

  /// Makes the vectors that chunks still lack, in short calls which a question cuts short, and stores them in larger
  /// steps. The governor's word on embedding is asked each time: on a hot device this waits, and `aside` is told why and when it
  /// goes on. `beside` says whether a file is being read meanwhile, which wants a core for itself.
  nonisolated func index(
    with embedder: PackEmbedder, from first: Int64 = 0, through last: Int64 = .max,
    beside: @Sendable () -> Bool = { false }, aside: @Sendable (String) -> Void = { _ in },
    progress: @Sendable (Int) -> Void = { _ in }
  ) async throws {
    let shelf = vault.vectors(embedder: embedder.identity, dimensions: embedder.dimensions)
    let pack = String(embedder.identity.prefix { $0 != " " })
    var (after, done) = (first - 1, 0)
    var places: [String: [Float]] = [:]
    while true {
      let pending = try await shelf.pending(limit: 128, after: after, through: last)
      guard let newest = pending.last?.chunk else { break }
      var vectors: [(chunk: Int64, vector: [Float])] = []
      for call in Self.calls(pending) {
        try Task.checkCancellation()
        try await bearing(aside)
        let all = settings.now.threads ?? Device.current.cores
        let cores = beside() ? max(1, all - 1) : all
        let standing = call.map { ChunkVectors.place(of: $0.heading) }
        if places.count > Self.mostPlaces { places = [:] }
        let new = Array(Set(standing).subtracting(places.keys))
        let made = try await models.computing("indexing", on: pack, .indexing, cores: cores) {
          try await embedder.embed(call.map(\.text) + new, threads: cores)
        }
        for (place, vector) in zip(new, made.dropFirst(call.count)) { places[place] = vector }
        vectors += zip(zip(call, standing), made).map { one, vector in
          (one.0.chunk, ChunkVectors.joined(vector, places[one.1] ?? []))
        }
      }
      try await shelf.add(vectors)
      (after, done) = (newest, done + pending.count)
      progress(done)
    }
  }

  /// How long an import waits for a device that cannot bear vectors; then its documents are found by words until a later
  /// import, or a server, makes them.
  static let patience = Duration.seconds(120)

  private nonisolated func bearing(_ aside: @Sendable (String) -> Void) async throws {
    let began = ContinuousClock.now
    while true {
      let embedding = await governor.limits(settings.now.mode).embedding
      let waits = ContinuousClock.now - began
      if embedding.value {
        if waits > .milliseconds(900) { aside("its meaning is indexed: the device has recovered") }
        return
      }
      if waits >= Self.patience { throw AssistantError.indexingDeferred(embedding.reason) }
      if waits < .milliseconds(900) { aside("its meaning waits: \(embedding.reason)") }
      try await Task.sleep(for: .seconds(1))
    }
  }

  /// The vectors of so many titles and headings are kept while an import goes on.
  private static let mostPlaces = 2_000

  /// Texts of like length go together, as the embedder packs short ones, and no call takes long.
  static func calls(_ pending: [VectorShelf.Pending]) -> [[VectorShelf.Pending]] {
    var calls: [[VectorShelf.Pending]] = []
    var tokens = 0
    for one in pending.sorted(by: { ($0.tokens, $0.chunk) < ($1.tokens, $1.chunk) }) {
      if calls.isEmpty || tokens + one.tokens > 2_048 {
        calls.append([])
        tokens = 0
      }
      calls[calls.count - 1].append(one)
      tokens += one.tokens
    }
    return calls
  }

  /// What an import that was killed, or another embedding pack, has left without vectors.
  nonisolated func complete(with embedder: PackEmbedder) async throws {
    let shelf = vault.vectors(embedder: embedder.identity, dimensions: embedder.dimensions)
    if try await shelf.pendingCount() > 0 { try await index(with: embedder) }
    try await retire(for: shelf)
  }

  private func retire(for shelf: VectorShelf) async throws {
    guard try await VectorShelf.identities(in: vault).count > 1, try await shelf.pendingCount() == 0 else { return }
    weak let former = searcher?.kept
    searcher = nil
    // Whoever searches at this moment still goes by the vectors that are removed below.
    while former != nil { try await Task.sleep(for: .milliseconds(50)) }
    try await shelf.retireOthers()
  }

  /// Completes the vectors from now on, whenever some are missing.
  func keepUp() {
    keepsUp = true
    catchUp()
  }

  private func catchUp() {
    guard keepsUp, catchingUp == nil else { return }
    catchingUp = Task {
      do {
        while imports > 0 { try await Task.sleep(for: .seconds(1)) }
        try await vault.purgeIfOwed()
        try await complete(with: embedder())
      } catch AssistantError.noEmbedder {
        // Without a pack there is nothing to be made.
      } catch { await errors.note(error, in: "index") }
      catchingUp = nil
    }
  }

  /// An import begins or ends: what others have left waits until there is none.
  nonisolated func imports(by delta: Int) { underWay.add(delta, ordering: .relaxed) }
  nonisolated var imports: Int { underWay.load(ordering: .relaxed) }

  // MARK: Searching

  /// The searcher over this vault, with meaning where an embedding pack is at hand.
  func finder() async -> Searcher {
    if let searcher, searcher.unloads == models.unloads { return searcher.kept }
    searcher = nil
    let made: Searcher
    do { made = Searcher(vault, embedder: try await searchEmbedder()) } catch {
      wordsOnly = (error as? ResourcesError)?.message
      return Searcher(vault, embedder: nil)
    }
    searcher = (made, models.unloads)
    catchUp()
    return made
  }

  /// What was read for questions until now is kept no longer.
  func forget() { searcher = nil }

  /// What a search cannot see yet, in words; nil when everything is ready.
  func unready(in collection: String?) async throws -> String? {
    let (stored, indexed) = try await vault.documents.unready(collection: collection)
    var parts: [String] = []
    if stored > 0 { parts.append("\(stored) still being read, found only as far as that has come") }
    if let wordsOnly { parts.append("all found by words only: \(wordsOnly)") }
    if indexed > 0 { parts.append("\(indexed) found by words only until their meaning is indexed") }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}
