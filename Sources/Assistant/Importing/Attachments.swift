import Core
import Foundation
import Resources
import Storage

/// Files that belong to a conversation: read like any other, asked in it alone, gone with it.
extension Importing {
  /// Where an import goes. A conversation that does not exist yet begins with its files, so that none is left without one.
  func collection(for input: Import.Input, _ files: [FileFinder.Found]) async throws -> String {
    guard let id = input.conversation else { return try Attached.library(input.collection ?? "documents") }
    try await vault.conversations.join(id, as: Handed.folder(of: Caller.asking))
    if try await !vault.conversations.contains(id) {
      guard UUID(uuidString: id) != nil else { throw StorageError.missing(kind: "conversation", id: id) }
      _ = try await vault.conversations.create(title: ConversationTitle.of(files.first?.name ?? ""), id: id)
    }
    return Attached.collection(of: id)
  }

  /// Those of a conversation that came with its files from elsewhere.
  func readAttachments(of conversation: String) async throws {
    let attached = try await vault.conversations.all(conversation).flatMap(\.attachments)
    let files = try Self.files(of: attached, in: vault.blobs)
    guard !files.isEmpty else { return }
    let collection = Attached.collection(of: conversation)
    try await governor.during { [files] in try await run(files, into: collection) { _ in } }
  }
}

extension Importing {
  /// What is read of them: each original once, however often it is listed, and of each name one.
  static func files(of attached: [Attachment], in blobs: Blobs) throws -> [FileFinder.Found] {
    var (hashes, names): (Set<String>, Set<String>) = ([], [])
    return try attached.compactMap { attachment in
      guard !hashes.contains(attachment.hash), blobs.contains(attachment.hash), names.insert(attachment.name).inserted
      else { return nil }
      hashes.insert(attachment.hash)
      return .init(path: try blobs.url(attachment.hash).path, name: attachment.name)
    }
  }
}

extension Vault {
  /// A conversation that began with its files has the name of one until something is asked.
  func nameByQuestion(_ id: String, _ question: String) async throws {
    let title = try await conversations.get(id).title
    let files = try await documents.list(collection: Attached.collection(of: id)).map { ConversationTitle.of($0.name) }
    if files.contains(title) { try await conversations.rename(id, title: ConversationTitle.of(question)) }
  }

  /// A question with files attached to its conversation is asked of these, unless it names a collection or the library.
  func reaching(_ input: Ask.Input) async throws -> Ask.Input {
    guard input.collection == nil, input.library != true, let id = input.conversation,
      try await documents.hasAttached(to: id)
    else { return input }
    var input = input
    input.collection = Attached.collection(of: id)
    return input
  }

  /// What a question lists as attached to it.
  func attachments(_ names: [String], to conversation: String) async throws -> [Attachment] {
    guard !names.isEmpty else { return [] }
    let known = try await documents.list(collection: Attached.collection(of: conversation))
    return try names.map { name in
      // A file of records is many documents, none of which has its name.
      guard let document = known.first(where: { $0.name == name || $0.source?.hasSuffix("/" + name) == true }) else {
        throw StorageError.missing(kind: "attachment", id: name)
      }
      return Attachment(name: name, hash: document.hash, kind: document.kind, bytes: document.bytes)
    }
  }
}
