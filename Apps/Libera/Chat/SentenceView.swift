import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// A sentence, and under it the passages that carry it, or that nothing does.
struct SentenceView: View {
  let turn: ChatTurn
  let place: Int
  let sentence: AnswerSentence
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading, spacing: 4) {
      Text(sentence.text).bold(sentence.answers == true).textSelection(.enabled).accessibilityIdentifier(
        "sentence.\(place)")
      ForEach(Array(citations.enumerated()), id: \.offset) { number, citation in
        CitationButton(citation: citation).accessibilityIdentifier("evidence.\(place).\(number)")
      }
      if isUnsupported {
        Label(words(.unsupported), systemImage: "questionmark.circle").font(.footnote).foregroundStyle(.secondary)
      }
    }
  }

  private var citations: [Citation] {
    sentence.support.filter(turn.evidence.indices.contains).map { turn.evidence[$0] }
  }

  private var isUnsupported: Bool { turn.unsupported.contains(sentence) }
}

/// A passage that can be opened in its place.
struct CitationButton: View {
  let citation: Citation
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    let name = words.name(of: citation)
    Button(name, systemImage: "text.quote") {
      let chat = rooms.chat
      Task { await chat.open(citation) }
    }
    .font(.footnote)
    .buttonStyle(.bordered)
    .accessibilityLabel(words(.evidence, name, citation.text))
    .accessibilityHint(words(.evidenceHint))
  }
}

extension Words {
  /// A citation by its document and page.
  func name(of citation: Citation) -> String {
    citation.page.map { self(.onPage, citation.document, number($0)) } ?? citation.document
  }
}
