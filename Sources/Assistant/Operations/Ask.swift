package import Core
import Models
import Resources

/// One question, one answer: streamed as it is found and written, then the whole record.
package enum Ask: Operation {
  package static let name = "ask"
  package static func said(in input: Input) -> (text: String, most: Int)? { (input.question, LongQuestion.most) }

  package struct Input: Codable, Sendable, ReadsCollection {
    package var question: String
    package var mode: Mode?
    package var collection: String?
    /// The conversation it belongs to; an unknown UUID begins one.
    package var conversation: String?
    /// What was attached to the conversation with this question, by the documents' names.
    package var attachments: [String]?
    /// Answers from the library although files are attached to the conversation, which are asked otherwise.
    package var library: Bool?
    /// The answer it follows: an earlier one makes a branch, "" begins at the top, nil follows the branch that is shown.
    package var parent: String?
    package var task: TurnKind?
    package var provider: ProviderKind?
    package var pack: String?
    /// Tell how the sentences were weighed.
    package var explain: Bool?

    package init(
      question: String, mode: Mode? = nil, collection: String? = nil, conversation: String? = nil,
      task: TurnKind? = nil,
      provider: ProviderKind? = nil, pack: String? = nil
    ) {
      self.question = question
      self.mode = mode
      self.collection = collection
      self.conversation = conversation
      self.task = task
      self.provider = provider
      self.pack = pack
    }
  }

  /// A sentence, how well it answers, and what was seen of it.
  package struct Considered: Codable, Sendable, Equatable {
    /// Which of the evidence.
    package var passage: Int
    package var text: String
    package var score: Double
    package var features: [String: Double]
  }

  /// Exactly one field is set.
  package struct Event: Codable, Sendable {
    /// A pack is being loaded: 0 to 1.
    package var loading: Double?
    /// What a follow-up was understood as.
    package var completed: String?
    package var evidence: [Citation]?
    /// Where it was asked for: the sentences that were weighed, best first.
    package var considered: [Considered]?
    package var limits: [LimitNote]?
    /// What the device has just changed in the answer that is being written.
    package var changes: [LimitChange]?
    /// What is going on besides, or a suggestion.
    package var notice: String?
    /// So many tokens of the prompt are being read, before the first word.
    package var reading: Int?
    /// What the model thinks before it answers; it is not kept.
    package var thought: String?
    package var piece: String?
    package var sentence: AnswerSentence?
    /// The words that answer, with which the answer begins.
    package var short: String?
    /// The answer that stands in place of the pieces so far, none of which is in the documents.
    package var replaced: String?
    package var done: AnswerRecord?
  }

  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    // An unknown pack is an error, and not only a provider that is unavailable.
    if let id = input.pack { _ = try house.packs.status(of: id) }
    try await house.departure.answering {
      // While this runs no pack leaves memory for want of an onlooker.
      try await house.governor.during {
        // Before anything is looked up: who deletes it while it is answered wants nothing kept of it.
        let moment = house.models.now
        try await house.conversing.run(input) {
          // A person waits: an import, and what programs ask for, stand aside. Not before the turn is this one's, for the one before it
          // may be a program's, which must come to its end.
          try await house.scheduler.run("an answer", .person, cores: 0) { _ in
            var reaching = try await house.vault.reaching(input)
            // A request that names a pack is answered by a pack.
            if input.pack != nil, input.provider == nil { reaching.provider = .local }
            if reaching.pack == nil { reaching.pack = house.packSet(for: input.mode) }
            try await Turn(reaching, in: house, since: moment, emit: emit).run()
          }
        }
      }
    }
  }
}
