import LiberaScreens
import SwiftUI

extension ChatTurn.Stage {
  /// What a hand feels as an answer ends.
  var felt: SensoryFeedback? {
    switch self {
    case .finding, .loading, .writing: nil
    case .done: .success
    case .stopped: .warning
    case .failed: .error
    }
  }
}

extension CommandScreen.Stage {
  /// What a hand feels of a command: that it was done, that somebody is asked, or that it could not be done.
  var felt: SensoryFeedback? {
    switch self {
    case .done, .undone: .success
    case .asking: .warning
    case .failed: .error
    case .idle, .understanding, .agenda, .alarms, .nothing: nil
    }
  }
}
