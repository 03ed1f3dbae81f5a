import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// One question with its answer.
struct TurnView: View {
  let turn: ChatTurn
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading, spacing: 8) {
      Text(turn.question)
        .font(.headline)
        .textSelection(.enabled)
        .accessibilityLabel(words(.youAsked, turn.question))
        .accessibilityAddTraits(.isHeader)
      if let understood = turn.understoodAs { Text(words(.understoodAs, understood)).font(.footnote) }
      StageLine(turn: turn)
      answer
      ForEach(Array(turn.notices.enumerated()), id: \.offset) { _, notice in
        Label(notice, systemImage: "info.circle").font(.footnote)
      }
      if !turn.changes.isEmpty { changes }
      if turn.stage.isOver { TurnEnd(turn: turn) }
    }
    .accessibilityElement(children: .contain)
    .accessibilityLabel(words.origin(of: turn).map { words(.answerOf, turn.question, $0) } ?? turn.question)
    .accessibilityIdentifier("turn.\(turn.id)")
  }

  /// While it is written the words as they come; then each sentence with what carries it.
  @ViewBuilder private var answer: some View {
    if turn.stage.isOver, !turn.sentences.isEmpty {
      if let short = turn.answer?.short {
        Text(short).font(.headline).textSelection(.enabled).accessibilityIdentifier("turn.short")
      }
      ForEach(Array(turn.sentences.enumerated()), id: \.offset) { place, sentence in
        SentenceView(turn: turn, place: place, sentence: sentence)
      }
    } else if !turn.text.isEmpty {
      Text(turn.text).textSelection(.enabled).accessibilityAddTraits(.updatesFrequently)
        .accessibilityIdentifier("turn.text")
    }
  }

  private var changes: some View {
    ForEach(Array(turn.changes.enumerated()), id: \.offset) { _, change in
      Text(words(.change, change.what, change.from, change.to, change.reason)).font(.footnote)
    }
  }
}

/// What is being done for a question, and how it ended.
struct StageLine: View {
  let turn: ChatTurn
  @Environment(\.words) private var words

  var body: some View {
    switch turn.stage {
    case .finding:
      ProgressView(turn.evidence.isEmpty ? words(.finding) : words(.reading, words.number(turn.evidence.count)))
        .accessibilityIdentifier("turn.finding")
    case .loading(let share):
      ProgressView(words(.loadingModel), value: share).accessibilityIdentifier("turn.loading")
    case .writing: ProgressView(words(.writing)).accessibilityIdentifier("turn.writing")
    case .done: EmptyView()
    case .stopped: Label(words(.stopped), systemImage: "stop.circle").accessibilityIdentifier("turn.stopped")
    case .failed(let error):
      Label(error.description, systemImage: "exclamationmark.triangle").accessibilityIdentifier("turn.failed")
    }
  }
}
