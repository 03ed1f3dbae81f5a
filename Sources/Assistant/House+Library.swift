import Core
import Documents
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Storage
import Workers

/// Documents in the house: reading, indexing, searching.
extension House {
  // MARK: Embedders

  /// The embedding packs that could be used now, the one that vectors are made with first.
  private func embeddingPacks() throws -> [(status: PackStatus, identity: String)] {
    try packs.list().compactMap { status in
      guard status.pack.kind == .embed, status.installed != nil, status.fit.fits,
        let record = try packs.record(of: status.pack.id)
      else { return nil }
      return (status, "\(status.pack.id) \(record.derived?.sha256 ?? record.sha256)")
    }
  }

  /// The embedding pack that vectors are made with, loaded; an error says why there is none to be had.
  func embedder() async throws -> PackEmbedder {
    guard let wanted = try embeddingPacks().first else { throw AssistantError.noEmbedder }
    return try await embedder(wanted.status)
  }

  private func embedder(_ status: PackStatus) async throws -> PackEmbedder {
    let limits = await governor.limits(settings.mode)
    let model = try await model(status, limits: limits) { _ in }
    // Loading may have made another layout of the weights, which is another embedder.
    guard let info = await model.info, let record = try packs.record(of: status.pack.id) else {
      throw AssistantError.noEmbedder
    }
    return PackEmbedder(
      identity: "\(status.pack.id) \(record.derived?.sha256 ?? record.sha256)", dimensions: info.dimensions
    ) { [self] texts in
      try await embedding(status) { try await $0.countTokens(texts) }
    } embed: { [self] texts in
      try await embedding(status) { try await $0.embed(texts, truncate: true) }
    }
  }

  /// Work with an embedding pack: loaded again if it had to leave memory meanwhile, and kept there until it is done.
  private func embedding<Value: Sendable>(
    _ status: PackStatus, _ work: @Sendable (TextModel) async throws -> Value
  ) async throws -> Value {
    let model = try await model(status, limits: governor.limits(settings.mode)) { _ in }
    return try await governor.using(status.pack.id) { try await work(model) }
  }

  /// The same for questions: what the device refuses costs the meaning and not the answer, and is said with it.
  private func questioning(_ embedder: PackEmbedder) -> PackEmbedder {
    PackEmbedder(
      identity: embedder.identity, dimensions: embedder.dimensions, counter: embedder.counter
    ) { [self] texts in
      do {
        var all = Embeddings(dimensions: embedder.dimensions)
        all.values = try await embedder.embed(texts).flatMap(\.self)
        await searchByWords(because: nil)
        return all
      } catch let error where error is ResourcesError || error is WorkerError {
        await searchByWords(because: RemoteError(error).message)
        return Embeddings(dimensions: embedder.dimensions)
      }
    }
  }

  private func searchByWords(because reason: String?) { wordsOnly = reason }

  /// The embedder that questions are asked with: while another pack's vectors are still being made, the one they were all
  /// made with finds more.
  private func searchEmbedder() async throws -> PackEmbedder {
    let packs = try embeddingPacks()
    guard let wanted = packs.first else { throw AssistantError.noEmbedder }
    let counts = try await VectorShelf.identities(in: vault)
    let fullest = packs.max { counts[$0.identity] ?? 0 < counts[$1.identity] ?? 0 } ?? wanted
    let isBehind = (counts[wanted.identity] ?? 0) < (counts[fullest.identity] ?? 0)
    return questioning(try await embedder((isBehind ? fullest : wanted).status))
  }

  // MARK: Importing

  func importing(_ input: Import.Input, emit: @escaping @Sendable (ImportEvent) -> Void) async throws {
    let files = try FileFinder.files(under: input.paths)
    let collection = try await collection(for: input, files)
    try await governor.during { try await importing(files, into: collection, emit: emit) }
    if let id = input.conversation, try await !vault.conversations.contains(id) { try await vault.purge() }
  }

  func importing(
    _ files: [FileFinder.Found], into collection: String, emit: @escaping @Sendable (ImportEvent) -> Void
  ) async throws {
    imports += 1
    defer { imports -= 1 }
    let reader = DocumentReader(inBackground: true)
    defer { Task { await reader.stop() } }
    var embedder: PackEmbedder?
    var without: String?
    do { embedder = try await self.embedder() } catch { without = RemoteError(error).message }
    let sizes = files.map { FileFinder.size($0.file) }
    var tally = ImportTally(sizes, withoutVectors: without, emit: emit)
    // Without the embedder's own tokens a cautious guess keeps chunks inside any window.
    let guess: TokenCounter = { texts in texts.map { $0.utf8.count / 3 + 2 } }
    let chunker = Chunker(count: embedder?.counter ?? guess)
    var backlog = Backlog()
    for (found, bytes) in zip(files, sizes) {
      try Task.checkCancellation()
      let relay = tally.relay(bytes: bytes)
      let importer = Importer(
        vault: vault, reader: reader, chunker: chunker, collection: collection, passing: folders.cache,
        yield: yieldReading,
        emit: relay)
      do {
        let outcome = try await read(found, with: importer)
        backlog.add(found, outcome, bytes)
      } catch let error where error is CancellationError || error as? StorageError == .full {
        throw error
      } catch {
        await note(error, in: "import")
        tally.failed(found, error, bytes: bytes)
      }
      if backlog.stored.chunks >= Backlog.enough || found == files.last { try await embed(&backlog, embedder, &tally) }
    }
    try await embed(&backlog, embedder, &tally)
    if let embedder, tally.withoutVectors == nil { try await complete(with: embedder) }
    try await vault.purgeIfOwed()
    tally.summary()
  }

