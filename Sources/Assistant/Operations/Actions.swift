package import Commands
import Core
import Foundation

/// What was said, as it is understood; done at once if that is sure enough, or when the person confirms.
package enum Perform: Operation {
  package struct Input: Codable, Sendable {
    package var text: String
    /// The person has seen the card and said yes.
    package var confirmed: Bool
    /// How sure the recogniser was, for spoken words.
    package var recognition: Double?
    /// Names the action, so that asking again does nothing twice.
    package var id: String
    package init(
      text: String, confirmed: Bool = false, recognition: Double? = nil, id: String = UUID().uuidString.lowercased()
    ) {
      self.text = text
      self.confirmed = confirmed
      self.recognition = recognition
      self.id = id
    }
  }

  package struct Event: Codable, Sendable {
    package var decision: Decision
    /// The frame as the published grammar writes it.
    package var frame: String
    package var alternatives: [String]
    package var explanation: [String]
    /// What was done; nil while nothing was.
    package var action: ActionRecord?
  }

  package static let name = "do"
  package static func run(_ input: Input, in house: House) -> AsyncThrowingStream<Event, any Error> {
    streaming { emit in emit(try await house.perform(input)) }
  }
}

/// What was done so far, the latest last.
package enum ListActions: Operation {
  package static let name = "actions"
  package static func run(_ input: Nothing, in house: House) -> AsyncThrowingStream<ActionRecord, any Error> {
    streaming { emit in
      for action in try await house.doer.actions() { emit(action) }
    }
  }
}

package enum UndoAction: Operation {
  package struct Input: Codable, Sendable {
    package var id: String
    package init(id: String) { self.id = id }
  }
  package static let name = "actions-undo"
  package static func run(_ input: Input, in house: House) -> AsyncThrowingStream<ActionRecord, any Error> {
    streaming { emit in emit(try await house.doer.undo(input.id)) }
  }
}

extension House {
  var doer: Doer {
    Doer(places: Places(folders: folders), journal: FileJournal(folders.actions.appending(path: "journal.jsonl")))
  }

  func perform(_ input: Perform.Input) async throws -> Perform.Event {
    try Folders.make(folders.actions)
    let resolver = TimeResolver(reference: Date(), english: .init(locale: Locale.current.identifier))
    let understanding = try Understander(model: .bundled()).understand(
      input.text, with: resolver, recognition: input.recognition)
    var event = Perform.Event(
      decision: understanding.decision, frame: understanding.frame.json,
      alternatives: understanding.alternatives.map(\.json), explanation: understanding.explanation)
    let wanted = understanding.decision == .act || (input.confirmed && understanding.decision != .none)
    if wanted, understanding.frame.intent != .none {
      event.action = try await doer.perform(
        understanding.frame, recurrence: understanding.recurrence, emailFrom: understanding.emailFrom, id: input.id)
    }
    return event
  }
}
