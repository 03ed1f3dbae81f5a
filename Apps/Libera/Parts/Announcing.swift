import Accessibility
import LiberaKit
import LiberaScreens
import SwiftUI

extension View {
  /// Says something to whoever listens to the screen, each time a value changes and there is something to say.
  func announces<Value: Equatable & Hashable>(
    _ value: Value, _ words: @escaping @MainActor (_ new: Value) -> String?
  ) -> some View {
    onChange(of: value) { _, new in
      guard let words = words(new) else { return }
      AccessibilityNotification.Announcement(words).post()
    }
  }
}

extension Words {
  /// What somebody hears of an answer that is over: its words, then who wrote them, how, and from how many passages.
  func told(_ turn: ChatTurn) -> String? {
    switch turn.stage {
    case .finding, .loading, .writing: nil
    case .stopped: self(.stopped)
    case .failed(let error): error.description
    case .done: [turn.text, origin(of: turn)].compactMap(\.self).joined(separator: " ")
    }
  }

  /// Who wrote an answer, in which mode and from how many passages.
  func origin(of turn: ChatTurn) -> String? {
    guard let answer = turn.answer else { return nil }
    let provider = ProviderKind(rawValue: answer.provider).map { self($0.word) } ?? answer.provider
    return self(.origin, provider, self(answer.mode == .deep ? .deep : .fast), number(turn.evidence.count))
  }

  /// What somebody hears of a command.
  func told(_ stage: CommandScreen.Stage) -> String? {
    switch stage {
    case .idle, .understanding: nil
    case .asking(let performed):
      "\(self(performed.decision == .confirm ? .confirmThis : .didYouMean)) \(performed.card.words)"
    case .done(let action, _): action.summary
    case .undone(let action): self(.undone, action.summary)
    case .agenda(let entries): entries.isEmpty ? self(.nothingPlanned) : entries.map(\.title).joined(separator: ", ")
    case .alarms(let alarms): alarms.isEmpty ? self(.noAlarms) : alarms.map(\.title).joined(separator: ", ")
    case .nothing: self(.noCommand)
    case .failed(let error): error.description
    }
  }
}
