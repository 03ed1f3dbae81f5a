import LiberaScreens
import SwiftUI

/// One button: held it listens until it is let go, tapped it listens until it is tapped again or somebody falls silent.
struct TalkButton: View {
  let voice: VoiceScreen
  let microphone: (any Microphone)?
  @Environment(\.words) private var words
  @State private var isHeld = false

  var body: some View {
    if let microphone {
      Button(
        words(voice.isListening ? .stopListening : .talk), systemImage: voice.isListening ? "stop.fill" : "mic.fill"
      ) {
        if voice.isListening { Task { await voice.finish() } } else { voice.listen(through: microphone) }
      }
      .buttonStyle(.borderedProminent)
      .disabled(voice.stage == .settling)
      .onLongPressGesture(minimumDuration: 0.3) {
        isHeld = true
        voice.listen(through: microphone, holds: true)
      } onPressingChanged: { isPressed in
        guard !isPressed, isHeld else { return }
        isHeld = false
        Task { await voice.finish() }
      }
      .accessibilityHint(words(.talkHint))
      .accessibilityIdentifier("voice.talk")
    } else {
      Text(words(.noMicrophone)).accessibilityIdentifier("voice.none")
    }
  }
}

/// A command for whoever does not want to, or cannot, speak.
struct TypedCommand: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @State private var typed = ""

  var body: some View {
    Sidewise {
      TextField(words(.typeCommand), text: $typed)
        .textFieldStyle(.roundedBorder)
        .onSubmit { hear() }
        .accessibilityIdentifier("command.text")
      Button(words(.doIt), systemImage: "bolt") { hear() }
        .disabled(typed.allSatisfy(\.isWhitespace))
        .accessibilityIdentifier("command.hear")
    }
  }

  private func hear() {
    let words = typed
    guard !words.allSatisfy(\.isWhitespace) else { return }
    Task { await rooms.command.hear(words) }
  }
}
