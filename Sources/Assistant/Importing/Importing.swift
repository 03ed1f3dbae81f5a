import Core
import Documents
import Foundation
import Resources
import Retrieval
import Storage
import Workers

/// Files into the library: one after the other is read. Meanwhile what is read already is stored and gets its vectors, and the bytes of
/// the files that come next reach the disk.
struct Importing: Sendable {
  let vault: Vault
  let library: LibraryIndex
  let governor: Governor
  let scheduler: Scheduler
  let claims: Claims
  let host: WorkerHost
  let errors: ErrorLog

  func run(_ input: Import.Input, emit: @escaping Emit<ImportStep>) async throws {
    let found = try await waitingForDisk { check in try FileFinder(under: input.paths, check: check) }
    let collection = try await collection(for: input, found.files)
    try await governor.during {
      try await run(found.files, remarks: found.remarks, into: collection, emit: emit)
    }
  }

  /// However this ends, nothing stays of a file that did not come into the library, nor of those that were attached to a conversation which
  /// was deleted meanwhile; of one whose bytes are still being brought in nothing stays once they are.
  func run(
    _ files: [FileFinder.Found], remarks: [FileFinder.Remark] = [], into collection: String,
    emit: @escaping Emit<ImportStep>
  ) async throws {
    try await finishing {
      try await take(files, remarks, into: collection, emit)
    } then: {
      // A task of its own: who stops the reading does not stop this.
      try await Task { try await clear(collection) }.value
    }
  }

  private func clear(_ collection: String) async throws {
    if let conversation = Attached.conversation(of: collection), try await !vault.conversations.contains(conversation) {
      try await vault.purge()
    }
    let isKeeping: @Sendable () -> Bool = { [library] in library.imports > 0 }
    if try await vault.sweepIfOwed(unless: isKeeping) || isKeeping() { return }
    // What was read last is let go of a moment later, or when its disk answers. The import is over all the same.
    Task {
      var wait = Duration.milliseconds(5)
      do {
        while !isKeeping(), try await !vault.sweepIfOwed(unless: isKeeping) {
          try await Task.sleep(for: wait)
          wait = min(wait * 2, .seconds(60))
        }
      } catch { await errors.note(error, in: "import") }
    }
  }

  private func take(
    _ files: [FileFinder.Found], _ remarks: [FileFinder.Remark], into collection: String,
    _ emit: @escaping Emit<ImportStep>
  ) async throws {
    library.imports(by: 1)
    defer { library.imports(by: -1) }
    let isFirst = try await vault.oweSweep()
    let reader = DocumentReader(inBackground: true, on: host)
    defer { Task { await reader.stop() } }
    var embedders: [PackEmbedder] = []
    var without: String?
    do { embedders = try await library.embedders() } catch { without = RemoteError(error).message }
    let tally = ImportTally(files, withoutVectors: without, emit: emit)
    for remark in remarks { tally.remark(remark) }
    // Without the embedder's own tokens a cautious guess keeps chunks inside any window.
    let guess: TokenCounter = { texts in texts.map { $0.utf8.count / 3 + 2 } }
    let (steps, feed) = AsyncStream.makeStream(of: Step.self)
    let importer = Importer(
      vault: vault, reader: reader, chunker: Chunker(count: embedders.first?.counter ?? guess), collection: collection,
      passing: vault.folders.cache,
      // Reading stands aside here while a person or a voice waits; the worker waits with it.
      yield: { try await scheduler.run("reading", .indexing, cores: 1) { _ in } },
      stored: { stored in
        tally.took(stored)
        feed.yield(.stored(stored))
      },
      emit: { tally.progress($0) })
    try await withThrowingTaskGroup(of: Void.self) { [embedders] group in
      group.addTask {
        defer { feed.finish() }
        try await read(files, with: importer, tally) { feed.yield($0) }
        tally.hasRead()
      }
      group.addTask { try await follow(steps, with: embedders, tally) }
      try await group.waitForAll()
    }
    try Task.checkCancellation()
    if !embedders.isEmpty, tally.withoutVectors == nil { try await library.complete() }
    if isFirst, tally.areAllStored { try await vault.oweNoSweep { [library] in library.imports > 1 } }
    try await vault.purgeIfOwed()
    tally.summary()
  }

