import Foundation
import LiberaDoors
import LiberaKit
import Synchronization
import Testing

@testable import FoundationModels

/// Who writes answers: a model of ours in this program, or the system's through Apple's adapter on our declarations of Foundation Models.
enum WritingSide: String, CaseIterable, Sendable {
  case pack, system

  var provider: ProviderKind { self == .pack ? .local : .platform }

  /// - Parameters:
  ///   - plays: What the system's model writes; ours writes what it will.
  ///   - isThere: Whether it can write.
  @MainActor func during(
    _ plays: [ModelRoom.Play] = [], isThere: Bool = true,
    _ work: @MainActor (Libera, KitHome) async throws -> Void
  ) async throws {
    ModelRoom.shared.state.withLock { state in
      state = ModelRoom.State()
      state.plays = plays
      if !isThere { state.availability = .unavailable(.modelNotReady) }
    }
    let home = try KitHome(withPacks: self == .pack && isThere)
    try await home.during(self == .system ? AppleModel() : nil) { try await work($0, home) }
  }
}

/// One table of cases for both. In the suite of the system's model, as its room is one.
extension ModelDoorTests {
  @Test(
    "Whoever writes: words come one after the other, the whole is what they were, and the record names who wrote",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks), arguments: WritingSide.allCases)
  func written(side: WritingSide) async throws {
    try await side.during([.writes(["Paris ", "is the ", "capital."])]) { libera, _ in
      let options = AskOptions(conversation: UUID(), task: .talk)
      let events = try await collected(libera.ask("What is the capital of France?", options))
      guard case .done(let answer) = events.last else { return _ = Issue.record("\(events)") }
      let pieces = events.compactMap { if case .piece(let words) = $0 { words } else { nil } }
      #expect(pieces.count > 1 && pieces.joined() == answer.answer && answer.answer.contains("Paris"), "\(events)")
      #expect(answer.provider == side.provider.rawValue && !answer.stopped && answer.limits.isEmpty)
      #expect(answer.timings.firstTokenMs != nil && answer.timings.totalMs > 0)
      let kept = try await libera.conversations.show(try #require(options.conversation)).turns
      #expect(kept.map(\.text) == [answer.answer] && kept.first?.id == answer.id)
      #expect(try await libera.providers().first { $0.answers }?.provider == side.provider)
    }
  }

  @Test(
    "Whoever writes: what was found comes before the words, and each sentence is carried by it or marked",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks), arguments: WritingSide.allCases)
  func evidenced(side: WritingSide) async throws {
    let plays: [ModelRoom.Play] = [.writes(["Yes"]), .writes(["The notice period ", "is three months."])]
    try await side.during(plays) { libera, home in
      _ = try await collected(libera.import([home.lease()]))
      let events = try await collected(libera.ask("How long is the notice period?"))
      guard case .done(let answer) = events.last else { return _ = Issue.record("\(events)") }
      // Our smallest pack judges what was found, and the documents are quoted.
      #expect(answer.provider == (side == .pack ? ProviderKind.extractive : .platform).rawValue)
      #expect(answer.answer.contains("three months"), "\(answer)")
      let found = events.firstIndex { if case .evidence = $0 { true } else { false } }
      let first = events.firstIndex { if case .piece = $0 { true } else { false } }
      #expect(try #require(found) < #require(first))
      let carried = try #require(answer.sentences.first { $0.text.contains("three months") })
      #expect(carried.supported && carried.support.contains { answer.citations[$0].page == 2 })
      for sentence in answer.sentences { #expect(sentence.supported == !sentence.support.isEmpty, "\(sentence)") }
    }
  }

  @Test(
    "Whoever writes: an answer that nobody waits for ends, is kept as far as it came, and the next is written",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks), arguments: WritingSide.allCases)
  func left(side: WritingSide) async throws {
    try await side.during([.never(after: ["Once upon ", "a time "]), .writes(["Paris."])]) { libera, _ in
      let conversation = UUID()
      let long = AskOptions(mode: .deep, conversation: conversation, task: .talk)
      for try await event in libera.ask("Tell me a very long story about the sea.", long) {
        if case .piece = event { break }
      }
      try await libera.conversations.settled(conversation)
      let kept = try await libera.conversations.show(conversation).turns
      #expect(kept.first?.answer?.stopped == true && kept.first?.text?.isEmpty == false, "\(kept)")
      let next = try await libera.answer("What is the capital of France?", long)
      #expect(next.provider == side.provider.rawValue && !next.stopped && !next.answer.isEmpty)
      #expect(ModelRoom.shared.state.withLock(\.writing) == 0)
    }
  }

  @Test("Where it cannot write, it is said why, and the documents are quoted", arguments: WritingSide.allCases)
  func absent(side: WritingSide) async throws {
    try await side.during(isThere: false) { libera, home in
      _ = try await collected(libera.import([home.lease()]))
      let answer = try await libera.answer("How long is the notice period?")
      #expect(answer.provider == "extractive" && answer.answer.contains("three months"), "\(answer)")
      let said = answer.limits.filter { $0.value == "not \(side.provider.rawValue)" }
      #expect(said.count == 1 && said.allSatisfy { $0.reason.count > 10 }, "\(answer.limits)")
      let state = try #require(try await libera.providers().first { $0.provider == side.provider })
      #expect(!state.isAvailable && state.reason.isEmpty == false && state.remedy?.isEmpty == false, "\(state)")
    }
  }
}
