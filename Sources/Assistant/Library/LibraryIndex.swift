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
  private let packs: EmbeddingPacks
  private let errors: ErrorLog
  private nonisolated var models: LoadedPacks { packs.models }
  private nonisolated var settings: CurrentSettings { packs.settings }
  private nonisolated var governor: Governor { packs.governor }
  private let underWay = Atomic(0)
  /// What questions go to, until a pack leaves memory or documents go.
  private var finders: Finders?
  /// Whether vectors that others have left are made, as a server does; and the making of them.
  private var keepsUp = false
  private var catchingUp: Task<Void, Never>?
  /// Why questions are answered from words alone at the moment, where the device is the cause.
  private var wordsOnly: String?

  init(
    _ vault: Vault, _ packs: PackStore, _ models: LoadedPacks, _ settings: CurrentSettings, _ governor: Governor,
    _ errors: ErrorLog
  ) {
    self.packs = EmbeddingPacks(packs: packs, models: models, settings: settings, governor: governor)
    (self.vault, self.errors) = (vault, errors)
  }

  func close() async {
    catchingUp?.cancel()
    await catchingUp?.value
    finders = nil
  }

  // MARK: Embedders

  /// The embedding pack that vectors are made with first, loaded; an error says why there is none to be had.
  nonisolated func embedder() async throws -> PackEmbedder {
    guard let wanted = try packs.wanted().first else { throw AssistantError.noEmbedder }
    return try await packs.embedder(wanted)
  }

  /// All that vectors are made with now, that one first; one that cannot be had beside it makes its vectors later.
  nonisolated func embedders() async throws -> [PackEmbedder] {
    let wanted = try packs.wanted()
    guard let first = wanted.first else { throw AssistantError.noEmbedder }
    var all = [try await packs.embedder(first)]
    for choice in wanted.dropFirst() {
      do { all.append(try await packs.embedder(choice)) } catch { await errors.note(error, in: "import") }
    }
    return all
  }

  /// The same for questions: what the device refuses costs the meaning and not the answer, and is said with it.
  private nonisolated func questioning(_ choice: EmbeddingPacks.Choice) async throws -> PackEmbedder {
    let embedder = try await packs.embedder(choice)
    let languages = choice.status.pack.languages ?? []
    return PackEmbedder(
      identity: embedder.identity, dimensions: embedder.dimensions, cosineWorth: embedder.cosineWorth,
      counter: embedder.counter
    ) { [self] texts, threads, asQuestions in
      do {
        var all = Embeddings(dimensions: embedder.dimensions)
        // An adapter for questions moves those of other languages than its pack knows to where nothing is.
        let isLearned = asQuestions && texts.allSatisfy { languages.contains(QuestionLanguage(of: $0).rawValue) }
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

  /// The embedder that questions are asked with, and the one beside it: while other vectors are still being made, those that are all
  /// there find more.
  private nonisolated func searching() async throws -> (first: EmbeddingPacks.Choice, beside: EmbeddingPacks.Choice?) {
    let usable = try packs.usable()
    let wanted = EmbeddingPacks.wanted(among: usable)
    guard let first = wanted.first else { throw AssistantError.noEmbedder }
    let counts = try await VectorShelf.identities(in: vault)
    func count(_ choice: EmbeddingPacks.Choice) -> Int { counts[choice.identity] ?? 0 }
    let fullest = usable.max { count($0) < count($1) } ?? first
    let chosen = count(first) < count(fullest) ? fullest : first
    let beside = wanted.dropFirst().first { $0.identity != chosen.identity && count($0) >= count(chosen) }
    return (chosen, beside)
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
    try await withThrowingTaskGroup(of: Int.self) { storing in
      var (after, done) = (first - 1, 0)
      var places: [String: [Float]] = [:]
      while true {
        let pending = try await shelf.pending(limit: 128, after: after, through: last)
        guard let newest = pending.last?.chunk else { break }
        let vectors = try await vectors(of: pending, with: embedder, &places, beside: beside, aside: aside)
        (after, done) = (newest, done + pending.count)
        // While these reach the disk the next are computed.
        if let stored = try await storing.next() { progress(stored) }
        storing.addTask { [done] in
          try await shelf.add(vectors)
          return done
        }
      }
      if let stored = try await storing.next() { progress(stored) }
    }
  }

  /// `places`: vectors of the titles and headings that chunks stand under, as far as they are known.
  private nonisolated func vectors(
    of pending: [VectorShelf.Pending], with embedder: PackEmbedder, _ places: inout [String: [Float]],
    beside: @Sendable () -> Bool, aside: @Sendable (String) -> Void
  ) async throws -> [(chunk: Int64, vector: [Float])] {
    let pack = String(embedder.identity.prefix { $0 != " " })
    var vectors: [(chunk: Int64, vector: [Float])] = []
    // Texts of like length go together, as the embedder packs short ones.
    var rest = pending.sorted { ($0.tokens, $0.chunk) < ($1.tokens, $1.chunk) }[...]
    while !rest.isEmpty {
      try Task.checkCancellation()
      try await bearing(aside)
      let all = settings.now.threads ?? Device.current.cores
      let isBeside = beside()
      let cores = isBeside ? max(1, all - 1) : all
      let call = Self.call(of: &rest, tokens: cores * (isBeside ? Self.callBeside : Self.callAlone))
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
    return vectors
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

  /// Tokens of one call, for each core. Threads end it together only roughly, so alone it is larger; beside a file that is being read
  /// it is smaller, for its sentences are counted by the same worker, between calls.
  private static let (callAlone, callBeside) = (2_048, 512)

  private static func call(of rest: inout ArraySlice<VectorShelf.Pending>, tokens most: Int) -> [VectorShelf.Pending] {
    var tokens = 0
    let fitting = rest.prefix { one in
      tokens += one.tokens
      return tokens <= most
    }
    let call = fitting.isEmpty ? rest.prefix(1) : fitting
    rest = rest.dropFirst(call.count)
    return Array(call)
  }

  /// What an import that was killed, or another embedding pack, has left without vectors; then those of packs that are no longer
  /// used go.
  nonisolated func complete() async throws {
    var shelves: [VectorShelf] = []
    var isNew = false
    for choice in try packs.wanted() {
      let embedder = try await packs.embedder(choice)
      let shelf = vault.vectors(embedder: embedder.identity, dimensions: embedder.dimensions)
      if try await shelf.pendingCount() > 0 {
        try await index(with: embedder)
        isNew = true
      }
      shelves.append(shelf)
    }
    try await retire(keeping: shelves)
    // Which packs questions are asked with is decided anew.
    if isNew { await forget() }
  }

  private func retire(keeping shelves: [VectorShelf]) async throws {
    let kept = Set(shelves.map(\.embedder))
    guard try await !kept.isSuperset(of: VectorShelf.identities(in: vault).keys) else { return }
    for shelf in shelves where try await shelf.pendingCount() > 0 { return }
    weak let first = finders?.first
    weak let beside = finders?.beside
    finders = nil
    // Whoever searches at this moment still goes by the vectors that are removed below.
    while first != nil || beside != nil { try await Task.sleep(for: .milliseconds(50)) }
    try await VectorShelf.retire(in: vault, keeping: kept)
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
        try await complete()
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

  private struct Finders {
    let first: Searcher
    let counter: TokenCounter
    let pack: Pack
    let unloads: Int
    /// By this pack questions are found that the first cannot read; loaded when there is one.
    let choice: EmbeddingPacks.Choice?
    var beside: Searcher?
  }

  /// The searcher over this vault for a question, with meaning where an embedding pack is at hand.
  func finder(for question: String) async -> Searcher {
    let found: Finders
    do { found = try await kept() } catch {
      wordsOnly = (error as? ResourcesError)?.message
      return Searcher(vault, embedder: nil)
    }
    guard let choice = found.choice else { return found.first }
    do {
      guard try await EmbeddingPacks.isForeign(question, count: found.counter) else { return found.first }
      if let beside = finders?.beside { return beside }
      let beside = Searcher(vault, embedder: try await questioning(choice))
      finders?.beside = beside
      return beside
    } catch {
      await errors.note(error, in: "search")
      return found.first
    }
  }

  private func kept() async throws -> Finders {
    if let finders, finders.unloads == models.unloads { return finders }
    finders = nil
    let (first, beside) = try await searching()
    let embedder = try await questioning(first)
    let made = Finders(
      first: Searcher(vault, embedder: embedder), counter: embedder.counter, pack: first.status.pack,
      unloads: models.unloads, choice: beside)
    finders = made
    catchUp()
    return made
  }

  /// A pack came or went: which ones questions are asked with is decided anew, and a new one makes its vectors.
  func packsChanged() {
    forget()
    catchUp()
  }

  /// What was read for questions until now is kept no longer.
  func forget() { finders = nil }

  /// What a search for this question cannot see yet, in words; nil when everything is ready.
  func unready(in collection: String?, for question: String) async throws -> String? {
    let (stored, indexed) = try await vault.documents.unready(collection: collection)
    var parts: [String] = []
    if stored > 0 { parts.append("\(stored) still being read, found only as far as that has come") }
    if let wordsOnly { parts.append("all found by words only: \(wordsOnly)") }
    if indexed > 0 { parts.append("\(indexed) found by words only until their meaning is indexed") }
    if let missing = try await missing(for: question) {
      parts.append(
        "hardly found by meaning: no installed pack knows the language of the question (libera packs pull \(missing))")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The pack that would know the question's language, where the one that it is asked with does not.
  private func missing(for question: String) async throws -> String? {
    guard let finders, finders.choice == nil, let missing = packs.unknown(to: finders.pack),
      try await EmbeddingPacks.isForeign(question, count: finders.counter)
    else { return nil }
    return missing
  }
}
