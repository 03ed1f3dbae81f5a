import Core
import Documents
import Foundation
import Retrieval
import Storage

extension DocumentInfo {
  /// Nothing for what is no message, and for one that says nothing of itself.
  var place: MailPlace? {
    mail.flatMap { MailPlace(message: $0.message, thread: $0.thread, sender: author, sent: $0.sent) }
  }
}

/// Records of one file on their way into the vault, many in one transaction. Each is a document of its own, known by its id
/// and content: a file of which one line was changed brings one new document.
struct RecordBatch {
  private let vault: Vault
  private let chunker: Chunker
  private let collection: String
  private let source: String?
  private let original: String
  private var waiting: [(info: DocumentInfo, page: Page)] = []
  private var info: DocumentInfo?
  private var isFirst = true
  private(set) var bytes = 0

  init(vault: Vault, chunker: Chunker, collection: String, source: String?, original: String) {
    self.vault = vault
    self.chunker = chunker
    self.collection = collection
    self.source = source
    self.original = original
  }

  /// A record has begun, and its page is what comes next.
  var isOpen: Bool { info != nil }
  var count: Int { waiting.count }

  /// The reader makes no longer names, and stands where strangers' words are taken apart.
  private static let longestName = 1100

  mutating func begin(_ info: DocumentInfo) {
    self.info = info
    self.info?.record = info.record?.letters(Self.longestName)
  }

  mutating func add(_ page: Page) {
    guard let info else { return }
    waiting.append((info, page))
    bytes += page.cost
    self.info = nil
  }

  /// Returns what was new.
  mutating func store(_ outcome: inout Importer.Outcome) async throws -> DocumentShelf.Stored {
    guard !waiting.isEmpty else { return DocumentShelf.Stored() }
    if isFirst, let source { try await vault.documents.replaceByRecords(source: source, collection: collection) }
    isFirst = false
    let records = waiting
    (waiting, bytes) = ([], 0)
    let hashes = records.map { Self.identity($0.info, $0.page) }
    var known = try await vault.documents.known(hashes, collection: collection)
    for (hash, one) in try await renamed(zip(records, hashes).filter { known[$0.1] == nil }) { known[hash] = one }
    try await follow(known)
    let fresh = zip(records, hashes).filter { known[$0.1] == nil }
    var pages: [StoredPage] = []
    var sources: [Chunker.Source] = []
    for ((info, page), _) in fresh {
      var mapping = PageMapping(after: 0, hasPages: false)
      let (stored, blocks) = mapping.map(page)
      pages.append(stored)
      // Without a title its chunks have none above them: the id would be a word to be found by.
      sources.append(Chunker.Source(blocks: blocks, title: info.title ?? ""))
    }
    let chunks = try await chunker.chunks(of: &sources)
    let whole = zip(fresh, zip(pages, chunks)).map { one, parts in
      WholeDocument(
        document(one.0.info, hash: one.1, bytes: parts.0.text.utf8.count), pages: [parts.0], chunks: parts.1)
    }
    let stored = try await vault.documents.take(whole).reduce(into: DocumentShelf.Stored()) { $0.add($1) }
    outcome.stored.add(stored)
    outcome.known += records.count - stored.documents
    outcome.pages += records.count
    return stored
  }

  /// Earlier versions gave a message whose own name ends in a number none of ours. It stays the document that it is, under its name of
  /// now, before another one is given the name that it had.
  private func renamed(
    _ fresh: [((info: DocumentInfo, page: Page), String)]
  ) async throws -> [String: (id: Int64, source: String?)] {
    var renamed: [String: (id: Int64, source: String?)] = [:]
    for ((info, page), hash) in fresh {
      guard info.kind == .mailbox, let name = info.record, name.contains(#/ \(\d+\) \(1\)$/#) else { continue }
      var earlier = info
      earlier.record = String(name.dropLast(4))
      let earlierHash = Self.identity(earlier, page)
      guard let one = try await vault.documents.known([earlierHash], collection: collection)[earlierHash],
        source == nil || one.source == source
      else { continue }
      try await vault.documents.rename(record: one.id, name: name, hash: hash)
      renamed[hash] = one
    }
    return renamed
  }

  private func document(_ info: DocumentInfo, hash: String, bytes: Int) -> NewDocument {
    let title = HeadingPath.part(info.title ?? info.record ?? "")
    var new = NewDocument(
      name: info.record ?? "", hash: hash, title: title, kind: info.kind.rawValue,
      bytes: bytes)
    new.collection = collection
    new.source = source
    new.original = original
    new.mail = info.place
    return new
  }

  static func identity(_ info: DocumentInfo, _ page: Page) -> String {
    let parts = [info.record ?? "", info.title ?? "", page.text].map { "\($0.utf8.count):\($0)" }
    return SHA256.of(Data(parts.joined().utf8))
  }

  /// The same records while the file they came from is gone: it was moved.
  private func follow(_ known: [String: (id: Int64, source: String?)]) async throws {
    guard let source else { return }
    for (old, records) in Dictionary(grouping: known.values, by: \.source) {
      guard let old, old != source, !RegularFile.exists(old) else { continue }
      try await vault.documents.move(records.map(\.id), to: source)
    }
  }
}
