import Core
package import Foundation

/// A document as the vault knows it.
package struct StoredDocument: Sendable, Equatable, Codable, Identifiable {
  package enum State: String, Sendable, Codable {
    /// Text is arriving; what has arrived can be found by words.
    case stored
    /// All text is there and found by words; vectors are missing.
    case indexed
    /// Everything is there.
    case ready
    case failed
  }

  package var id: Int64
  package var collection: String
  /// The path under the imported root, or a record's own id.
  package var name: String
  /// The absolute path it came from, where there is one.
  package var source: String?
  package var hash: String
  package var title: String
  package var kind: String
  package var state: State
  package var pages: Int?
  package var pagesDone: Int
  package var bytes: Int
  package var textBytes: Int
  /// The headings in force after `pagesDone`, as the import wrote them; nil once all text is there.
  package var headings: String?
  package var error: String?
  package var created: Date
  package var updated: Date
  /// Of mail: what all messages of one thread have in common, who sent it and when (seconds since 1970).
  package var thread: String?
  package var sender: String?
  package var sent: Int?

  enum CodingKeys: String, CodingKey {
    case id, collection, name, source, hash, title, kind, state, pages, bytes, headings, error, created, updated
    case thread, sender, sent
    case pagesDone = "pages_done"
    case textBytes = "text_bytes"
  }

  static let columns = """
    d.id, c.name, d.name, d.source, d.hash, d.title, d.kind, d.state, d.pages, d.pages_done, d.bytes, d.text_bytes, \
    d.headings, d.error, d.created, d.updated, d.thread, d.sender, d.sent
    """

  init(_ row: Row) {
    id = row.int64(0)
    collection = row.text(1)
    name = row.text(2)
    source = row.optional(3, row.text)
    hash = row.text(4)
    title = row.text(5)
    kind = row.text(6)
    state = State(rawValue: row.text(7)) ?? .failed
    pages = row.optional(8, row.int)
    pagesDone = row.int(9)
    bytes = row.int(10)
    textBytes = row.int(11)
    headings = row.optional(12, row.text)
    error = row.optional(13, row.text)
    created = row.date(14)
    updated = row.date(15)
    thread = row.optional(16, row.text)
    sender = row.optional(17, row.text)
    sent = row.optional(18, row.int)
  }
}

/// What is known of a document when its import begins.
package struct NewDocument: Sendable {
  package var collection = "documents"
  package var name: String
  package var source: String?
  package var hash: String
  /// The hash of the file's bytes where that is another: of the file a record stands in.
  package var original: String?
  package var title: String
  package var kind: String
  package var pages: Int?
  package var bytes: Int
  package var mail: MailPlace?

  package init(name: String, hash: String, title: String, kind: String, bytes: Int) {
    self.name = name
    self.hash = hash
    self.title = title
    self.kind = kind
    self.bytes = bytes
  }
}

/// Where a message of mail belongs. Ids are told by hashes of them, so that none is too long or odd to be kept.
package struct MailPlace: Sendable, Equatable {
  /// Of its own id; nil where it has none.
  package var message: String?
  /// Of the id that its thread began with, as far as it tells itself.
  package var thread: String
  package var sender: String?
  /// Seconds since 1970.
  package var sent: Int?

  /// Nil where what was told is no hash.
  package init?(message: String?, thread: String?, sender: String?, sent: Int?) {
    guard let thread, Self.isHash(thread), message.map(Self.isHash) ?? true else { return nil }
    (self.message, self.thread, self.sender) = (message, thread, sender.map { $0.letters(300) })
    self.sent = sent.flatMap { Self.times.contains($0) ? $0 : nil }
  }

  /// As many hexadecimal digits as a hash is kept with.
  package static let digits = 32
  static let times = -100_000_000_000...100_000_000_000

  private static func isHash(_ text: String) -> Bool {
    text.utf8.count == digits && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

/// A document that comes in one piece, with its text and chunks.
package struct WholeDocument: Sendable {
  package var document: NewDocument
  package var pages: [StoredPage]
  package var chunks: [ChunkText]
  /// The number of its last page, of which some before may be missing.
  package var pagesDone: Int

  package init(_ document: NewDocument, pages: [StoredPage], chunks: [ChunkText], pagesDone: Int? = nil) {
    self.document = document
    self.pages = pages
    self.chunks = chunks
    self.pagesDone = pagesDone ?? pages.count
  }
}

/// One page, or the whole text of a document without pages (number 0).
package struct StoredPage: Sendable, Equatable {
  package var number: Int
  /// Where the page begins in the document's text, in UTF-8 bytes.
  package var start: Int
  package var text: String
  package var width: Double?
  package var height: Double?
  /// Where each character lies, as the Documents room packs it.
  package var boxes: Data?

  package init(number: Int, start: Int, text: String, width: Double? = nil, height: Double? = nil, boxes: Data? = nil) {
    self.number = number
    self.start = start
    self.text = text
    self.width = width
    self.height = height
    self.boxes = boxes
  }
}

/// A stretch of a document that is found and read as one. Offsets are UTF-8 bytes in the document's text.
package struct ChunkText: Sendable, Equatable {
  package var pageFrom: Int?
  package var pageTo: Int?
  package var start: Int
  package var end: Int
  /// The document's title and the headings above, joined by " › ".
  package var heading: String
  package var text: String
  package var tokens: Int

  package init(
    pageFrom: Int?, pageTo: Int?, start: Int, end: Int, heading: String, text: String, tokens: Int
  ) {
    self.pageFrom = pageFrom
    self.pageTo = pageTo
    self.start = start
    self.end = end
    self.heading = heading
    self.text = text
    self.tokens = tokens
  }
}

package struct Chunk: Sendable, Equatable, Identifiable {
  package var id: Int64
  package var document: Int64
  package var ordinal: Int
  package var content: ChunkText

  static let columns =
    "k.id, k.document, k.ordinal, k.page_from, k.page_to, k.start, k.end, k.heading, k.text, k.tokens"

  init(_ row: Row) {
    id = row.int64(0)
    document = row.int64(1)
    ordinal = row.int(2)
    content = ChunkText(
      pageFrom: row.optional(3, row.int), pageTo: row.optional(4, row.int), start: row.int(5), end: row.int(6),
      heading: row.text(7), text: row.text(8), tokens: row.int(9))
  }
}
