import Foundation
import LiberaDoors
import LiberaKit
import LiberaScreens
import SwiftUI
import Synchronization
import Testing

@testable import FoundationModels
@testable import LiberaApp

/// Questions that go through the app, the library and the adapter to our declarations of Foundation Models, which write what a test
/// hands them.
@Suite("The system's model, by the door of an Apple device", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct ModelDoorTests {
  init() { ModelRoom.shared.state.withLock { $0 = ModelRoom.State() } }

  private func set(_ change: @Sendable (inout ModelRoom.State) -> Void) {
    ModelRoom.shared.state.withLock { change(&$0) }
  }
  private var asked: [ModelRoom.Asked] { ModelRoom.shared.state.withLock(\.asked) }
  private let context = LanguageModelSession.GenerationError.Context(debugDescription: "as the test wants it")
  private let talk = AskOptions(task: .talk)

  @Test("A question is answered on the screen by the system's model, which is named under the answer and on the device")
  func walk() async throws {
    set { $0.plays = [.writes(["Paris is ", "the capital."])] }
    try await KitHome(withPacks: false).during(AppleModel()) { libera in
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      try stage.write("What is the capital of France?", into: "chat.draft")
      try stage.tap("chat.send")
      try await visit.until("turn.how")
      #expect(stage.text.contains("Paris is the capital."), "\(stage.text)")
      try stage.tap("turn.how")
      #expect(try stage.find("turn.provider").spoken.contains(stage.words(.providerPlatform)))
      visit.check("an answer of the system's model")
      try stage.tap("tab.more")
      try stage.tap("more.device")
      try await visit.until("provider.platform")
      #expect(try stage.find("provider.platform").spoken.contains(stage.words(.canAnswer)))
      set { $0.availability = .unavailable(.appleIntelligenceNotEnabled) }
      try stage.back()
      try stage.tap("more.settings")
      try await visit.until("provider.platform")
      visit.check("settings that say why the system's model does not answer")
      #expect(try stage.find("provider.platform").spoken.contains(PlatformAbsence.turnedOff.remedy), "\(stage.text)")
      stage.leave()
    }
  }

  @Test("It is asked with our instructions, the conversation in its roles, and the most tokens of the moment")
  func asked() async throws {
    set { $0.plays = [.writes(["One."]), .writes(["Two."])] }
    try await KitHome(withPacks: false).during(AppleModel()) { libera in
      let options = AskOptions(conversation: UUID(), task: .talk)
      _ = try await libera.answer("Say one.", options)
      #expect(try await libera.answer("Say two.", options).provider == "platform")
      let second = try #require(asked.last)
      func text(_ words: String) -> [FoundationModels.Transcript.Segment] { [.text(.init(content: words))] }
      guard case .instructions(let instructions)? = second.entries.first else { return _ = Issue.record("\(second)") }
      #expect(
        Array(second.entries.dropFirst())
          == [.prompt(.init(segments: text("Say one."))), .response(.init(assetIDs: [], segments: text("One.")))])
      #expect(second.prompt == "Say two." && second.options.maximumResponseTokens == 384)
      #expect(second.options.sampling == .greedy && second.options.temperature == nil)
      let prewarmed = ModelRoom.shared.state.withLock(\.prewarmed)
      #expect(prewarmed.count == 2 && text(prewarmed[0]) == instructions.segments)
    }
  }

  @Test("Words are told once each, also where a later one changes the letter before it")
  func pieces() async throws {
    set { $0.plays = [.writes(["Caf", "e", "\u{301}", " 日本"])] }
    let request = PlatformRequest(instructions: "I", prompt: "P", maximumTokens: 9)
    let pieces = try await collected(AppleModel().write(request))
    #expect(pieces.joined().unicodeScalars.elementsEqual("Cafe\u{301} 日本".unicodeScalars), "\(pieces)")
    #expect(asked.first?.options == GenerationOptions(sampling: .greedy, maximumResponseTokens: 9))
  }

  @Test(
    "What the system says of its model is told in our words",
    arguments: [
      (SystemLanguageModel.Availability.available, PlatformAbsence?.none),
      (.unavailable(.deviceNotEligible), .notEligible), (.unavailable(.appleIntelligenceNotEnabled), .turnedOff),
      (.unavailable(.modelNotReady), .notReady),
    ])
  func absence(availability: SystemLanguageModel.Availability, absence: PlatformAbsence?) async throws {
    set { ($0.availability, $0.contextSize) = (availability, 8192) }
    #expect(AppleModel().absence == absence && AppleModel().contextTokens == 8192)
    try await KitHome(withPacks: false).during(AppleModel()) { libera in
      let state = try #require(try await libera.providers().first)
      #expect(state.isAvailable == (absence == nil) && (absence == nil || state.reason == absence?.reason))
    }
  }

  @Test("Each error of the framework is one of ours, and the answer says which")
  func errors() async throws {
    typealias Failure = LanguageModelSession.GenerationError
    let told = PlatformFailure.failed(context.debugDescription)
    let cases: [(Failure, PlatformFailure)] = [
      (.guardrailViolation(context), .declined), (.refusal(.init(), context), .declined),
      (.exceededContextWindowSize(context), .contextFull), (.unsupportedLanguageOrLocale(context), .languageUnknown),
      (.assetsUnavailable(context), told), (.unsupportedGuide(context), told), (.decodingFailure(context), told),
      (.rateLimited(context), told), (.concurrentRequests(context), told),
    ]
    try await KitHome(withPacks: false).during(AppleModel()) { libera in
      for (error, failure) in cases {
        set { $0.plays = [.fails(after: [], error)] }
        let answer = try await libera.answer("What is the capital of France?", talk)
        #expect(answer.provider == "templates" && answer.limits.first?.reason == failure.message, "\(error): \(answer)")
      }
      set { $0.plays = [.fails(after: ["Paris is the capital. ", "It"], .guardrailViolation(context))] }
      let half = try await libera.answer("What is the capital of France?", talk)
      #expect(half.provider == "platform" && half.answer.hasPrefix("Paris is the capital."), "\(half)")
      #expect(half.dropped.contains { $0.reason == PlatformFailure.declined.message })
    }
  }

  @Test("Stopped on the screen, the system stops writing too")
  func stopped() async throws {
    set { $0.plays = [.never(after: ["Once upon a time. "])] }
    try await KitHome(withPacks: false).during(AppleModel()) { libera in
      let visit = try await Visit.entered(libera)
      try visit.stage.write("Tell me a story about a dragon.", into: "chat.draft")
      try visit.stage.tap("chat.send")
      try await visit.until("turn.text")
      #expect(ModelRoom.shared.state.withLock(\.writing) == 1)
      try visit.stage.tap("chat.stop")
      try await visit.until { ModelRoom.shared.state.withLock(\.writing) == 0 }
      #expect(visit.stage.has("turn.stopped") && visit.stage.text.contains("Once upon a time."))
      visit.stage.leave()
    }
  }
}
