import Core
import Documents
import Foundation
import Retrieval
import Storage

/// Brings one file's text into the vault: pages, chunks, checkpoints. A killed import goes on where the last checkpoint ended.
struct Importer: Sendable {
  let vault: Vault
  let reader: DocumentReader
  let chunker: Chunker
  let collection: String
  /// Files below it are gone after the import: a document remembers no such place.
  let passing: URL
  /// Returns when nobody more urgent computes.
  let yield: @Sendable () async throws -> Void
  /// Hears of every checkpoint.
  let stored: @Sendable (DocumentShelf.Stored) -> Void
  let emit: @Sendable (ImportStep) -> Void

  /// How much is committed at once: little enough to lose little, much enough that commits do not cost more than reading.
  private static let checkpointBytes = 96 << 10
  private static let checkpointPages = 24
  private static let checkpointRecords = 256

  struct Outcome: Sendable {
    var stored = DocumentShelf.Stored()
    var known = 0
    var pages = 0
    var problems: [String] = []
    /// How many problems there were beyond those kept.
    var furtherProblems = 0

    mutating func add(problem: String) {
      if problems.count < 20 { problems.append(problem) } else { furtherProblems += 1 }
    }
  }

  /// The caller has put the file's bytes into the vault's originals and holds them there.
  func run(_ found: FileFinder.Found, original hash: String) async throws -> Outcome {
    var outcome = Outcome()
    let kept = try await vault.documents.find(original: hash, collection: collection)
    if let kept {
      try await follow(kept, to: found)
      if kept.state != .stored {
        outcome.known = 1
        return outcome
      }
    }
    let original = try vault.blobs.url(hash)
    let bytes = try FileManager.default.attributesOfItem(atPath: original.path)[.size] as? Int ?? 0
    var request = ParseRequest(name: found.name)
    request.first = (kept?.pagesDone ?? 0) + 1
    var records = RecordBatch(
      vault: vault, chunker: chunker, collection: collection, source: source(found), original: hash)
    var current: Draft?
    do {
      for try await event in reader.parse(original, request) {
        if case .page = event { try await yield() }
        switch event {
        case .document(let info) where info.record != nil: records.begin(info)
        case .document(let info): current = try await begin(info, found, hash, bytes, &outcome)
        case .page(let page) where records.isOpen:
          records.add(page)
          if records.count >= Self.checkpointRecords || records.bytes >= 4 * Self.checkpointBytes {
            stored(try await records.store(&outcome))
          }
        case .page(let page): try await take(page, &current, &outcome)
        case .problem(let problem):
          outcome.add(problem: "page \(problem.page): \(problem.error.message)")
        case .progress(let progress):
          emit(ImportStep(.progress, found.name, pagesDone: progress.done, pages: progress.of))
        case .reading, .done: break
        }
      }
      try Task.checkCancellation()
      stored(try await records.store(&outcome))
      try await finish(&current, &outcome)
    } catch {
      if let document = current?.document.id { try await giveUp(document, error) }
      throw error
    }
    return outcome
  }

  /// What a person stopped goes on at the next import, and so does what found no room; the rest has failed and says why.
  private func giveUp(_ document: Int64, _ error: any Error) async throws {
    guard !(error is CancellationError), !(error is StorageError), !Task.isCancelled else { return }
    try await vault.documents.fail(document, reason: RemoteError(error).message)
  }

  // MARK: One document of the file

  private struct Draft {
    var document: StoredDocument
    var mapping: PageMapping
    var headings: [Chunker.Heading]
    var pages: [StoredPage] = []
    var blocks: [TextBlock] = []
    var bytes = 0
    var pagesDone: Int
  }

  private func source(_ found: FileFinder.Found) -> String? {
    found.path.hasPrefix(passing.path) ? nil : found.path
  }

  private func begin(
    _ info: DocumentInfo, _ found: FileFinder.Found, _ hash: String, _ bytes: Int, _ outcome: inout Outcome
  ) async throws -> Draft? {
    let title = info.title.flatMap { $0.isEmpty ? nil : $0 } ?? (found.name as NSString).lastPathComponent
    // It stands beside everything that is found in it, and before a model.
    var new = NewDocument(
      name: found.name, hash: hash, title: HeadingPath.part(title), kind: info.kind.rawValue, bytes: bytes)
    new.collection = collection
    new.source = source(found)
    new.pages = info.pages
    new.mail = info.place
    guard case .proceed(let document) = try await vault.documents.begin(new) else {
      outcome.known += 1
      return nil
    }
    let headings = try document.headings.map { try JSON.decode([Chunker.Heading].self, from: Data($0.utf8)) }
    return Draft(
      document: document, mapping: PageMapping(after: document.textBytes, hasPages: info.pages != nil),
      headings: headings ?? [], pagesDone: document.pagesDone)
  }

  /// The same bytes under another name, while the file they came from is gone: it was moved.
  private func follow(_ document: StoredDocument, to found: FileFinder.Found) async throws {
    guard let source = document.source, source != found.path, !RegularFile.exists(source)
    else { return }
    try await vault.documents.rename(document.id, name: found.name, source: self.source(found))
  }

  private func take(_ page: Page, _ current: inout Draft?, _ outcome: inout Outcome) async throws {
    guard var draft = current else { return }
    let (stored, blocks) = draft.mapping.map(page)
    draft.pages.append(stored)
    draft.blocks += blocks
    draft.bytes += stored.text.utf8.count
    draft.pagesDone = page.number
    outcome.pages += 1
    if draft.bytes >= Self.checkpointBytes || draft.pages.count >= Self.checkpointPages {
      try await checkpoint(&draft, &outcome)
    }
    current = draft
  }

  private func checkpoint(_ draft: inout Draft, _ outcome: inout Outcome) async throws {
    guard !draft.pages.isEmpty else { return }
    let chunks = try await chunker.chunks(of: draft.blocks, title: draft.document.title, headings: &draft.headings)
    let made = try await vault.documents.append(
      to: draft.document.id, pages: draft.pages, chunks: chunks, pagesDone: draft.pagesDone,
      headings: try JSON.line(draft.headings))
    outcome.stored.add(made)
    stored(made)
    draft.pages = []
    draft.blocks = []
    draft.bytes = 0
  }

  private func finish(_ current: inout Draft?, _ outcome: inout Outcome) async throws {
    guard var draft = current else { return }
    try await checkpoint(&draft, &outcome)
    try await vault.documents.finish(draft.document.id)
    outcome.stored.documents += 1
  }
}