  /// What reading tells whoever makes the vectors.
  private enum Step: Sendable {
    case stored(DocumentShelf.Stored)
    case ended(FileFinder.Found, Importer.Outcome)
  }

  // MARK: Reading

  /// A file whose bytes are among the originals, or why they are not.
  private struct Kept: Sendable {
    var found: FileFinder.Found
    var original: Result<HeldOriginal, any Error>
  }

  /// A file that was read. Its original stays until what is left of it is stored.
  private struct Done: Sendable {
    var found: FileFinder.Found
    var original: HeldOriginal
    var outcome: Importer.Outcome
  }

  /// So many files are stored together, as long as they are small and it is not for longer that the first of them waits for the last.
  private static let group = (files: 128, bytes: 384 << 10, small: 64 << 10, wait: Duration.seconds(1))

  /// While some files are read, those read before them are stored, and the bytes of those that come next are brought in.
  private func read(
    _ files: [FileFinder.Found], with importer: Importer, _ tally: ImportTally,
    tell: @escaping @Sendable (Step) -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { storing in
      var rest = files[...]
      var kept = await keep(Self.next(of: &rest))
      while !kept.isEmpty {
        let next = kept.count <= Self.group.files ? Self.next(of: &rest) : []
        async let coming = keep(next)
        let (done, left, end) = await read(kept, with: importer, tally)
        // One after the other, so that files end in their order.
        _ = try await storing.next()
        storing.addTask { try await store(done, with: importer, tally, tell: tell) }
        if let end {
          _ = try await storing.next()
          throw end
        }
        kept = left + (await coming)
      }
      _ = try await storing.next()
    }
  }

  private static func next(of rest: inout ArraySlice<FileFinder.Found>) -> [FileFinder.Found] {
    var bytes = 0
    let some = rest.prefix(group.files).prefix { found in
      bytes += found.bytes
      return bytes <= group.bytes
    }
    let next = some.isEmpty ? rest.prefix(1) : some
    rest = rest.dropFirst(next.count)
    return Array(next)
  }

  private static let mostThreads = 32

  /// Puts files into the originals, many at once: the disk takes hardly longer over them than over one.
  private func keep(_ files: [FileFinder.Found]) async -> [Kept] {
    await withTaskGroup(of: (place: Int, kept: Kept).self) { group in
      var all: [(place: Int, kept: Kept)] = []
      for (place, found) in files.enumerated() {
        if place >= Self.mostThreads, let one = await group.next() { all.append(one) }
        group.addTask { (place, await keep(found)) }
      }
      for await one in group { all.append(one) }
      return all.sorted { $0.place < $1.place }.map(\.kept)
    }
  }

  private func keep(_ found: FileFinder.Found) async -> Kept {
    let blobs = vault.blobs
    do {
      let original = try await waitingForDisk { check in try blobs.keep(found.open(), check: check) }
      return Kept(found: found, original: .success(original))
    } catch { return Kept(found: found, original: .failure(error)) }
  }