  /// One file, read by one import at a time: a second one of the same bytes waits and then finds it done.
  private func read(_ found: FileFinder.Found, with importer: Importer) async throws -> Importer.Outcome {
    let hash = try vault.blobs.keep(file: found.file, holding: true)
    defer { vault.blobs.release(hash) }
    let key = importer.collection + " " + hash
    while beingRead.contains(key) { try await Task.sleep(for: .milliseconds(50)) }
    beingRead.insert(key)
    defer { beingRead.remove(key) }
    return try await importer.run(found, original: hash)
  }

  /// Files whose text is stored and that still want their vectors.
  private struct Backlog {
    /// So many chunks are embedded together, of however many files.
    static let enough = 128
    var files: [(found: FileFinder.Found, outcome: Importer.Outcome, bytes: Int)] = []
    var stored = DocumentShelf.Stored()

    mutating func add(_ found: FileFinder.Found, _ outcome: Importer.Outcome, _ bytes: Int) {
      files.append((found, outcome, bytes))
      stored.add(outcome.stored)
    }
  }

  /// A file is done when its vectors are, or when it is known why there are none.
  private func embed(_ backlog: inout Backlog, _ embedder: PackEmbedder?, _ tally: inout ImportTally) async throws {
    if let embedder, backlog.stored.chunks > 0, let last = backlog.files.last {
      let relay = tally.relay(bytes: backlog.files.reduce(0) { $0 + $1.bytes })
      let all = backlog.stored.chunks
      do {
        try await index(with: embedder, from: backlog.stored.first, through: backlog.stored.last) { reason in
          relay(ImportEvent(.progress, last.found.name, chunks: all, reason: reason))
        } progress: { done in
          var event = ImportEvent(.progress, last.found.name, chunks: all)
          event.chunksDone = min(done, all)
          relay(event)
        }
      } catch let error where error is CancellationError || error as? StorageError == .full {
        throw error
      } catch {
        await note(error, in: "import")
        tally.withoutVectors = RemoteError(error).message
      }
    }
    for (found, outcome, bytes) in backlog.files { tally.stored(found, outcome, bytes: bytes) }
    backlog = Backlog()
  }

  // MARK: Vectors

  /// Makes the vectors that chunks still lack, in short calls which a question cuts short, and stores them in larger
  /// steps. The governor's word on embedding is asked each time: on a hot device this waits, and `aside` is told why and when it
  /// goes on.
  func index(
    with embedder: PackEmbedder, from first: Int64 = 0, through last: Int64 = .max,
    aside: @Sendable (String) -> Void = { _ in }, progress: @Sendable (Int) -> Void = { _ in }
  ) async throws {
    let shelf = vault.vectors(embedder: embedder.identity, dimensions: embedder.dimensions)
    let pack = String(embedder.identity.prefix { $0 != " " })
    var (after, done) = (first - 1, 0)
    while true {
      let pending = try await shelf.pending(limit: 128, after: after, through: last)
      guard let newest = pending.last?.chunk else { break }
      var vectors: [(chunk: Int64, vector: [Float])] = []
      for call in Self.calls(pending) {
        try Task.checkCancellation()
        try await bearing(aside)
        let cores = settings.threads ?? Device.current.cores
        let made = try await computingAnew("indexing", on: pack, .indexing, cores: cores) {
          try await embedder.embed(call.map(\.text))
        }
        vectors += zip(call, made).map { ($0.chunk, $1) }
      }
      try await shelf.add(vectors)
      (after, done) = (newest, done + pending.count)
      progress(done)
    }
  }

  /// How long an import waits for a device that cannot bear vectors; then its documents are found by words until a later
  /// import, or a server, makes them.
  static let patience = Duration.seconds(120)

  private func bearing(_ aside: @Sendable (String) -> Void) async throws {
    let began = ContinuousClock.now
    while true {
      let embedding = await governor.limits(settings.mode).embedding
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

  /// Reading for an import stands aside here while a person or a voice waits; the worker waits with it.
  nonisolated func yieldReading() async throws {
    try await scheduler.run("reading", .indexing, cores: 1) { _ in }
  }

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
  private func complete(with embedder: PackEmbedder) async throws {
    let shelf = vault.vectors(embedder: embedder.identity, dimensions: embedder.dimensions)
    if try await shelf.pendingCount() > 0 { try await index(with: embedder) }
    try await retire(for: shelf)
  }

  private func retire(for shelf: VectorShelf) async throws {
    guard try await VectorShelf.identities(in: vault).count > 1, try await shelf.pendingCount() == 0 else { return }
    try await shelf.retireOthers()
    searcher = nil
  }

  /// Completes the vectors while a server runs; imports come first.
  func catchUp() {
    guard watches, catchingUp == nil else { return }
    catchingUp = Task {
      do {
        while imports > 0 { try await Task.sleep(for: .seconds(1)) }
        try await vault.purgeIfOwed()
        try await complete(with: embedder())
      } catch AssistantError.noEmbedder {
        // Without a pack there is nothing to be made.
      } catch { await note(error, in: "index") }
      catchingUp = nil
    }
  }

  // MARK: Searching

  /// The searcher over this vault, with meaning where an embedding pack is at hand.
  func finder() async -> Searcher {
    if let searcher { return searcher }
    let made: Searcher
    do { made = Searcher(vault, embedder: try await searchEmbedder()) } catch {
      wordsOnly = (error as? ResourcesError)?.message
      return Searcher(vault, embedder: nil)
    }
    searcher = made
    catchUp()
    return made
  }

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
