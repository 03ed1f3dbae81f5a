import Core
package import Foundation
import Resources
package import Storage

/// One document of the library, under the name answers and searches cite it by.
package struct DocumentEntry: Codable, Sendable {
  /// Of this document alone; others may have its name.
  package var id: String
  package var document: String
  package var title: String
  package var collection: String
  package var kind: String
  package var state: StoredDocument.State
  package var pages: Int?
  package var pagesDone: Int
  package var bytes: Int
  package var textBytes: Int
  /// Where it came from.
  package var source: String?
  /// The file it came from is gone.
  package var missing: Bool
  package var error: String?
  package var created: Date
  /// Of a message: what all of its thread have in common, who sent it and when.
  package var thread: String?
  package var sender: String?
  package var sent: Date?

  enum CodingKeys: String, CodingKey {
    case id, document, title, collection, kind, state, pages, bytes, source, missing, error, created
    case thread, sender, sent
    case pagesDone = "pages_done"
    case textBytes = "text_bytes"
  }

  init(_ document: StoredDocument, missing: Bool) {
    id = String(document.id)
    self.document = document.name
    title = document.title
    collection = document.collection
    kind = document.kind
    state = document.state
    pages = document.pages
    pagesDone = document.pagesDone
    bytes = document.bytes
    textBytes = document.textBytes
    source = document.source
    self.missing = missing
    error = document.error
    created = document.created
    (thread, sender) = (document.thread, document.sender)
    sent = document.sent.map { Date(timeIntervalSince1970: Double($0)) }
  }
}

package enum ListDocuments: Operation {
  package struct Input: Codable, Sendable, ReadsCollection {
    package var collection: String?
    /// Only those whose file is gone, which are offered for removal.
    package var missing: Bool?
    package init(collection: String? = nil, missing: Bool? = nil) {
      (self.collection, self.missing) = (collection, missing)
    }
  }
  package static let name = "documents"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<DocumentEntry>) async throws {
    // However many ask at once, one list of all that there is is made at a time.
    try await house.texts.run("a list", .person, cores: 1) { _ in
      for document in try await house.vault.documents.list(collection: input.collection) {
        let entry = DocumentEntry(document, missing: house.isMissing(document))
        if input.missing != true || entry.missing { emit(entry) }
      }
    }
  }
}

/// The text that the offsets of citations and passages point into, exactly.
package enum ReadDocument: Operation {
  package struct Input: Codable, Sendable, ReadsCollection {
    package var document: String?
    package var collection: String?
    /// Of the document, or of a citation in it, instead of a name that several may have.
    package var id: String?
    package init(document: String? = nil, collection: String? = nil, id: String? = nil) {
      (self.document, self.collection, self.id) = (document, collection, id)
    }
  }
  package struct Event: Codable, Sendable {
    package var document: String
    package var text: String
  }
  package static let name = "documents-text"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let shelf = house.vault.documents
    let document = try await document(input, on: shelf)
    // However many ask at once, one whole text is made at a time.
    try await house.texts.run("a text", .person, cores: 1) { _ in
      emit(Event(document: document.name, text: try await shelf.text(document.id)))
    }
  }

  static func document(_ input: Input, on shelf: DocumentShelf) async throws -> StoredDocument {
    if let id = input.id {
      guard let number = CitationPlace(id: id)?.document ?? Int64(id) else { throw CitationError.malformed(id) }
      return try await shelf.cited(number, as: id)
    }
    let name = input.document ?? ""
    guard let document = try await shelf.find(name: name, collection: input.collection) else {
      throw StorageError.missing(kind: "document", id: name)
    }
    return document
  }
}

extension DocumentShelf {
  /// The document that an id or a citation means. For whoever may not read conversations there is none that is attached to one.
  func cited(_ number: Int64, as id: String) async throws -> StoredDocument {
    let found: StoredDocument
    do { found = try await get(number) } catch { throw CitationError.gone(id) }
    guard Caller.asking.may(.manage) || !Attached.isCollection(found.collection) else { throw CitationError.gone(id) }
    return found
  }
}

/// Removes every document of these names, or none if one of them does not exist. Ends when nothing of them is left in the
/// files.
package enum RemoveDocuments: Operation {
  package struct Input: Codable, Sendable {
    package var documents: [String]
    package var collection: String?
    /// The conversation they are attached to.
    package var conversation: String?
    /// Documents by their own ids, besides those named.
    package var ids: [String]?
    package init(documents: [String], collection: String? = nil, ids: [String]? = nil) {
      (self.documents, self.collection, self.ids) = (documents, collection, ids)
    }
  }
  package struct Event: Codable, Sendable {
    package var removed: Int
  }
  package static let name = "documents-remove"
  package static let destroys = true
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let collection = input.conversation.map(Attached.collection) ?? input.collection
    let known = Dictionary(grouping: try await house.vault.documents.list(collection: collection)) {
      // By bytes: two names that only look alike are two documents.
      Data($0.name.utf8)
    }
    let named = try input.documents.flatMap { name in
      guard let found = known[Data(name.utf8)] else { throw StorageError.missing(kind: "document", id: name) }
      return found.map(\.id)
    }
    let chosen = Set(named).union(
      try (input.ids ?? []).map { id in
        guard let number = Int64(id) else { throw StorageError.missing(kind: "document", id: id) }
        return number
      })
    try await house.vault.documents.remove(chosen.sorted())
    try await house.forgetTraces(ofConversations: false)
    emit(Event(removed: chosen.count))
  }
}

/// Puts documents of the library into another collection; all of them, or none where one cannot go.
package enum MoveDocuments: Operation {
  package struct Input: Codable, Sendable {
    package var ids: [String]
    package var collection: String
    package init(ids: [String], collection: String) { (self.ids, self.collection) = (ids, collection) }
  }
  package struct Event: Codable, Sendable {
    package var moved: Int
  }
  package static let name = "documents-move"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let library = Set(try await house.vault.documents.list().map(\.id))
    let documents = try input.ids.map { id in
      // What is attached to a conversation goes with it, and is not moved.
      guard let number = Int64(id), library.contains(number) else {
        throw StorageError.missing(kind: "document", id: id)
      }
      return number
    }
    guard !input.collection.isEmpty, !Attached.isCollection(input.collection), Attached.isBearable(input.collection)
    else {
      throw StorageError.missing(kind: "collection", id: input.collection)
    }
    emit(Event(moved: try await house.vault.documents.move(documents, toCollection: input.collection)))
  }
}

package enum ListCollections: Operation {
  package struct Event: Codable, Sendable {
    package var collection: String
    package var documents: Int
  }
  package static let name = "collections"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Event>) async throws {
    for (name, documents) in try await house.vault.documents.collections() {
      emit(Event(collection: name, documents: documents))
    }
  }
}

/// Removes a collection with its documents.
package enum RemoveCollection: Operation {
  package struct Input: Codable, Sendable {
    package var collection: String
    package init(collection: String) { self.collection = collection }
  }
  package static let name = "collections-remove"
  package static let destroys = true
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try await house.vault.documents.removeCollection(input.collection)
    try await house.forgetTraces(ofConversations: false)
    emit(Nothing())
  }
}
