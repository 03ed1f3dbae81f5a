import Core
import Documents
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Storage

/// Documents in the house: reading, indexing, searching.
extension House {
  /// The embedding pack that vectors are made with, loaded; nil with the reason when there is none to be had.
  func embedder() async throws -> PackEmbedder {
    let installed = try packs.list().filter { $0.pack.kind == .embed && $0.installed != nil && $0.fit.fits }
    guard let status = installed.first else { throw AssistantError.noEmbedder }
    let limits = await governor.limits(settings.mode)
    let model = try await model(status, limits: limits) { _ in }
    guard let info = await model.info, let record = try packs.record(of: status.pack.id) else {
      throw AssistantError.noEmbedder
    }
    return PackEmbedder(
      model, identity: "\(status.pack.id) \(record.derived?.sha256 ?? record.sha256)", dimensions: info.dimensions)
  }

  func importing(_ input: Import.Input, emit: @escaping @Sendable (ImportEvent) -> Void) async throws {
    let files = try FileFinder.files(under: input.paths)
    guard !files.isEmpty else { throw ImportError.nothingToImport }
    try await importing(files, into: input.collection ?? "documents", emit: emit)
  }

  func importing(
    _ files: [FileFinder.Found], into collection: String, emit: @escaping @Sendable (ImportEvent) -> Void
  ) async throws {
    let began = ContinuousClock.now
    let reader = DocumentReader()
    defer { Task { await reader.stop() } }
    var tally = ImportTally(files: files.count, began: began, emit: emit)
    let embedder: PackEmbedder?
    do { embedder = try await self.embedder() } catch {
      embedder = nil
      tally.withoutVectors = RemoteError(error).message
    }
    // Without the embedder's own tokens a cautious guess keeps chunks inside any window.
    let guess: TokenCounter = { texts in texts.map { $0.utf8.count / 3 + 2 } }
    let chunker = Chunker(count: embedder?.counter ?? guess)
    let importer = Importer(
      vault: vault, reader: reader, chunker: chunker, collection: collection, emit: tally.relay)
    for found in files {
      try Task.checkCancellation()
      do {
        let outcome = try await importer.run(found)
        if let embedder { try await index(outcome.documents, with: embedder) }
        try await tally.read(found, outcome, vault)
      } catch let error as CancellationError {
        throw error
      } catch {
        try await errors.record(error, in: "import")
        tally.failed(found, error)
      }
    }
    tally.summary()
  }

  /// Makes the vectors that documents still lack, in batches between which others come first. The governor's word on embedding
  /// is asked each time: on a hot device this waits.
  func index(_ documents: [Int64], with embedder: PackEmbedder) async throws {
    let shelf = vault.vectors(embedder: embedder.identity, dimensions: embedder.dimensions)
    for document in documents {
      while true {
        try Task.checkCancellation()
        while await !governor.limits(settings.mode).embedding.value { try await Task.sleep(for: .seconds(1)) }
        let pending = try await shelf.pending(limit: 32, document: document)
        guard !pending.isEmpty else { break }
        let vectors = try await embedder.embed(pending.map(\.text))
        try await shelf.add(zip(pending, vectors).map { ($0.chunk, $1) })
      }
    }
  }

  /// The searcher over this vault, with meaning where an embedding pack is at hand.
  func finder() async -> Searcher {
    if let searcher { return searcher }
    let made: Searcher
    do { made = Searcher(vault, embedder: try await embedder()) } catch { return Searcher(vault, embedder: nil) }
    searcher = made
    return made
  }
}

/// Counts files while they are imported and says how long the rest will take.
struct ImportTally: Sendable {
  let files: Int
  let began: ContinuousClock.Instant
  let emit: @Sendable (ImportEvent) -> Void
  var withoutVectors: String?
  private var imported = 0
  private var skipped = 0
  private var broken = 0

  init(files: Int, began: ContinuousClock.Instant, emit: @escaping @Sendable (ImportEvent) -> Void) {
    self.files = files
    self.began = began
    self.emit = emit
  }

  /// Progress of the file at hand, with the time left by what the files before it took.
  var relay: @Sendable (ImportEvent) -> Void {
    let (files, began, done, emit) = (files, began, imported + skipped + broken, emit)
    return { event in
      var event = event
      let share = event.pages.map { $0 > 0 ? Double(event.pagesDone ?? 0) / Double($0) : 0 } ?? 0
      let finished = Double(done) + share
      if finished > 0 { event.etaSeconds = began.msUntilNow / 1000 / finished * (Double(files) - finished) }
      emit(event)
    }
  }

  mutating func read(_ found: FileFinder.Found, _ outcome: Importer.Outcome, _ vault: Vault) async throws {
    guard !outcome.documents.isEmpty else {
      skipped += 1
      return emit(
        ImportEvent(.skipped, found.name, reason: outcome.known > 0 ? "it is here already" : "it holds no document"))
    }
    imported += 1
    var chunks = 0
    for document in outcome.documents { chunks += try await vault.documents.chunks(of: document).count }
    var reasons = outcome.problems
    if let withoutVectors { reasons.append("found by words only: \(withoutVectors)") }
    if chunks == 0 { reasons.append("it holds no text") }
    emit(
      ImportEvent(
        .done, found.name, pages: outcome.pages, chunks: chunks,
        reason: reasons.isEmpty ? nil : reasons.joined(separator: "; ")))
  }

  mutating func failed(_ found: FileFinder.Found, _ error: any Error) {
    broken += 1
    emit(ImportEvent(.failed, found.name, reason: RemoteError(error).message))
  }

  func summary() {
    var event = ImportEvent(.summary)
    (event.imported, event.skipped, event.failed) = (imported, skipped, broken)
    event.seconds = began.msUntilNow / 1000
    emit(event)
  }
}
