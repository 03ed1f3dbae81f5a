import LiberaKit
import LiberaScreens
import SwiftUI

/// What a person sets. Each value is held to what it can be; what is refused says why.
struct SettingsView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @AppStorage("haptics") private var haptics = true

  var body: some View {
    let screen = rooms.device
    Form {
      ProblemView(problem: screen.problem) { screen.dismissProblem() }
      if let settings = screen.settings { sections(settings, screen) }
      SystemSettings(mirror: rooms.mirror)
      Section(words(.thisApp)) {
        Toggle(words(.haptics), isOn: $haptics).accessibilityIdentifier("settings.haptics")
        if let keeping = rooms.keeping { BackupSetting(keeping: keeping) }
      }
    }
    .navigationTitle(words(.settings))
    .task { await screen.read() }
  }

  @ViewBuilder private func sections(_ settings: LiberaKit.Settings, _ screen: DeviceScreen) -> some View {
    AnswerSettings(settings: settings, screen: screen)
    RetrievalSettings(settings: settings, screen: screen)
    SpeechSettings(settings: settings, screen: screen)
    Section(words(.rest)) {
      number(.breakAfter, settings.breakAfterMinutes, 0...240, 5) { $0.breakAfterMinutes = $1 }
        .accessibilityIdentifier("settings.break")
      number(.unloadHidden, settings.backgroundUnloadSeconds, 0...600, 10) { $0.backgroundUnloadSeconds = $1 }
        .accessibilityIdentifier("settings.unload")
    }
  }

  private func number(
    _ word: Word, _ value: Int, _ range: ClosedRange<Int>, _ step: Int,
    _ change: @escaping @Sendable (inout LiberaKit.Settings, Int) -> Void
  ) -> some View {
    let screen = rooms.device
    let binding = Binding(get: { value }, set: { new in Task { await screen.change { change(&$0, new) } } })
    return Stepper(words(word, words.number(value)), value: binding, in: range, step: step)
  }
}

/// Who answers, and how thoroughly.
struct AnswerSettings: View {
  let settings: LiberaKit.Settings
  let screen: DeviceScreen
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    Section(words(.answers)) {
      Picker(words(.mode), selection: screen.setting(settings, \.mode)) {
        Text(words(.fast)).tag(Mode.fast)
        Text(words(.deep)).tag(Mode.deep)
      }
      .accessibilityIdentifier("settings.mode")
      Picker(words(.provider), selection: screen.setting(settings, \.provider)) {
        Text(words(.automatic)).tag(ProviderKind?.none)
        ForEach(ProviderKind.allCases, id: \.self) { kind in Text(words(kind.word)).tag(ProviderKind?.some(kind)) }
      }
      .accessibilityIdentifier("settings.provider")
      // The first that can: why those before it cannot.
      ForEach(screen.providers.prefix { !$0.answers }) { provider in ProviderLine(state: provider) }
      model(.models, \.pack, .automatic).accessibilityIdentifier("settings.pack")
      model(.deepModel, \.deepPack, .asInFast).accessibilityIdentifier("settings.deepPack")
      Picker(words(.compute), selection: screen.setting(settings, \.compute)) {
        Text(words(.automatic)).tag(Compute.automatic)
        Text(words(.computeCPU)).tag(Compute.cpu)
        Text(words(.computeGPU)).tag(Compute.gpu)
      }
      .accessibilityIdentifier("settings.compute")
    }
  }

  /// - Parameter none: What no choice means.
  private func model(
    _ name: Word, _ part: any WritableKeyPath<LiberaKit.Settings, String?> & Sendable, _ none: Word
  ) -> some View {
    Picker(words(name), selection: screen.setting(settings, part)) {
      Text(words(none)).tag(String?.none)
      ForEach(rooms.packs.installed.filter { $0.kind == .chat }) { pack in
        Text(pack.name).tag(String?.some(pack.id))
      }
    }
  }
}

/// How it listens.
struct SpeechSettings: View {
  let settings: LiberaKit.Settings
  let screen: DeviceScreen
  @Environment(\.words) private var words

  var body: some View {
    Section(words(.speak)) {
      Picker(words(.spokenLanguage), selection: screen.setting(settings, \.speechLanguage)) {
        Text(words(.automatic)).tag("auto")
        Text(words(.english)).tag("en")
        Text(words(.german)).tag("de")
        Text(words(.french)).tag("fr")
      }
      .accessibilityIdentifier("settings.language")
      Toggle(words(.stopsBySilence), isOn: stops).accessibilityIdentifier("settings.silence")
      if let silence = settings.automaticStopMs {
        Stepper(
          words(.silenceSeconds, words.decimal(Double(silence) / 1000)), value: pause, in: 500...10_000, step: 500
        )
        .accessibilityIdentifier("settings.silenceSeconds")
      }
    }
  }

  private var stops: Binding<Bool> {
    let (screen, settings) = (screen, settings)
    return Binding(
      get: { settings.automaticStopMs != nil },
      set: { new in Task { await screen.change { $0.automaticStopMs = new ? 2000 : nil } } })
  }

  private var pause: Binding<Int> {
    let (screen, settings) = (screen, settings)
    return Binding(
      get: { settings.automaticStopMs ?? 2000 },
      set: { new in Task { await screen.change { $0.automaticStopMs = new } } })
  }
}

/// Whether the backups of the device hold what this app keeps.
struct BackupSetting: View {
  let keeping: HomeKeeping
  @Environment(\.words) private var words

  var body: some View {
    ProblemView(problem: keeping.problem) { keeping.dismissProblem() }
    Toggle(words(.inBackups), isOn: Binding(get: { keeping.isInBackups }, set: { keeping.putInBackups($0) }))
      .accessibilityHint(words(.inBackupsHint))
      .accessibilityIdentifier("settings.backups")
  }
}
