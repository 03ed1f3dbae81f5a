import LiberaKit
import LiberaScreens
import SwiftUI

/// What has fallen due, and what was done, each with its undo.
struct ActionsView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    let screen = rooms.actions
    List {
      ProblemView(problem: screen.problem) { screen.dismissProblem() }
      if !screen.due.isEmpty {
        Section(words(.due)) { ForEach(screen.due) { reminder in DueRow(screen: screen, reminder: reminder) } }
      }
      Section(words(.history)) {
        if screen.actions.isEmpty { Text(words(.noActions)).accessibilityIdentifier("actions.none") }
        ForEach(screen.actions) { action in ActionRow(screen: screen, action: action) }
      }
    }
    .navigationTitle(words(.actions))
    .task { await screen.refresh() }
    .refreshable { await screen.refresh() }
  }
}

private struct DueRow: View {
  let screen: ActionsScreen
  let reminder: DueReminder
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading) {
      Text(reminder.title)
      Text(words.moment(reminder.due)).font(.footnote)
      if reminder.missed { Text(words(.missed)).font(.footnote) }
      Sidewise {
        Button(words(.settle)) { Task { await screen.settle(reminder.id) } }
          .accessibilityLabel(words(.settleNamed, reminder.title))
          .accessibilityIdentifier("due.settle.\(reminder.id)")
        Button(words(.snooze)) { Task { await screen.settle(reminder.id, snoozingMinutes: 10) } }
          .accessibilityLabel(words(.snoozeNamed, reminder.title))
          .accessibilityIdentifier("due.snooze.\(reminder.id)")
      }
    }
  }
}

private struct ActionRow: View {
  let screen: ActionsScreen
  let action: Action
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading) {
      Text(action.summary)
      Text([state, words.moment(action.at), action.reason ?? ""].filter { !$0.isEmpty }.joined(separator: " · "))
        .font(.footnote)
      if let heard = action.heard { Text(words(.heard, heard)).font(.footnote) }
      if screen.canUndo(action) {
        Button(words(.undo), systemImage: "arrow.uturn.backward") { Task { await screen.undo(action.id) } }
          .accessibilityLabel(words(.undoNamed, action.summary))
          .accessibilityIdentifier("action.undo.\(action.id)")
      }
    }
    .accessibilityIdentifier("action.\(action.id)")
  }

  private var state: String {
    switch action.state {
    case .begun: words(.stateBegun)
    case .waiting: words(.stateWaiting)
    case .sending: words(.stateSending)
    case .done: words(.stateDone)
    case .undone: words(.stateUndone)
    case .failed: words(.stateFailed)
    }
  }
}
