import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// What came of a command: a card that asks, what was done with its undo, or why nothing was.
struct CommandView: View {
  let command: CommandScreen
  let goToChat: @MainActor () -> Void
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @AppStorage("haptics") private var haptics = true

  var body: some View {
    VStack(alignment: .leading, spacing: 12) {
      switch command.stage {
      case .idle: EmptyView()
      case .understanding: ProgressView(words(.understanding)).accessibilityIdentifier("command.understanding")
      case .asking(let performed): CommandCardView(command: command, performed: performed)
      case .done(let action, let notices): done(action, notices)
      case .agenda(let entries): AgendaView(entries: entries)
      case .undone(let action):
        Label(words(.undone, action.summary), systemImage: "arrow.uturn.backward.circle")
          .accessibilityIdentifier("command.undone")
      case .alarms(let alarms): alarmLines(alarms)
      case .nothing: nothing
      case .failed(let error):
        Label(error.description, systemImage: "exclamationmark.triangle").accessibilityIdentifier("command.failed")
      }
      if let rest = command.rest { restLine(rest) }
    }
    .announces(words.told(command.stage)) { $0 }
    .sensoryFeedback(trigger: words.told(command.stage)) { _, _ in haptics ? command.stage.felt : nil }
  }

  @ViewBuilder private func done(_ action: Action, _ notices: [String]) -> some View {
    Label(action.summary, systemImage: "checkmark.circle").accessibilityIdentifier("command.done")
    ForEach(Array(notices.enumerated()), id: \.offset) { _, notice in Text(notice).font(.footnote) }
    if let mail = command.mail { MailDraftView(command: command, draft: mail) }
    Button(words(.undo), systemImage: "arrow.uturn.backward") { Task { await command.undo() } }
      .accessibilityLabel(words(.undoNamed, action.summary))
      .accessibilityIdentifier("command.undo")
  }

  @ViewBuilder private func alarmLines(_ alarms: [DueReminder]) -> some View {
    if alarms.isEmpty { Text(words(.noAlarms)).accessibilityIdentifier("command.noAlarms") }
    ForEach(alarms) { alarm in
      LabeledContent(alarm.title, value: words.moment(alarm.due))
        .accessibilityIdentifier("command.alarm.\(alarm.id)")
    }
  }

  @ViewBuilder private var nothing: some View {
    Text(words(.noCommand)).accessibilityIdentifier("command.nothing")
    Button(words(.askThis), systemImage: "bubble.left") {
      rooms.chat.draft = command.words
      goToChat()
    }
    .accessibilityHint(words(.askThisHint))
    .accessibilityIdentifier("command.ask")
  }

  @ViewBuilder private func restLine(_ rest: String) -> some View {
    Text(words(.alsoSaid, rest))
    Button(words(.doThatToo), systemImage: "bolt") { Task { await command.hear(rest) } }
      .accessibilityIdentifier("command.rest")
  }
}

/// What stands in calendar and task list.
struct AgendaView: View {
  let entries: [AgendaEntry]
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading) {
      if entries.isEmpty { Text(words(.nothingPlanned)) }
      ForEach(Array(entries.enumerated()), id: \.offset) { _, entry in
        if entry.isNote {
          Text(entry.title).font(.footnote)
        } else {
          LabeledContent(entry.title, value: [entry.start, entry.end].compactMap(\.self).joined(separator: " – "))
        }
      }
    }
    .accessibilityIdentifier("command.agenda")
  }
}
