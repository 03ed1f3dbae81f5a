package import Commands
package import Core
package import Foundation

/// What one utterance asks for, without doing anything.
package enum Understand: Operation {
  package struct Input: Codable, Sendable {
    package var text: String
    /// Local or full ISO 8601; nil is now.
    package var now: String?
    package var zone: String?
    package var locale: String?
    /// How sure the recogniser was, for spoken words.
    package var recognition: Double?
    package init(
      text: String, now: String? = nil, zone: String? = nil, locale: String? = nil, recognition: Double? = nil
    ) {
      (self.text, self.now, self.zone, self.locale, self.recognition) = (text, now, zone, locale, recognition)
    }
  }

  package struct Event: Codable, Sendable {
    package var decision: Decision
    /// The frame as the published grammar writes it, and what it means in plain words.
    package var frame: String
    package var card: Card
    package var recurrence: String?
    package var emailFrom: String?
    package var alternatives: [String]
    package var alternativeCards: [Card]
    package var explanation: [String]
    package var ms: Double
    /// What was said after this command, to be understood next.
    package var rest: String?
  }

  package static let name = "understand"
  package static var numbers: [NumberField<Input>] { [.real("recognition", 0...1) { $0.recognition }] }
  package static func said(in input: Input) -> (text: String, most: Int)? { (input.text, LongQuestion.brief) }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let began = ContinuousClock.now
    let resolver = try TimeResolver(now: input.now, zone: input.zone, locale: input.locale)
    let understood = try await house.acting.understand(input.text, with: resolver, recognition: input.recognition)
    emit(Event(understood, ms: began.msUntilNow))
  }
}

extension Understand.Event {
  init(_ understood: Understanding, ms: Double) {
    self.init(
      decision: understood.decision, frame: understood.frame.json,
      card: Card(
        understood.frame, recurrence: understood.recurrence, emailFrom: understood.emailFrom, marks: understood.marks),
      recurrence: understood.recurrence, emailFrom: understood.emailFrom,
      alternatives: understood.alternatives.map(\.json), alternativeCards: understood.alternatives.map { Card($0) },
      explanation: understood.explanation, ms: ms, rest: understood.rest)
  }
}

/// What was said, as it is understood; done at once if that is sure enough, or when the person confirms.
package enum Perform: Operation {
  package struct Input: Codable, Sendable {
    package var text: String
    /// The person has seen the card and said yes.
    package var confirmed: Bool
    /// Shows the card and does nothing, however sure it is.
    package var onlyShow: Bool?
    /// How sure the recogniser was, for spoken words.
    package var recognition: Double?
    /// Names the action, so that asking again does nothing twice.
    package var id: String
    /// What the person chose or wrote on the card instead of what was understood.
    package var edits: CardEdits?
    /// The conversation it was said in, where it is shown again.
    package var conversation: String?
    /// The reminder in whose place it is done, by its action: that one rings no more, until this is taken back.
    package var replaces: String?
    package init(
      text: String, confirmed: Bool = false, recognition: Double? = nil, id: String = UUID().uuidString.lowercased(),
      edits: CardEdits? = nil
    ) {
      self.text = text
      self.confirmed = confirmed
      self.recognition = recognition
      self.id = id
      self.edits = edits
    }
  }

  package struct Event: Codable, Sendable {
    package var decision: Decision
    /// Whether it asks for something to be done or for what the calendar has; what else is written may be a question.
    package var isCommand = false
    package var frame: String
    package var card: Card
    package var alternatives: [String]
    package var alternativeCards: [Card]
    package var explanation: [String]
    /// What was done; nil while nothing was.
    package var action: ActionRecord?
    /// What the person should know: nothing will ring, a rule was learned.
    package var notices: [String]
    /// For questions about the calendar and wishes to change it: what stands in it, and for which time.
    package var agenda: [AgendaItem]?
    package var topic: Understanding.Topic?
    /// For what is asked about alarms and timers, or where it is not clear which one is to stop: those that are meant.
    package var alarms: [Ring]?
    package var span: Card.Span?
    /// What was said after this command, to be understood next.
    package var rest: String?
  }

  package static let name = "do"
  package static var numbers: [NumberField<Input>] { [.real("recognition", 0...1) { $0.recognition }] }
  package static func said(in input: Input) -> (text: String, most: Int)? { (input.text, LongQuestion.brief) }
  /// What is written on a card: a letter among it. All of it is kept, and read again with every action.
  static let mostWritten = 64 << 10
  package static func check(_ input: Input, from caller: Caller) throws {
    let bytes = (input.edits?.bytes ?? 0) + (input.conversation?.utf8.count ?? 0)
    guard bytes <= mostWritten else { throw TooLong(bytes: bytes, most: mostWritten) }
  }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    if let conversation = input.conversation { try await house.conversing.refuseStrangers(to: conversation) }
    emit(try await house.acting.perform(input))
  }
}

