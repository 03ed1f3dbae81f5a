public import Assistant
public import Core
public import Foundation

/// A whole answer, with its sentences, the passages they rest on, and how it came about.
public typealias Answer = AnswerRecord

/// How a question is to be answered; what is nil is decided by settings and device.
public struct AskOptions: Sendable, Codable, Equatable {
  public var mode: Mode?
  /// Asks only the documents of this collection.
  public var collection: String?
  /// The conversation it belongs to; an id that is not known yet begins one.
  public var conversation: UUID?
  /// The answer it follows, by its id: an earlier one makes a branch. nil: the latest of the branch that is shown.
  public var following: String?
  /// Files attached with this question (`attach`), by their names.
  public var attachments: [String]?
  /// What kind of turn it is, instead of recognising it.
  public var task: TurnKind?
  /// Who answers, instead of the first that can.
  public var provider: ProviderKind?
  /// The pack that answers, by its id.
  public var pack: String?

  public init(
    mode: Mode? = nil, collection: String? = nil, conversation: UUID? = nil, following: String? = nil,
    attachments: [String]? = nil, task: TurnKind? = nil, provider: ProviderKind? = nil, pack: String? = nil
  ) {
    self.mode = mode
    self.collection = collection
    self.conversation = conversation
    self.following = following
    self.attachments = attachments
    self.task = task
    self.provider = provider
    self.pack = pack
  }
}

/// What happens while a question is answered, in the order a person should see it.
public enum AnswerEvent: Sendable, Codable, Equatable {
  /// A pack is being loaded: 0 to 1.
  case loading(Double)
  /// What a follow-up was understood as.
  case understoodAs(String)
  /// What was found, before anything is written.
  case evidence([Citation])
  /// What the device gives less of than usual, and why.
  case limits([LimitNote])
  /// What the device has just changed in the answer that is being written.
  case changes([LimitChange])
  /// What is going on besides, or a suggestion.
  case notice(String)
  /// The next words of the answer.
  case piece(String)
  /// A sentence is complete and tied to its evidence, or marked as unsupported.
  case sentence(AnswerSentence)
  /// The answer that stands in place of the pieces so far, none of which is in the documents.
  case replaced(String)
  /// The whole answer; the last event.
  case done(Answer)

  init?(_ event: Ask.Event) {
    if let share = event.loading {
      self = .loading(share)
    } else if let words = event.completed {
      self = .understoodAs(words)
    } else if let found = event.evidence {
      self = .evidence(found)
    } else if let limits = event.limits {
      self = .limits(limits)
    } else if let changes = event.changes {
      self = .changes(changes)
    } else if let words = event.notice {
      self = .notice(words)
    } else if let words = event.piece {
      self = .piece(words)
    } else if let sentence = event.sentence {
      self = .sentence(sentence)
    } else if let answer = event.replaced {
      self = .replaced(answer)
    } else if let answer = event.done {
      self = .done(answer)
    } else {
      return nil
    }
  }
}

extension Libera {
  /// Answers a question, from the documents where they hold an answer, and says so where they do not.
  ///
  /// Ending the loop stops the answer; what was written until then is kept with its conversation.
  public func ask(
    _ question: String, _ options: AskOptions = AskOptions()
  ) -> AsyncThrowingStream<AnswerEvent, any Error> {
    var input = Ask.Input(
      question: question, mode: options.mode, collection: options.collection,
      conversation: options.conversation?.uuidString.lowercased(), task: options.task, provider: options.provider,
      pack: options.pack)
    input.attachments = options.attachments
    input.parent = options.following
    return events(Ask.self, input, AnswerEvent.init)
  }

  /// The same for callers who want the whole answer only.
  public func answer(_ question: String, _ options: AskOptions = AskOptions()) async throws -> Answer {
    for try await event in ask(question, options) { if case .done(let answer) = event { return answer } }
    throw CancellationError()
  }
}
