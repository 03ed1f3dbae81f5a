import Core
import Documents
import Foundation
import Resources
import Retrieval
import Storage
import Workers

/// Files into the library: one after the other is read, and what is read already gets its vectors meanwhile.
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
    if let id = input.conversation, try await !vault.conversations.contains(id) { try await vault.purge() }
  }

  func run(
    _ files: [FileFinder.Found], remarks: [FileFinder.Remark] = [], into collection: String,
    emit: @escaping Emit<ImportStep>
  ) async throws {
    library.imports(by: 1)
    defer { library.imports(by: -1) }
    let reader = DocumentReader(inBackground: true, on: host)
    defer { Task { await reader.stop() } }
    var embedder: PackEmbedder?
    var without: String?
    do { embedder = try await library.embedder() } catch { without = RemoteError(error).message }
    let tally = ImportTally(files, withoutVectors: without, emit: emit)
    for remark in remarks { tally.remark(remark) }
    // Without the embedder's own tokens a cautious guess keeps chunks inside any window.
    let guess: TokenCounter = { texts in texts.map { $0.utf8.count / 3 + 2 } }
    let (steps, feed) = AsyncStream.makeStream(of: Step.self)
    let importer = Importer(
      vault: vault, reader: reader, chunker: Chunker(count: embedder?.counter ?? guess), collection: collection,
      passing: vault.folders.cache,
      // Reading stands aside here while a person or a voice waits; the worker waits with it.
      yield: { try await scheduler.run("reading", .indexing, cores: 1) { _ in } },
      stored: { stored in
        tally.took(stored)
        feed.yield(.stored(stored))
      },
      emit: { tally.progress($0) })
    try await withThrowingTaskGroup(of: Void.self) { [embedder] group in
      group.addTask {
        defer { feed.finish() }
        for found in files { try await read(found, with: importer, tally) { feed.yield($0) } }
        tally.hasRead()
      }
      group.addTask { try await follow(steps, with: embedder, tally) }
      try await group.waitForAll()
    }
    try Task.checkCancellation()
    if let embedder, tally.withoutVectors == nil { try await library.complete(with: embedder) }
    try await vault.purgeIfOwed()
    tally.summary()
  }

  /// What reading tells whoever makes the vectors.
  private enum Step: Sendable {
    case stored(DocumentShelf.Stored)
    case ended(FileFinder.Found, Importer.Outcome)
  }

  private func read(
    _ found: FileFinder.Found, with importer: Importer, _ tally: ImportTally, tell: (Step) -> Void
  ) async throws {
    try Task.checkCancellation()
    tally.begins(found)
    do {
      tell(.ended(found, try await read(found, with: importer)))
    } catch let error where error is CancellationError || RemoteError(error).code == DiskFull().code {
      throw error
    } catch {
      await errors.note(error, in: "import")
      tally.failed(found, error)
    }
    tally.passed()
  }

  /// One file, read by one import at a time: a second one of the same bytes waits and then finds it done.
  private func read(_ found: FileFinder.Found, with importer: Importer) async throws -> Importer.Outcome {
    let blobs = vault.blobs
    let hash = try await waitingForDisk(unclaimed: { blobs.release($0) }) { check in
      try blobs.keep(found.open(), holding: true, check: check)
    }
    defer { vault.blobs.release(hash) }
    let claim = "file \(hash) in \(importer.collection)"
    try await claims.hold(claim)
    defer { claims.release(claim) }
    return try await importer.run(found, original: hash)
  }

  /// So many chunks are embedded together, of however many files.
  private static let together = 128

  /// Makes the vectors of what was stored. A file is done when its vectors are, or when it is known why there are none.
  private func follow(_ steps: AsyncStream<Step>, with embedder: PackEmbedder?, _ tally: ImportTally) async throws {
    var waiting = DocumentShelf.Stored()
    var ended: [(FileFinder.Found, Importer.Outcome)] = []
    for await step in steps {
      switch step {
      case .stored(let stored): waiting.add(stored)
      case .ended(let found, let outcome): ended.append((found, outcome))
      }
      guard waiting.chunks >= Self.together || waiting.chunks == 0 else { continue }
      try await embed(&waiting, &ended, embedder, tally)
    }
    try Task.checkCancellation()
    try await embed(&waiting, &ended, embedder, tally)
  }

  private func embed(
    _ waiting: inout DocumentShelf.Stored, _ ended: inout [(FileFinder.Found, Importer.Outcome)],
    _ embedder: PackEmbedder?, _ tally: ImportTally
  ) async throws {
    if let embedder, waiting.chunks > 0 {
      do {
        try await library.index(
          with: embedder, from: waiting.first, through: waiting.last, beside: { tally.isReading },
          aside: { tally.waits($0) }, progress: { tally.indexed($0) })
      } catch let error where error is CancellationError || RemoteError(error).code == DiskFull().code {
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
