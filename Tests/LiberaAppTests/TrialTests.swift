import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Testing

@testable import LiberaApp

/// Trying a model by the buttons of its screen, with a real one.
@Suite(
  "Trying a model, walked", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
@MainActor
struct TrialTests {
  private static let model = "smollm2-135m-instruct-q4_1"

  private func opened(_ libera: Libera, language: String = "en") async throws -> Visit {
    let visit = try await Visit.entered(libera, language: language)
    try visit.stage.tap("tab.more")
    try visit.stage.tap("more.models")
    try await visit.until("pack.try.\(Self.model)")
    return visit
  }

  @Test(
    "A model is verified, loaded and writes ten tokens, and each step says how it stands", arguments: Words.languages)
  func passes(language: String) async throws {
    try await KitHome().during { libera in
      let visit = try await opened(libera, language: language)
      let (stage, words) = (visit.stage, visit.stage.words)
      #expect(!stage.has("pack.try.all-minilm-l6-v2-f16"), "only what writes can be tried so")
      try stage.tap("pack.try.\(Self.model)")
      #expect(stage.has("trial.stop") && !stage.has("trial.result"))
      visit.check("a trial that runs")
      try await visit.until("trial.again")
      visit.check("a trial that has passed")
      for step in ["trial.file", "trial.writing"] {
        #expect(try stage.find(step).spoken.contains(words(.trialPassed)), "\(stage.text)")
      }
      let result = try #require(visit.rooms?.packs.trial.result)
      #expect(result.tokens == 10 && result.loadMilliseconds > 0 && result.tokensPerSecond > 0)
      let told = try stage.find("trial.result").spoken
      #expect(told.contains(result.text.trimmingCharacters(in: .whitespaces)) && told.contains(ModelTrial.beginning))
      try await #expect(libera.governor.state().loaded.contains { $0.id == Self.model })
      try stage.tap("trial.close")
      #expect(stage.has("pack.try.\(Self.model)"))
    }
  }

  @Test("A file that was changed is found, named with what to do, and never loaded")
  func damaged() async throws {
    let home = try KitHome()
    let folder = home.home.appending(path: "packs/\(Self.model)")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix(".gguf") })
    // A file of its own: the one that was prepared is a link that other tests share.
    let file = folder.appending(path: name)
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count - 1] ^= 1
    try FileManager.default.removeItem(at: file)
    try bytes.write(to: file)
    try await home.during { libera in
      let visit = try await opened(libera)
      let (stage, words) = (visit.stage, visit.stage.words)
      try stage.tap("pack.try.\(Self.model)")
      try await visit.until("trial.again")
      visit.check("a trial that has failed")
      let told = try stage.find("trial.file").spoken
      #expect(told.contains(words(.stateFailed)) && told.contains("SHA-256"), "\(stage.text)")
      #expect(try stage.find("trial.writing").spoken.contains(words(.trialWaits)) && !stage.has("trial.result"))
      try await #expect(libera.governor.state().loaded.isEmpty)
    }
  }

  @Test("A trial is stopped by its button and begun anew; leaving its screen ends it")
  func stops() async throws {
    try await KitHome().during { libera in
      let visit = try await opened(libera)
      let (stage, trial) = (visit.stage, try #require(visit.rooms?.packs.trial))
      try stage.tap("pack.try.\(Self.model)")
      try stage.tap("trial.stop")
      try await visit.until("trial.again")
      visit.check("a trial that was stopped")
      #expect(TrialScreen.Step.allCases.contains { trial.state(of: $0) == .stopped } && trial.result == nil)
      try stage.tap("trial.again")
      try stage.tap("trial.close")
      #expect(stage.has("pack.try.\(Self.model)"))
      try await visit.until { !trial.isRunning }
      #expect(trial.result == nil)
      let embedder = try #require(visit.rooms?.packs.packs.first { $0.kind == .embed && $0.isInstalled })
      trial.begin(embedder)
      await trial.settled()
      guard case .failed(let error) = trial.state(of: .writing) else {
        Issue.record("\(trial.states)")
        return
      }
      #expect(error.code == "smoke_refused" && trial.state(of: .file) == .passed)
    }
  }
}
