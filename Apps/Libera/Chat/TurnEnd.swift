import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// How an answer came about, and what can be done with it.
struct TurnEnd: View {
  let turn: ChatTurn
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    if let answer = turn.answer {
      if let finding { Text(finding).font(.footnote).accessibilityIdentifier("turn.finding.words") }
      DisclosureGroup(words(.howItCame)) { how(answer) }.font(.footnote).accessibilityIdentifier("turn.how")
    }
    if rooms.aloud.canSpeak, !turn.text.isEmpty { readAloud }
    if !turn.text.isEmpty {
      ShareLink(
        item: turn.asText(evidence: words(.evidenceTitle), unsupported: words(.unsupported)) { words.name(of: $0) }
      ) { Label(words(.share), systemImage: "square.and.arrow.up") }
      .font(.footnote)
      .accessibilityHint(words(.shareHint))
      .accessibilityIdentifier("turn.share")
    }
    if let versions = rooms.chat.versions(of: turn) { VersionSteps(versions: versions) }
    Button(words(.editQuestion), systemImage: "pencil") { rooms.chat.edit(turn.id) }
      .font(.footnote)
      .disabled(rooms.chat.isAnswering)
      .accessibilityHint(words(.editHint))
      .accessibilityIdentifier("turn.edit")
    Button(words(.askAgain), systemImage: "arrow.counterclockwise") { rooms.chat.retry(turn.id) }
      .font(.footnote)
      .disabled(rooms.chat.isAnswering)
      .accessibilityHint(words(.askAgainHint))
      .accessibilityIdentifier("turn.retry")
  }

  private var readAloud: some View {
    let isRead = rooms.aloud.speaking == turn.id
    return Button(
      words(isRead ? .stopReading : .readAloud), systemImage: isRead ? "speaker.slash" : "speaker.wave.2"
    ) {
      if isRead { rooms.aloud.hush() } else { rooms.aloud.read(turn, unsupported: words(.unsupported)) }
    }
    .font(.footnote)
    .accessibilityIdentifier("turn.aloud")
  }

  private var finding: String? {
    switch turn.finding {
    case .found?, nil: nil
    case .probably?: words(.probably)
    case .notThere?: words(.notThere)
    }
  }

  @ViewBuilder private func how(_ answer: Answer) -> some View {
    LabeledContent(
      words(.provider),
      value: [ProviderKind(rawValue: answer.provider).map { words($0.word) } ?? answer.provider, answer.pack]
        .compactMap(\.self).joined(separator: ", ")
    )
    .accessibilityIdentifier("turn.provider")
    LabeledContent(words(.mode), value: words(answer.mode == .deep ? .deep : .fast))
    LabeledContent(words(.passagesRead), value: words.number(answer.passagesConsulted))
    if let first = answer.timings.firstTokenMs {
      LabeledContent(words(.firstWords), value: words.decimal(first / 1000)).accessibilityIdentifier("turn.firstWords")
    }
    if let speed = answer.timings.tokensPerSecond {
      LabeledContent(words(.tokensASecond), value: words.decimal(speed)).accessibilityIdentifier("turn.speed")
    }
    LabeledContent(words(.seconds), value: words.decimal(answer.timings.totalMs / 1000))
    LimitLines(limits: turn.limits)
    ForEach(Array(answer.dropped.enumerated()), id: \.offset) { _, note in
      Text(words(.dropped, note.what, note.reason))
    }
    ForEach(Array(turn.evidence.enumerated()), id: \.offset) { place, citation in
      CitationButton(citation: citation).accessibilityIdentifier("consulted.\(place)")
      Text(words(.relevance, citation.score.formatted(.number.precision(.fractionLength(2)))))
    }
  }
}
