import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// Whether a model works on this device: each step with how it stands, and what came of it.
struct TrialView: View {
  let trial: TrialScreen
  @Environment(\.dismiss) private var dismiss
  @Environment(\.words) private var words

  var body: some View {
    NavigationStack {
      List {
        ForEach(TrialScreen.Step.allCases, id: \.self) { TrialStep(step: $0, state: trial.state(of: $0)) }
        if let result = trial.result { TrialResult(result: result) }
        if trial.isRunning {
          Button(words(.stop), systemImage: "stop.fill") { trial.stop() }.accessibilityIdentifier("trial.stop")
        } else if let pack = trial.pack {
          Button(words(.tryAgain), systemImage: "arrow.clockwise") { trial.begin(pack) }
            .accessibilityIdentifier("trial.again")
        }
      }
      .navigationTitle(words(.tryOutNamed, trial.pack?.name ?? ""))
      .toolbar {
        ToolbarItem(placement: .confirmationAction) {
          Button(words(.close)) { dismiss() }.accessibilityIdentifier("trial.close")
        }
      }
    }
    .onDisappear { trial.stop() }
  }
}

private struct TrialStep: View {
  let step: TrialScreen.Step
  let state: TrialScreen.State
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading) {
      LabeledContent(words(step == .file ? .trialFile : .trialWriting), value: said)
      if case .runs(let share?) = state { ProgressView(words(.verifying), value: share) }
      if case .failed(let error) = state { Text(error.description).font(.footnote) }
    }
    .accessibilityElement(children: .combine)
    .accessibilityIdentifier("trial.\(step)")
  }

  private var said: String {
    switch state {
    case .waits: words(.trialWaits)
    case .runs: words(.trialRuns)
    case .passed: words(.trialPassed)
    case .failed: words(.stateFailed)
    case .stopped: words(.stopped)
    }
  }
}

private struct TrialResult: View {
  let result: ModelTrial
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading) {
      Text(words(.trialLoaded, words.decimal(result.loadMilliseconds / 1000), result.backend))
      Text(words(.trialWrote, words.number(result.tokens), words.decimal(result.tokensPerSecond)))
      Text(words(.trialText, ModelTrial.beginning, result.text)).textSelection(.enabled)
    }
    .accessibilityElement(children: .combine)
    .accessibilityIdentifier("trial.result")
  }
}