  /// Reads one after the other, as many as are stored together. What ends the whole import comes back with those read before it.
  private func read(
    _ kept: [Kept], with importer: Importer, _ tally: ImportTally
  ) async -> (done: [Done], left: [Kept], end: (any Error)?) {
    let began = ContinuousClock.now
    var done: [Done] = []
    var bytes = 0
    for (place, one) in kept.enumerated() {
      let isEnough = bytes >= Self.group.bytes || began.duration(to: .now) > Self.group.wait
      if isEnough || one.found.bytes > Self.group.small, !done.isEmpty { return (done, Array(kept[place...]), nil) }
      tally.begins(one.found)
      do {
        try Task.checkCancellation()
        let original = try one.original.get()
        let outcome = try await read(one.found, original, with: importer)
        done.append(Done(found: one.found, original: original, outcome: outcome))
        bytes += outcome.draft?.bytes ?? 0
      } catch let error where Self.endsAll(error) {
        return (done, [], error)
      } catch { await fail(one.found, error, tally) }
      tally.passed()
    }
    return (done, [], nil)
  }

  /// By one import at a time: a second one of the same bytes waits and then finds them done. A small file it may read again, which is
  /// stored once all the same.
  private func read(
    _ found: FileFinder.Found, _ original: HeldOriginal, with importer: Importer
  ) async throws -> Importer.Outcome {
    let claim = "file \(original.hash) in \(importer.collection)"
    try await claims.hold(claim)
    defer { claims.release(claim) }
    return try await importer.read(found, original: original.hash)
  }

  /// Where some cannot be stored together each is stored alone, so that only those fail that are at fault.
  private func store(
    _ done: [Done], with importer: Importer, _ tally: ImportTally, tell: @escaping @Sendable (Step) -> Void
  ) async throws {
    do {
      let outcomes = try await importer.store(done.map(\.outcome))
      for (one, outcome) in zip(done, outcomes) { tell(.ended(one.found, outcome)) }
    } catch let error where Self.endsAll(error) {
      throw error
    } catch _ where done.count > 1 {
      for one in done { try await store([one], with: importer, tally, tell: tell) }
    } catch {
      for one in done {
        if let draft = one.outcome.draft { try await importer.giveUp(draft, error) }
        await fail(one.found, error, tally)
      }
    }
  }

  /// One file fails, and the others go on.
  private func fail(_ found: FileFinder.Found, _ error: any Error, _ tally: ImportTally) async {
    await errors.note(error, in: "import")
    tally.failed(found, error)
  }

  private static func endsAll(_ error: any Error) -> Bool {
    error is CancellationError || RemoteError(error).code == DiskFull().code
  }

  // MARK: Making vectors

  /// So many chunks are embedded together, of however many files.
  private static let together = 128

  /// Makes the vectors of what was stored. A file is done when its vectors are, or when it is known why there are none.
  private func follow(_ steps: AsyncStream<Step>, with embedders: [PackEmbedder], _ tally: ImportTally) async throws {
    var waiting = DocumentShelf.Stored()
    var ended: [(FileFinder.Found, Importer.Outcome)] = []
    for await step in steps {
      switch step {
      case .stored(let stored): waiting.add(stored)
      case .ended(let found, let outcome): ended.append((found, outcome))
      }
      guard waiting.chunks >= Self.together || waiting.chunks == 0 else { continue }
      try await embed(&waiting, &ended, embedders, tally)
    }
    try Task.checkCancellation()
    try await embed(&waiting, &ended, embedders, tally)
  }

  private func embed(
    _ waiting: inout DocumentShelf.Stored, _ ended: inout [(FileFinder.Found, Importer.Outcome)],
    _ embedders: [PackEmbedder], _ tally: ImportTally
  ) async throws {
    for (place, embedder) in embedders.enumerated() where waiting.chunks > 0 {
      do {
        try await library.index(
          with: embedder, from: waiting.first, through: waiting.last, beside: { tally.isReading },
          aside: { tally.waits($0) }, progress: { if place == 0 { tally.indexed($0) } })
      } catch let error where Self.endsAll(error) {
        throw error
      } catch {
        await errors.note(error, in: "import")
        tally.lost(RemoteError(error).message)
      }
    }
    tally.settled(waiting.chunks)
    for (found, outcome) in ended { tally.stored(found, outcome) }
    (waiting, ended) = (DocumentShelf.Stored(), [])
  }
}
