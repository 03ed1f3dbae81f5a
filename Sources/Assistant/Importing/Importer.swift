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
  private static let checkpointRecords = 512

  struct Outcome: Sendable {
    var stored = DocumentShelf.Stored()
    /// What is read and not stored yet: see `store`.
    var draft: Draft?
    var known = 0
    var pages = 0
    var problems: [String] = []
    /// How many problems there were beyond those kept.
    var furtherProblems = 0

    mutating func add(problem: String) {
      if problems.count < 20 { problems.append(problem) } else { furtherProblems += 1 }
    }
  }

  /// What a file holds; a document that came to no checkpoint is left to `store`. The caller has put the file's bytes into the vault's
  /// originals and holds them there.
  func read(_ found: FileFinder.Found, original hash: String) async throws -> Outcome {
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
    let bytes = try RegularFile(original.path).bytes
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
        case .document(let info):
          current = try await begin(document(info, found, hash, bytes), goesOn: kept != nil, &outcome)
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
        case .reading, .readingAttached, .done: break
        }
      }
      try Task.checkCancellation()
      stored(try await records.store(&outcome))
      if let current { try await finish(current, &outcome) }
    } catch {
      if let current { try await giveUp(current, error) }
      throw error
    }
    return outcome
  }

  /// Stores what is left to be stored of many files, in one transaction, and returns what they came to then.
  func store(_ outcomes: [Outcome]) async throws -> [Outcome] {
    let drafts = outcomes.compactMap(\.draft)
    guard !drafts.isEmpty else { return outcomes }
    var sources = drafts.map { Chunker.Source(blocks: $0.blocks, title: $0.new.title) }
    let chunks = try await chunker.chunks(of: &sources)
    let whole = zip(drafts, chunks).map { draft, chunks in
      WholeDocument(draft.new, pages: draft.pages, chunks: chunks, pagesDone: draft.pagesDone)
    }
    let made = try await vault.documents.take(whole)
    stored(made.reduce(into: DocumentShelf.Stored()) { $0.add($1) })
    var next = made.makeIterator()
    return outcomes.map { outcome in
      guard outcome.draft != nil, let stored = next.next() else { return outcome }
      var outcome = outcome
      outcome.draft = nil
      outcome.stored.add(stored)
      if stored.documents == 0 { outcome.known += 1 }
      return outcome
    }
  }

  /// What a person stopped goes on at the next import, and so does what found no room; the rest has failed and says why.
  func giveUp(_ draft: Draft, _ error: any Error) async throws {
    guard !(error is CancellationError), !(error is StorageError), !Task.isCancelled else { return }
    var document = draft.stored
    if document == nil, case .proceed(let begun) = try await vault.documents.begin(draft.new) { document = begun.id }
    if let document { try await vault.documents.fail(document, reason: RemoteError(error).message) }
  }

  // MARK: One document of the file

  struct Draft: Sendable {
    let new: NewDocument
    /// Its number in the vault, once a part of it is there.
    var stored: Int64?
    var mapping: PageMapping
    var headings: [Chunker.Heading] = []
    var pages: [StoredPage] = []
    var blocks: [TextBlock] = []
    var bytes = 0
    var pagesDone = 0

    init(_ new: NewDocument) {
      self.new = new
      mapping = PageMapping(after: 0, hasPages: new.pages != nil)
    }

    /// One that goes on where the last checkpoint ended.
    init(_ new: NewDocument, after kept: StoredDocument) throws {
      self.new = new
      (stored, pagesDone) = (kept.id, kept.pagesDone)
      mapping = PageMapping(after: kept.textBytes, hasPages: new.pages != nil)
      headings = try kept.headings.map { try JSON.decode([Chunker.Heading].self, from: Data($0.utf8)) } ?? []
    }

    mutating func add(_ page: Page) {
      let (stored, blocks) = mapping.map(page)
      pages.append(stored)
      self.blocks += blocks
      bytes += stored.text.utf8.count
      pagesDone = page.number
    }

    var isFull: Bool { bytes >= Importer.checkpointBytes || pages.count >= Importer.checkpointPages }
  }

  private func source(_ found: FileFinder.Found) -> String? {
    found.path.hasPrefix(passing.path) ? nil : found.path
  }

  private func document(
    _ info: DocumentInfo, _ found: FileFinder.Found, _ hash: String, _ bytes: Int
  ) -> NewDocument {
    let title = DocumentTitle.of(info.title ?? "", file: found.name)
    // It stands beside everything that is found in it, and before a model.
    var new = NewDocument(
      name: found.name, hash: hash, title: HeadingPath.part(title), kind: info.kind.rawValue, bytes: bytes)
    new.collection = collection
    new.source = source(found)
    new.pages = info.pages
    new.mail = info.place
    return new
  }

  /// `goesOn`: a part of it may be in the vault. Of any other nothing is there before its first checkpoint.
  private func begin(_ new: NewDocument, goesOn: Bool, _ outcome: inout Outcome) async throws -> Draft? {
    guard goesOn else { return Draft(new) }
    guard case .proceed(let kept) = try await vault.documents.begin(new) else {
      outcome.known += 1
      return nil
    }
    var new = new
    new.title = kept.title
    return try Draft(new, after: kept)
  }

  /// The same bytes under another name, while the file they came from is gone: it was moved.
  private func follow(_ document: StoredDocument, to found: FileFinder.Found) async throws {
    guard let source = document.source, source != found.path, !RegularFile.exists(source)
    else { return }
    try await vault.documents.rename(document.id, name: found.name, source: self.source(found))
  }

  private func take(_ page: Page, _ current: inout Draft?, _ outcome: inout Outcome) async throws {
    guard current != nil else { return }
    current?.add(page)
    outcome.pages += 1
    if let draft = current, draft.isFull { current = try await checkpoint(draft, &outcome) }
  }

  /// Stores what was read since the last one. Returns how it goes on; nil where the document is in the vault as a whole.
  private func checkpoint(_ draft: Draft, _ outcome: inout Outcome) async throws -> Draft? {
    guard !draft.pages.isEmpty else { return draft }
    var draft = draft
    if draft.stored == nil {
      guard case .proceed(let begun) = try await vault.documents.begin(draft.new) else {
        outcome.known += 1
        return nil
      }
      draft.stored = begun.id
    }
    guard let document = draft.stored else { return nil }
    let chunks = try await chunker.chunks(of: draft.blocks, title: draft.new.title, headings: &draft.headings)
    let made = try await vault.documents.append(
      to: document, pages: draft.pages, chunks: chunks, pagesDone: draft.pagesDone,
      headings: try JSON.line(draft.headings))
    outcome.stored.add(made)
    stored(made)
    (draft.pages, draft.blocks, draft.bytes) = ([], [], 0)
    return draft
  }

  private func finish(_ draft: Draft, _ outcome: inout Outcome) async throws {
    guard draft.stored != nil else { return outcome.draft = draft }
    guard let document = try await checkpoint(draft, &outcome)?.stored else { return }
    try await vault.documents.finish(document)
    outcome.stored.documents += 1
  }
}
