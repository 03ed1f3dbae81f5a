import LiberaScreens
import SwiftUI

/// The system's own calendar, reminders and notifications, where they are.
struct SystemSettings: View {
  let mirror: SystemMirror
  @Environment(\.words) private var words

  var body: some View {
    if mirror.hasCalendar || mirror.hasRinger {
      Section(words(.theSystem)) {
        ProblemView(problem: mirror.problem) { mirror.dismissProblem() }
        if mirror.hasCalendar {
          Toggle(words(.copyToCalendar), isOn: copies)
            .accessibilityHint(words(.copyToCalendarHint))
            .accessibilityIdentifier("settings.calendar")
        }
        if mirror.hasRinger { ringing }
      }
    }
  }

  private var copies: Binding<Bool> {
    let mirror = mirror
    return Binding(get: { mirror.isCopying }, set: { new in Task { await mirror.copy(new) } })
  }

  @ViewBuilder private var ringing: some View {
    switch mirror.ringing {
    case .notAsked:
      Button(words(.mayRing)) { Task { await mirror.askToRing() } }.accessibilityIdentifier("settings.ring")
    case .given: Text(words(.rings)).accessibilityIdentifier("settings.rings")
    case .refused: Text(words(.ringRefused)).accessibilityIdentifier("settings.ringRefused")
    case .notThere: EmptyView()
    }
  }
}
