import LiberaKit
import LiberaScreens
import SwiftUI

/// What the device bears at the moment, and why less than usual.
struct DeviceView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    let screen = rooms.device
    List {
      ProblemView(problem: screen.problem) { screen.dismissProblem() }
      if let state = screen.state {
        shown(state)
      } else {
        ProgressView(words(.opening)).accessibilityIdentifier("device.reading")
      }
      Section(words(.happened)) {
        if screen.happened.isEmpty { Text(words(.nothingHappened)) }
        ForEach(Array(screen.happened.enumerated().reversed()), id: \.offset) { _, line in Text(line).font(.footnote) }
      }
    }
    .navigationTitle(words(.device))
    .task { await screen.read() }
  }

  @ViewBuilder private func shown(_ state: DeviceState) -> some View {
    Section(words(.now)) {
      level(.heat, state.heat)
      level(.memory, state.memory)
      level(.battery, state.battery)
      LabeledContent(words(.lowPower), value: words(state.lowPower ? .on : .off))
    }
    Section(words(.whoAnswers)) {
      ForEach(rooms.device.providers) { provider in ProviderLine(state: provider) }
    }
    Section(words(.limits)) {
      if state.limitsInForce.isEmpty { Text(words(.noLimits)).accessibilityIdentifier("device.noLimits") }
      LimitLines(limits: state.limitsInForce)
    }
    Section(words(.loaded)) {
      if state.loaded.isEmpty { Text(words(.nothingLoaded)).accessibilityIdentifier("device.nothingLoaded") }
      ForEach(state.loaded) { pack in
        LabeledContent(pack.id, value: words.bytes(Int64(pack.bytes))).accessibilityIdentifier("loaded.\(pack.id)")
      }
      Button(words(.unload), systemImage: "memorychip") { Task { await rooms.life.memoryIsShort() } }
        .disabled(state.loaded.isEmpty)
        .accessibilityHint(words(.unloadHint))
        .accessibilityIdentifier("device.unload")
    }
  }

  private func level(_ name: Word, _ level: DeviceLevel) -> some View {
    VStack(alignment: .leading) {
      LabeledContent(words(name), value: level.isKnown ? words(Self.word(level.level)) : words(.unknown))
      Text(level.reason).font(.footnote)
    }
    .accessibilityElement(children: .combine)
    .accessibilityIdentifier("device.\(name)")
  }

  static func word(_ level: String) -> Word {
    switch level {
    case "nominal", "normal": .levelNormal
    case "fair": .levelFair
    case "serious", "warning": .levelSerious
    case "low": .levelLow
    default: .levelCritical
    }
  }
}

/// One who could answer: whether it can now, why, and what would change that.
struct ProviderLine: View {
  let state: ProviderState
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading) {
      LabeledContent(words(state.provider.word), value: words(state.isAvailable ? .canAnswer : .cannotAnswer))
      Text([state.reason, state.isAvailable ? "" : state.remedy ?? ""].filter { !$0.isEmpty }.joined(separator: ". "))
        .font(.footnote)
    }
    .accessibilityElement(children: .combine)
    .accessibilityIdentifier("provider.\(state.provider.rawValue)")
  }
}

extension ProviderKind {
  var word: Word {
    switch self {
    case .platform: .providerPlatform
    case .local: .providerLocal
    case .extractive: .providerExtractive
    case .templates: .providerTemplates
    }
  }
}
