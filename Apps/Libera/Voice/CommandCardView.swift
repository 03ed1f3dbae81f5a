import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// What was understood, to be changed, confirmed or left.
struct CommandCardView: View {
  @Bindable var command: CommandScreen
  let performed: Performed
  @Environment(\.words) private var words

  var body: some View {
    let card = performed.card
    VStack(alignment: .leading, spacing: 8) {
      Text(words(performed.decision == .confirm ? .confirmThis : .didYouMean)).font(.headline)
        .accessibilityAddTraits(.isHeader)
      Text(card.words).accessibilityIdentifier("card.words")
      fields(card)
      if !performed.alternatives.isEmpty { alternatives }
      ForEach(Array(performed.notices.enumerated()), id: \.offset) { _, notice in Text(notice).font(.footnote) }
      Sidewise {
        Button(words(.confirm)) { Task { await command.confirm() } }
          .buttonStyle(.borderedProminent)
          .accessibilityHint(card.words)
          .accessibilityIdentifier("card.confirm")
        Button(words(.leaveIt), role: .cancel) { command.dismiss() }.accessibilityIdentifier("card.dismiss")
      }
    }
    .padding()
    .background(.quaternary, in: RoundedRectangle(cornerRadius: 12))
  }

  @ViewBuilder private func fields(_ card: CommandCard) -> some View {
    if let title = card.title {
      TextField(words(.title), text: edit(\.title, title)).accessibilityIdentifier("card.title")
    }
    if let start = card.start {
      TextField(words(.begins), text: edit(\.start, start))
        .accessibilityHint(words(.timeHint))
        .accessibilityIdentifier("card.start")
    }
    if let end = card.end {
      TextField(words(.ends), text: edit(\.end, end))
        .accessibilityHint(words(.timeHint))
        .accessibilityIdentifier("card.end")
    }
    if let recurrence = card.recurrence { LabeledContent(words(.repeats), value: recurrence) }
    if !card.recipients.isEmpty { LabeledContent(words(.to), value: card.recipients.joined(separator: ", ")) }
    if let subject = card.subject {
      TextField(words(.subject), text: edit(\.subject, subject)).accessibilityIdentifier("card.subject")
    }
    if let body = card.body {
      TextField(words(.text), text: edit(\.body, body), axis: .vertical).accessibilityIdentifier("card.body")
    }
  }

  /// What stands on the card until the person writes something else.
  private func edit(_ part: any WritableKeyPath<CommandEdits, String?> & Sendable, _ understood: String) -> Binding<
    String
  > {
    let command = command
    return Binding(get: { command.edits[keyPath: part] ?? understood }, set: { command.edits[keyPath: part] = $0 })
  }

  private var alternatives: some View {
    Picker(words(.orRather), selection: $command.edits.kind) {
      Text(performed.card.words).tag(CommandKind?.none)
      ForEach(Array(performed.alternatives.enumerated()), id: \.offset) { _, other in
        Text(other.words).tag(CommandKind?.some(other.kind))
      }
    }
    .accessibilityIdentifier("card.alternatives")
  }
}
