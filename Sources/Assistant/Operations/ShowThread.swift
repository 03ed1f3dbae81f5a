import Storage

/// The messages of mail that belong together, oldest first: those of the thread that a document is of, itself among them. What is no
/// message stands alone.
package enum ShowThread: Operation {
  package typealias Input = ReadDocument.Input
  /// As many are shown beside a document.
  static let most = 500

  package static let name = "documents-thread"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<DocumentEntry>) async throws {
    let document = try await ReadDocument.document(input, on: house.vault.documents)
    for entry in try await messages(with: document, in: house) { emit(entry) }
  }

  /// What is attached to a conversation is shown with what is attached there, and nothing of it with the library.
  static func messages(with document: StoredDocument, in house: House) async throws -> [DocumentEntry] {
    let collection = Attached.isCollection(document.collection) ? document.collection : nil
    var found: [StoredDocument] = []
    if let thread = document.thread { found = try await house.vault.documents.thread(thread, collection: collection) }
    if found.isEmpty { found = [document] }
    return found.map { DocumentEntry($0, missing: house.isMissing($0)) }
  }
}
