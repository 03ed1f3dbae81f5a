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
  let emit: @Sendable (ImportEvent) -> Void

  /// How much is committed at once: little enough to lose little, much enough that commits do not cost more than reading.
  private static let checkpointBytes = 96 << 10
  private static let checkpointPages = 24

  struct Outcome: Sendable {
    var documents: [Int64] = []
    var known = 0
    var pages = 0
    var problems: [String] = []
  }

  func run(_ found: FileFinder.Found) async throws -> Outcome {
    let hash = try vault.blobs.keep(file: found.file)
    let bytes = try FileManager.default.attributesOfItem(atPath: found.file.path)[.size] as? Int ?? 0
    var outcome = Outcome()
    var current: Draft?
    let kept = try await resumePoint(found, hash)
    if let kept, kept.state != .stored {
      outcome.known = 1
      return outcome
    }
    var request = ParseRequest(name: found.name)
    request.first = (kept?.pagesDone ?? 0) + 1
    for try await event in reader.parse(vault.blobs.url(hash), request) {
      switch event {
      case .document(let info):
        try await finish(&current, &outcome)
        current = try await begin(info, found, hash, bytes, &outcome)
      case .page(let page):
        try await take(page, &current, &outcome)
      case .problem(let problem):
        outcome.problems.append("page \(problem.page): \(problem.error.message)")
      case .progress(let progress):
        emit(ImportEvent(.progress, found.name, pagesDone: progress.done, pages: progress.of))
      case .done: break
      }
    }
    try Task.checkCancellation()
    try await finish(&current, &outcome)
    return outcome
  }

  // MARK: One document of the file

  private struct Draft {
    var document: Document
    var info: DocumentInfo
    var mapping: PageMapping
    var headings: [Chunker.Heading] = []
    var pages: [Storage.Page] = []
    var blocks: [TextBlock] = []
    var pagesDone: Int
    var skipped = false
  }

  private func resumePoint(_ found: FileFinder.Found, _ hash: String) async throws -> Document? {
    guard let document = try await vault.documents.find(name: found.name, collection: collection),
      document.hash == hash
    else { return nil }
    return document
  }

  private func begin(
    _ info: DocumentInfo, _ found: FileFinder.Found, _ hash: String, _ bytes: Int, _ outcome: inout Outcome
  ) async throws -> Draft {
    // A record is a document of its own; its identity is its id within this file's bytes.
    let name = info.record ?? found.name
    let identity = info.record.map { SHA256.of(Data("\(hash)/\($0)".utf8)) } ?? hash
    let title = info.title.flatMap { $0.isEmpty ? nil : $0 } ?? (name as NSString).lastPathComponent
    var new = NewDocument(name: name, hash: identity, title: title, kind: info.kind.rawValue, bytes: bytes)
    new.collection = collection
    new.source = found.file.path
    new.pages = info.pages
    switch try await vault.documents.begin(new) {
    case .proceed(let document):
      return Draft(
        document: document, info: info,
        mapping: PageMapping(after: document.textBytes, hasPages: info.pages != nil), pagesDone: document.pagesDone)
    case .known(let document):
      outcome.known += 1
      try await follow(document, to: found, as: name)
      var draft = Draft(
        document: document, info: info, mapping: PageMapping(after: 0, hasPages: false), pagesDone: document.pagesDone)
      draft.skipped = true
      return draft
    }
  }

  /// The same bytes under another name, while the file they came from is gone: it was moved.
  private func follow(_ document: Document, to found: FileFinder.Found, as name: String) async throws {
    guard let source = document.source, source != found.file.path, !FileManager.default.fileExists(atPath: source)
    else {
      return
    }
    try await vault.documents.rename(document.id, name: name, source: found.file.path)
  }

  private func take(_ page: Documents.Page, _ current: inout Draft?, _ outcome: inout Outcome) async throws {
    guard var draft = current, !draft.skipped else { return }
    let (stored, blocks) = draft.mapping.map(page)
    draft.pages.append(stored)
    draft.blocks += blocks
    draft.pagesDone = page.number
    outcome.pages += 1
    let bytes = draft.pages.reduce(0) { $0 + $1.text.utf8.count }
    if bytes >= Self.checkpointBytes || draft.pages.count >= Self.checkpointPages { try await checkpoint(&draft) }
    current = draft
  }

  private func checkpoint(_ draft: inout Draft) async throws {
    guard !draft.pages.isEmpty else { return }
    let chunks = try await chunker.chunks(of: draft.blocks, title: draft.document.title, headings: &draft.headings)
    try await vault.documents.append(
      to: draft.document.id, pages: draft.pages, chunks: chunks, pagesDone: draft.pagesDone)
    draft.pages = []
    draft.blocks = []
  }

  private func finish(_ current: inout Draft?, _ outcome: inout Outcome) async throws {
    guard var draft = current else { return }
    current = nil
    guard !draft.skipped else { return }
    try await checkpoint(&draft)
    try await vault.documents.finish(draft.document.id)
    outcome.documents.append(draft.document.id)
  }
}
