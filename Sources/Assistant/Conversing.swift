import Core
import Foundation
import Storage

/// The turns under way, in their conversations. The vault holds these, so a restart changes nothing.
actor Conversing {
  private let vault: Vault
  private let claims = Claims()
  /// Where each stands: the message that holds its question, and the turns before it.
  private typealias Place = (question: String, turns: [Prompt.Turn])
  private var places: [String: Place] = [:]

  init(_ vault: Vault) { self.vault = vault }

  /// Stores the question, then runs its turn. A conversation has one turn at a time: a stopped answer is stored before the next
  /// question finds its place.
  func run(_ input: Ask.Input, _ turn: @Sendable () async throws -> Void) async throws {
    guard let conversation = input.conversation else { return try await turn() }
    try await claims.hold(conversation)
    // Whoever waits for turns waits for this one from now on.
    places[conversation] = ("", [])
    defer {
      places[conversation] = nil
      claims.release(conversation)
    }
    places[conversation] = try await place(input, in: conversation)
    try await turn()
  }

  /// The turns before the one under way, as their prompts were.
  func turns(of conversation: String?) -> [Prompt.Turn] { conversation.flatMap { places[$0]?.turns } ?? [] }

  /// Stores the answer of the turn under way and returns its id.
  func remember(_ turn: Prompt.Turn, _ record: AnswerRecord, in conversation: String?) async throws -> String? {
    guard let conversation, let place = places[conversation] else { return nil }
    let kept = try JSON.line(KeptAnswer(turn, record))
    let shelf = vault.conversations
    // A task of its own: stopping an answer cancels this one, and what was written until then is kept all the same.
    return try await Task { () -> String? in
      // Deleted while it was written on: nothing of it is kept.
      guard try await shelf.contains(conversation) else { return nil }
      return try await shelf.append(
        to: conversation, after: .message(place.question), role: StoredMessage.assistant, text: record.answer,
        record: kept
      ).id
    }.value
  }

  /// Gives turns that were stopped the time to store what they have. One that nobody stopped is not waited for.
  func awaitTurns() async {
    for _ in 0..<100 where !places.isEmpty {
      guard await waited(.milliseconds(20)) else { return }
    }
  }

  private func place(_ input: Ask.Input, in id: String) async throws -> Place {
    let shelf = vault.conversations
    if try await !shelf.contains(id) {
      guard UUID(uuidString: id) != nil else { throw StorageError.missing(kind: "conversation", id: id) }
      _ = try await shelf.create(title: ConversationTitle.of(input.question), collection: input.collection, id: id)
    }
    let tree = ConversationTree(try await shelf.all(id))
    if tree.isEmpty { try await vault.nameByQuestion(id, input.question) }
    let after: String?
    if let parent = input.parent {
      guard parent.isEmpty || tree.contains(parent) else { throw StorageError.missing(kind: "message", id: parent) }
      after = tree.answer(atOrAbove: parent)
    } else {
      after = tree.answer(atOrAbove: try await shelf.get(id).leaf)
    }
    let turns = tree.branch(to: after).filter { $0.role == StoredMessage.assistant }.compactMap(tree.prompt)
    // The same question at the same place is the same message: its answers become alternatives of each other.
    if let known = tree.question(input.question, after: after) { return (known.id, turns) }
    let asked = try await shelf.append(
      to: id, after: after.map { .message($0) } ?? .root, role: StoredMessage.user, text: input.question,
      attachments: try await vault.attachments(input.attachments ?? [], to: id))
    return (asked.id, turns)
  }
}

extension Vault {
  func conversation(_ id: String) async throws -> ConversationView {
    let conversation = try await conversations.get(id)
    let tree = ConversationTree(try await conversations.all(id))
    let attached = try await documents.list(collection: Attached.collection(of: id)).map(\.name)
    return ConversationView(conversation, tree.turns(shown: conversation.leaf), attached: attached)
  }

  /// A question again, after what came before it: in its own words or in others.
  func question(for branch: BranchConversation.Input) async throws -> Ask.Input {
    let tree = ConversationTree(try await conversations.all(branch.id))
    guard let question = tree.question(of: branch.message) else {
      throw StorageError.missing(kind: "message", id: branch.message)
    }
    var input = Ask.Input(
      question: branch.question ?? question.text, mode: branch.mode, conversation: branch.id, pack: branch.pack)
    input.parent = question.parent ?? ""
    return input
  }
}

/// A conversation's name until the person gives it one: its first question, short.
enum ConversationTitle {
  static func of(_ question: String, longest: Int = 60) -> String {
    let words = question.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard words.count > longest else { return words.isEmpty ? "…" : words }
    let cut = words.prefix(longest)
    // A script without spaces is cut where it is.
    let atWord = cut.lastIndex(of: " ").map { cut[..<$0] } ?? cut
    return atWord + "…"
  }
}
