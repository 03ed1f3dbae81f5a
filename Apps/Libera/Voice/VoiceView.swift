import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// Speaking: hold to talk or tap to begin and end; live words; then a command or a question.
struct VoiceView: View {
  let goToChat: @MainActor () -> Void
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @AppStorage("haptics") private var haptics = true

  var body: some View {
    let voice = rooms.voice
    ScrollView {
      VStack(spacing: 16) {
        VoiceState(voice: voice)
        LiveWords(heard: voice.heard)
        TalkButton(voice: voice, microphone: rooms.doors.microphone)
        if !voice.heard.text.isEmpty, !voice.isListening, voice.stage != .settling { choices }
        LimitLines(limits: voice.limits)
        TypedCommand()
        CommandView(command: rooms.command, goToChat: goToChat)
      }
      .padding()
    }
    .navigationTitle(words(.speak))
    .sensoryFeedback(trigger: voice.isListening) { _, _ in haptics ? .impact(weight: .medium) : nil }
  }

  private var choices: some View {
    Sidewise {
      Button(words(.doIt), systemImage: "bolt") { Task { await rooms.doWhatWasSaid() } }
        .accessibilityHint(words(.doItHint))
        .accessibilityIdentifier("voice.do")
      Button(words(.askThis), systemImage: "bubble.left") {
        rooms.askWhatWasSaid()
        goToChat()
      }
      .accessibilityHint(words(.askThisHint))
      .accessibilityIdentifier("voice.ask")
    }
  }
}

/// What the microphone does, in words and as a waveform.
struct VoiceState: View {
  let voice: VoiceScreen
  @Environment(\.words) private var words
  @Environment(\.accessibilityReduceMotion) private var reduceMotion

  var body: some View {
    VStack {
      Text(state).accessibilityAddTraits(.updatesFrequently).accessibilityIdentifier("voice.state")
      if voice.isHeardBySystem, voice.stage != .idle {
        Text(words(.systemHears)).font(.footnote).accessibilityIdentifier("voice.system")
      }
      if voice.isListening {
        Text(words(.listeningFor, words.number(Int(voice.seconds)))).monospacedDigit()
        Waveform(levels: voice.levels).animation(reduceMotion ? nil : .default, value: voice.levels)
      }
    }
  }

  private var state: String {
    switch voice.stage {
    case .idle: words(.voiceIdle)
    case .opening: words(.voiceOpening)
    case .listening: words(.voiceListening)
    case .settling: words(.voiceSettling)
    case .done: voice.heard.text.isEmpty ? words(.voiceNothing) : words(.voiceDone)
    case .interrupted: words(.voiceInterrupted)
    case .failed(let error): error.description
    }
  }
}

/// How loud it was, as bars. It says nothing that the words beside it do not say.
struct Waveform: View {
  let levels: [Double]

  var body: some View {
    HStack(alignment: .center, spacing: 2) {
      ForEach(Array(levels.enumerated()), id: \.offset) { _, level in
        Rectangle().frame(width: 3, height: 4 + 120 * min(1, level * 4))
      }
    }
    .accessibilityHidden(true)
  }
}

/// The words as they settle: what may still change stands apart.
struct LiveWords: View {
  let heard: HeardWords
  @Environment(\.words) private var words

  var body: some View {
    if !heard.text.isEmpty {
      VStack(alignment: .leading) {
        ForEach(Array(heard.settled.enumerated()), id: \.offset) { _, said in
          Text(said.text).textSelection(.enabled)
          if let remark = said.remark { Text(remark).font(.footnote) }
        }
        if !heard.confirmed.isEmpty { Text(heard.confirmed) }
        if !heard.tail.isEmpty {
          Text(heard.tail).foregroundStyle(.secondary).accessibilityLabel(words(.maybe, heard.tail))
        }
      }
      .accessibilityIdentifier("voice.words")
    }
  }
}