/// What was said while a card waited for an answer: yes, no, or another time for it.
package enum AnswerCard: Operation {
  package struct Input: Codable, Sendable {
    package var text: String
    package var card: Card
    /// How sure the recogniser was, for spoken words.
    package var recognition: Double?
    package init(text: String, card: Card, recognition: Double? = nil) {
      (self.text, self.card, self.recognition) = (text, card, recognition)
    }
  }

  package struct Event: Codable, Sendable {
    package var reply: Reply.Kind
    package var edits: CardEdits?
  }

  package static let name = "card-answer"
  package static var numbers: [NumberField<Input>] { [.real("recognition", 0...1) { $0.recognition }] }
  package static func said(in input: Input) -> (text: String, most: Int)? { (input.text, LongQuestion.brief) }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let resolver = try TimeResolver(now: nil, zone: nil, locale: nil)
    let reply = Reply(input.text, to: input.card, with: resolver, recognition: input.recognition)
    emit(Event(reply: reply.kind, edits: reply.edits))
  }
}

/// What was done so far, the latest last.
package enum ListActions: Operation {
  package static let name = "actions"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<ActionRecord>) async throws {
    for action in try await house.actions.doer.actions() { emit(action) }
  }
}

package enum UndoAction: Operation {
  package static let name = "actions-undo"
  package static func run(_ input: ItemInput, in house: House, emit: @escaping Emit<ActionRecord>) async throws {
    emit(try await house.actions.doer.undo(input.id))
    house.ringing.wake()
  }
}

/// The last commands: what was heard, understood and decided, also where nothing was done.
package enum ListHistory: Operation {
  package static let name = "actions-history"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Heard>) async throws {
    for one in try house.actions.history.last() { emit(one) }
  }
}

/// What stands in calendar and task list between two moments.
package enum ShowAgenda: Operation {
  package struct Input: Codable, Sendable {
    package var from: Date?
    package var days: Double?
    package init(from: Date? = nil, days: Double? = nil) { (self.from, self.days) = (from, days) }
  }
  package static let name = "agenda"
  package static var numbers: [NumberField<Input>] { [.real("days", 0...1_000_000) { $0.days }] }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<AgendaItem>) async throws {
    let from = input.from ?? Calendar.current.startOfDay(for: Date())
    let days = input.days ?? 7
    let until = from.addingTimeInterval(min(mostDays, days) * 86_400)
    let agenda = try await Agenda.read(
      house.actions.places, from: from, until: until, zone: .current, openTasks: true, by: house.actions.reader)
    for item in agenda.items { emit(item) }
    if days > mostDays {
      emit(AgendaItem(kind: .note, title: "Only the first \(Int(mostDays)) days are shown"))
    }
  }

  /// Ten years.
  private static let mostDays = 3_653.0
}

/// What corrections taught: words that have a length.
package enum ListRules: Operation {
  package static let name = "rules"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Rules.Rule>) async throws {
    for rule in try house.actions.rules.list() { emit(rule) }
  }
}

package enum SetRule: Operation {
  package struct Input: Codable, Sendable {
    package var word: String
    /// nil removes the rule.
    package var minutes: Int?
    package init(word: String, minutes: Int?) { (self.word, self.minutes) = (word, minutes) }
  }
  package static let name = "rules-set"
  package static var numbers: [NumberField<Input>] { [.whole("minutes", 1...10_080) { $0.minutes }] }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Rules.Rule>) async throws {
    try Folders.make(house.actions.folder)
    let rules = house.actions.rules
    if let minutes = input.minutes {
      try rules.learn(input.word, minutes: minutes)
    } else {
      try rules.forget(input.word)
    }
    for rule in try rules.list() { emit(rule) }
  }
}

/// Where actions land, which are allowed, and what was found on this device that they could land in.
package enum ListConnectors: Operation {
  package static let name = "connectors"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<ConnectorPlace>) async throws {
    for place in await house.acting.connectorPlaces() { emit(place) }
  }
}

/// Reminders that fell due and ask for an answer.
package enum ListReminders: Operation {
  package static let name = "reminders"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Ring>) async throws {
    for ring in try await house.ringing.ring() { emit(ring) }
  }
}

/// Every reminder that is not done: what rings, what was put off, and what is still to come.
package enum ListStandingReminders: Operation {
  package static let name = "reminders-standing"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Ring>) async throws {
    for ring in try await house.ringing.standing() { emit(ring) }
  }
}

package enum SettleReminder: Operation {
  package struct Input: Codable, Sendable {
    package var id: String
    /// Rings again after so many minutes; nil is done.
    package var snoozeMinutes: Double?
    package init(id: String, snoozeMinutes: Double? = nil) { (self.id, self.snoozeMinutes) = (id, snoozeMinutes) }
  }
  package static let name = "reminders-settle"
  package static var numbers: [NumberField<Input>] { [.real("snoozeMinutes", 0...10_080) { $0.snoozeMinutes }] }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Ring>) async throws {
    emit(try await house.ringing.settle(input.id, snoozeMinutes: input.snoozeMinutes))
  }
}
