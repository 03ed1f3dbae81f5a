import Core
import Foundation
import Storage

/// The turns under way, in their conversations. The vault holds these, so a restart changes nothing.
actor Conversing {
  private let vault: Vault
  private let claims = Claims()
  /// Where each stands: the message that holds its question, and the turns before it.
  private typealias Place = (question: String, turns: [Prompt.Turn], told: ToldSoFar)
  private var places: [String: Place] = [:]
  /// How many turns before a question are laid before a pack. None has room for more.
  private static let mostTurns = 1000

  init(_ vault: Vault) { self.vault = vault }

  /// Stores the question, then runs its turn. A conversation has one turn at a time: a stopped answer is stored before the next
  /// question finds its place.
  func run(_ input: Ask.Input, _ turn: @Sendable () async throws -> Void) async throws {
    guard let conversation = input.conversation else { return try await turn() }
    // At once: who waits for the turn under way learns when it ends.
    try await refuseStrangers(to: conversation)
    try await claims.hold(conversation)
    // Whoever waits for turns waits for this one from now on.
    places[conversation] = ("", [], ToldSoFar())
    defer {
      places[conversation] = nil
      claims.release(conversation)
    }
    places[conversation] = try await place(
      input.question, input.attachments ?? [], after: input.parent, of: input.collection, in: conversation)
    try await turn()
  }

  /// The turns before the one under way, as their prompts were.
  func turns(of conversation: String?) -> [Prompt.Turn] { conversation.flatMap { places[$0]?.turns } ?? [] }

  /// What tools said before the turn under way.
  func told(in conversation: String?) -> ToldSoFar { conversation.flatMap { places[$0]?.told } ?? ToldSoFar() }

  /// Who goes on with a conversation is answered from what was said there: that is for whoever may read it, and for the program that
  /// began it, as long as nobody else has joined.
  func refuseStrangers(to conversation: String) async throws {
    let caller = Caller.asking
    guard !caller.may(.manage), try await vault.conversations.contains(conversation),
      try await !vault.conversations.isBegun(conversation, by: Handed.folder(of: caller))
    else { return }
    throw CallerError.lacks([.manage])
  }

  /// Whether it is there already; throws for one that cannot begin either.
  func isThere(_ conversation: String) async throws -> Bool {
    try await refuseStrangers(to: conversation)
    let isThere = try await vault.conversations.contains(conversation)
    guard isThere || UUID(uuidString: conversation) != nil else {
      throw StorageError.missing(kind: "conversation", id: conversation)
    }
    return isThere
  }

  /// Stores what a tool said, with the words that led to it, and returns its id. It waits for the turn that is under way there.
  /// - Parameter wasThere: One that was there and is gone was deleted meanwhile: then nothing is kept.
  func keep(
    _ call: KeptCall, _ words: String, asked: String, in conversation: String, wasThere: Bool
  ) async throws -> String? {
    try await claims.hold(conversation)
    defer { claims.release(conversation) }
    if wasThere, try await !vault.conversations.contains(conversation) { return nil }
    let place = try await place(asked, [], after: nil, of: nil, in: conversation)
    return try await vault.conversations.append(
      to: conversation, after: .message(place.question), role: StoredMessage.tool, text: words,
      record: try JSON.line(call)
    ).id
  }

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

  /// Returns once no turn is under way in a conversation: what a stopped answer had come to is kept by then.
  func settled(_ conversation: String) async throws {
    try await claims.hold(conversation)
    claims.release(conversation)
  }

  /// Gives turns that were stopped the time to store what they have. One that nobody stopped is not waited for.
  func awaitTurns() async {
    for _ in 0..<100 where !places.isEmpty {
      guard await waited(.milliseconds(20)) else { return }
    }
  }

  private func place(
    _ question: String, _ attachments: [String], after parent: String?, of collection: String?, in id: String
  ) async throws -> Place {
    let shelf = vault.conversations
    try await refuseStrangers(to: id)
    try await shelf.join(id, as: Handed.folder(of: Caller.asking))
    if try await !shelf.contains(id) {
      guard UUID(uuidString: id) != nil else { throw StorageError.missing(kind: "conversation", id: id) }
      let beginner: String? = if case .key = Caller.asking { Handed.folder(of: Caller.asking) } else { nil }
      _ = try await shelf.create(
        title: ConversationTitle.of(question), collection: collection, id: id, beginner: beginner)
    }
    let tree = ConversationTree(try await shelf.all(id))
    if tree.isEmpty { try await vault.nameByQuestion(id, question) }
    let after: String?
    if let parent {
      guard parent.isEmpty || tree.contains(parent) else { throw StorageError.missing(kind: "message", id: parent) }
      after = tree.answer(atOrAbove: parent)
    } else {
      after = tree.answer(atOrAbove: try await shelf.get(id).leaf)
    }
    let branch = tree.branch(to: after)
    let turns = branch.filter { $0.role == StoredMessage.assistant }.suffix(Self.mostTurns).compactMap(tree.prompt)
    let told = ToldSoFar.of(branch)
    // The same question at the same place is the same message: its answers become alternatives of each other.
    if let known = tree.question(question, after: after) { return (known.id, turns, told) }
    let asked = try await shelf.append(
      to: id, after: after.map { .message($0) } ?? .root, role: StoredMessage.user, text: question,
      attachments: try await vault.attachments(attachments, to: id))
    return (asked.id, turns, told)
  }
}

extension House {
  /// Returns once no turn is under way in a conversation.
  package func settled(_ conversation: String) async throws { try await conversing.settled(conversation) }
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
    let words = question.onOneLine
    let cut = words.letters(longest)
    guard cut.utf8.count < words.utf8.count else { return words.isEmpty ? "…" : words }
    // A script without spaces is cut where it is.
    let atWord = cut.lastIndex(of: " ").map { cut[..<$0] } ?? cut[...]
    return atWord + "…"
  }
}
