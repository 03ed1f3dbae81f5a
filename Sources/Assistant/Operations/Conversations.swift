import Commands
package import Core
import Foundation
import Resources
package import Storage

/// Every conversation, the latest first.
package enum ListConversations: Operation {
  package static let name = "conversations"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<StoredConversation>) async throws {
    try await house.texts.run("a list", .person, cores: 1) { _ in
      for conversation in try await house.vault.conversations.list() { emit(conversation) }
    }
  }
}

/// One conversation with every turn of every branch.
package enum ShowConversation: Operation {
  package static let name = "conversations-show"
  package static func run(_ input: ItemInput, in house: House, emit: @escaping Emit<ConversationView>) async throws {
    try await house.texts.run("a conversation", .person, cores: 1) { _ in
      emit(try await house.vault.conversation(input.id))
    }
  }
}

/// Conversations in which any of the words occurs, in what was said or in the title, the best first.
package enum SearchConversations: Operation {
  package struct Input: Codable, Sendable {
    package var query: String
    package init(query: String) { self.query = query }
  }
  package struct Event: Codable, Sendable {
    package var id: String
    package var title: String
    package var message: String?
    /// Around the words that were found, with them between ‹ and ›.
    package var text: String
  }
  package static let name = "conversations-search"
  package static func said(in input: Input) -> (text: String, most: Int)? { (input.query, LongQuestion.brief) }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    for hit in try await house.vault.conversations.search(input.query) {
      emit(
        Event(
          id: hit.conversation, title: hit.title, message: hit.message.isEmpty ? nil : hit.message,
          text: hit.excerpt))
    }
  }
}

package enum RenameConversation: Operation {
  package struct Input: Codable, Sendable {
    package var id: String
    package var title: String
    package init(id: String, title: String) { (self.id, self.title) = (id, title) }
  }
  package static let name = "conversations-rename"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try await house.vault.conversations.rename(input.id, title: input.title)
    emit(Nothing())
  }
}

/// Puts conversations into a folder of the person's.
package enum MoveConversations: Operation {
  package struct Input: Codable, Sendable {
    package var ids: [String]
    /// nil takes them out of the folders they are in. A folder is made by what is put into it, and gone with the last of that.
    package var folder: String?
    package init(ids: [String], folder: String?) { (self.ids, self.folder) = (ids, folder) }
  }
  package static let name = "conversations-move"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try await house.vault.conversations.move(input.ids, to: input.folder)
    emit(Nothing())
  }
}

/// Ends when nothing of them is left in the files.
package enum DeleteConversations: Operation {
  package struct Input: Codable, Sendable {
    package var ids: [String]
    package init(ids: [String]) { self.ids = ids }
  }
  package static let name = "conversations-delete"
  package static let destroys = true
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try await house.vault.conversations.remove(input.ids)
    try house.actions.history.forget(saidIn: Set(input.ids))
    try await house.forgetTraces(ofConversations: true)
    emit(Nothing())
  }
}

package enum ArchiveFormat: String, Codable, Sendable, CaseIterable {
  case json, markdown
}

/// Conversations as one text from which they come back without loss.
package enum ExportConversations: Operation {
  package struct Input: Codable, Sendable {
    /// nil: all of them.
    package var ids: [String]?
    package var format: ArchiveFormat?
    package init(ids: [String]?, format: ArchiveFormat?) { (self.ids, self.format) = (ids, format) }
  }
  package struct Event: Codable, Sendable {
    package var text: String
  }
  package static let name = "conversations-export"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let archive = try await house.vault.conversations.archive(input.ids)
    let text =
      switch input.format ?? .json {
      case .json: String(decoding: try archive.json(), as: UTF8.self)
      case .markdown: try archive.markdown()
      }
    guard text.utf8.count <= ConversationArchive.mostBytes else {
      throw StorageError.invalid(
        "The export would be too large to be taken in again. Export fewer conversations at once.")
    }
    emit(Event(text: text))
  }
}

/// Exported files, ours in either format or other programs' (`OthersConversations`); one that is here already becomes a second
/// conversation.
package enum ImportConversations: Operation {
  package struct Input: Codable, Sendable {
    /// Absolute.
    package var paths: [String]
    package init(paths: [String]) { self.paths = paths }
  }
  package static let name = "conversations-import"
  package static let places: [String: PlaceUse] = ["paths": .reads]
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<StoredConversation>) async throws {
    for path in input.paths {
      let data: Data
      do {
        data = try await waitingForDisk { _ in try RegularFile.whole(path, limit: ConversationArchive.mostBytes) }
      } catch FileError.missing {
        throw ImportError.notFound(path)
      }
      let others = try OthersConversations(data)
      let isJSON = data.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "{")
      let archive =
        try others?.archive
        ?? (isJSON
          ? ConversationArchive(json: data) : ConversationArchive(markdown: String(decoding: data, as: UTF8.self)))
      for id in try await house.vault.conversations.add(archive) {
        try await house.importing.readAttachments(of: id)
        emit(try await house.vault.conversations.get(id))
      }
      if let others, others.unread > 0 {
        throw AssistantError.partlyRead(path, others.unread, of: others.unread + others.archive.conversations.count)
      }
    }
  }
}

/// Asks a question of the conversation again, in its own words or in others; what was there stays as another branch.
package enum BranchConversation: Operation {
  package struct Input: Codable, Sendable {
    package var id: String
    /// The turn, by its question's or its answer's id.
    package var message: String
    /// nil: the same words.
    package var question: String?
    package var mode: Mode?
    package var pack: String?
    package init(id: String, message: String, question: String? = nil) {
      (self.id, self.message, self.question) = (id, message, question)
    }
  }
  package static let name = "conversations-branch"
  package static func said(in input: Input) -> (text: String, most: Int)? { (input.question ?? "", LongQuestion.most) }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Ask.Event>) async throws {
    try await Ask.run(house.vault.question(for: input), in: house, emit: emit)
  }
}

/// Shows the branch through a message, to its latest end.
package enum ChooseBranch: Operation {
  package struct Input: Codable, Sendable {
    package var message: String
    package init(message: String) { self.message = message }
  }
  package static let name = "conversations-choose"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try await house.vault.conversations.show(input.message)
    emit(Nothing())
  }
}
