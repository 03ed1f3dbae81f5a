public import Assistant
public import Foundation
import Storage

/// One line of the list of conversations.
public struct ConversationLine: Sendable, Codable, Equatable, Identifiable {
  public var id: UUID
  public var title: String
  public var created: Date
  public var updated: Date
  public var messages: Int
}

/// A question with its answer.
public struct ConversationTurn: Sendable, Codable, Equatable, Identifiable {
  /// What `AskOptions.following` takes.
  public var id: String
  /// The turn that it follows.
  public var parent: String?
  public var question: String
  /// nil: it was never answered. What a tool of another program said names the program first.
  public var text: String?
  public var answer: Answer?
  public var attachments: [String]
  public var created: Date
  /// Whether it lies on the branch that is shown.
  public var isShown: Bool
}

/// A conversation with every turn of every branch, in the order they were written.
public struct Conversation: Sendable, Codable, Equatable, Identifiable {
  public var id: UUID
  public var title: String
  public var turns: [ConversationTurn]
  /// The names of all files that are attached to it.
  public var attached: [String]
}

/// A conversation in which words were found.
public struct ConversationHit: Sendable, Codable, Equatable {
  public var conversation: UUID
  public var title: String
  /// Around the words that were found, with them between ‹ and ›.
  public var text: String
}

/// The conversations of one home.
public struct Conversations: Sendable {
  let libera: Libera

  /// Every conversation, the latest first.
  public func list() async throws -> [ConversationLine] {
    try await libera.all(ListConversations.self, Nothing()).compactMap { one in
      UUID(uuidString: one.id).map {
        ConversationLine(id: $0, title: one.title, created: one.created, updated: one.updated, messages: one.messages)
      }
    }
  }

  public func show(_ id: UUID) async throws -> Conversation {
    let view = try await libera.one(ShowConversation.self, ItemInput(id: id.uuidString.lowercased()))
    return Conversation(
      id: id, title: view.title,
      turns: view.turns.map { turn in
        ConversationTurn(
          id: turn.id, parent: turn.parent, question: turn.question, text: turn.marked, answer: turn.record,
          attachments: turn.attachments, created: turn.created, isShown: turn.shown)
      }, attached: view.attached)
  }

  /// Shows the branch through a turn, to its latest end: what the next question follows.
  public func choose(_ turn: ConversationTurn.ID) async throws {
    _ = try await libera.one(ChooseBranch.self, ChooseBranch.Input(message: turn))
  }

  /// Returns once no question is being answered in it: what a stopped answer had come to is kept by then.
  public func settled(_ id: UUID) async throws { try await libera.house.settled(id.uuidString.lowercased()) }

  /// Conversations in which any of the words occurs, the best first.
  public func search(_ words: String) async throws -> [ConversationHit] {
    try await libera.all(SearchConversations.self, SearchConversations.Input(query: words)).compactMap { hit in
      UUID(uuidString: hit.id).map { ConversationHit(conversation: $0, title: hit.title, text: hit.text) }
    }
  }

  public func rename(_ id: UUID, to title: String) async throws {
    _ = try await libera.one(
      RenameConversation.self, RenameConversation.Input(id: id.uuidString.lowercased(), title: title))
  }

  /// When it returns nothing of them is left in the files.
  public func delete(_ ids: [UUID]) async throws {
    _ = try await libera.one(
      DeleteConversations.self, DeleteConversations.Input(ids: ids.map { $0.uuidString.lowercased() }))
  }

  /// Conversations as Markdown, from which they come back without loss; nil: all of them.
  public func markdown(_ ids: [UUID]? = nil) async throws -> String {
    try await libera.one(
      ExportConversations.self,
      ExportConversations.Input(ids: ids?.map { $0.uuidString.lowercased() }, format: .markdown)
    ).text
  }
}

extension Libera {
  /// The conversations of this home.
  public var conversations: Conversations { Conversations(libera: self) }
}
