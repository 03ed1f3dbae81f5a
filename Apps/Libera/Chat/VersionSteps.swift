import Accessibility
import LiberaKit
import LiberaScreens
import SwiftUI

/// From one version of a question or its answer to the one before it and the one after it.
struct VersionSteps: View {
  let versions: Versions
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    Sidewise {
      step(.earlierVersion, "chevron.backward", to: versions.earlier).accessibilityIdentifier("turn.earlier")
      Text(name(versions)).accessibilityIdentifier("turn.version")
      step(.laterVersion, "chevron.forward", to: versions.later).accessibilityIdentifier("turn.later")
    }
    .font(.footnote)
  }

  private func step(_ word: Word, _ picture: String, to version: ConversationTurn.ID?) -> some View {
    Button(words(word), systemImage: picture) {
      guard let version else { return }
      Task {
        await rooms.show(version: version)
        // The button that was tapped is gone with its answer: whoever listens is told where they are now.
        guard let turn = rooms.chat.turns.first(where: { $0.answerID == version }),
          let shown = rooms.chat.versions(of: turn)
        else { return }
        AccessibilityNotification.Announcement("\(name(shown)). \(turn.question)").post()
      }
    }
    .labelStyle(.iconOnly)
    .disabled(version == nil || rooms.chat.isAnswering)
  }

  private func name(_ versions: Versions) -> String {
    words(.version, words.number(versions.number), words.number(versions.count))
  }
}
