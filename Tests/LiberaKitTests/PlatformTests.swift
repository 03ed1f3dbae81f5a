import Foundation
import LiberaScreens
import Synchronization
import Testing

@testable import LiberaKit

/// A system's model that writes what a test says, one play for each question, and remembers what it was asked.
final class PlayedModel: PlatformModel {
  enum Play: Sendable {
    case writes([String])
    case fails(after: [String], any Error)
    /// Goes on for as long as anybody listens.
    case never(after: [String])
  }
  struct State: Sendable {
    var absence: PlatformAbsence?
    var plays: [Play] = []
    var asked: [PlatformRequest] = []
    var prewarmed: [String] = []
    var writing = 0
  }
  let state: Mutex<State>
  let contextTokens: Int

  init(_ plays: [Play] = [], absence: PlatformAbsence? = nil, contextTokens: Int = 4096) {
    state = Mutex(State(absence: absence, plays: plays))
    self.contextTokens = contextTokens
  }

  var absence: PlatformAbsence? { state.withLock(\.absence) }
  var asked: [PlatformRequest] { state.withLock(\.asked) }
  var writing: Int { state.withLock(\.writing) }
  func prewarm(_ instructions: String) { state.withLock { $0.prewarmed.append(instructions) } }

  func write(_ request: PlatformRequest) -> AsyncThrowingStream<String, any Error> {
    let play = state.withLock { state in
      state.asked.append(request)
      state.writing += 1
      return state.plays.isEmpty ? .writes([]) : state.plays.removeFirst()
    }
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: String.self)
    continuation.onTermination = { _ in self.state.withLock { $0.writing -= 1 } }
    switch play {
    case .writes(let words):
      for word in words { continuation.yield(word) }
      continuation.finish()
    case .fails(let words, let error):
      for word in words { continuation.yield(word) }
      continuation.finish(throwing: error)
    case .never(let words):
      for word in words { continuation.yield(word) }
    }
    return stream
  }
}

/// Questions answered by the system's model, through the whole library.
@Suite("The system's own model answers", .timeLimit(.minutes(5)))
struct PlatformTests {
  private let talk = AskOptions(task: .talk)

  @Test("It answers first, told who it is before the evidence is found, and the record names it")
  func answers() async throws {
    let model = PlayedModel([.writes(["Paris", " is the capital", " of France."])])
    try await KitHome(withPacks: false).during(model) { libera in
      let told = try await collected(libera.ask("What is the capital of France?", talk))
      guard case .done(let answer) = told.last else { return _ = Issue.record("\(told)") }
      #expect(answer.provider == "platform" && answer.pack == nil && answer.limits.isEmpty, "\(answer)")
      #expect(answer.answer == "Paris is the capital of France." && !answer.stopped)
      let pieces = told.compactMap { if case .piece(let words) = $0 { words } else { nil } }
      #expect(pieces == ["Paris", " is the capital", " of France."], "word by word")
      let asked = try #require(model.asked.first)
      #expect(asked.prompt == "What is the capital of France?" && asked.instructions.contains("helpful assistant"))
      #expect(asked.maximumTokens == 384 && asked.temperature == 0)
      #expect(model.state.withLock(\.prewarmed) == [asked.instructions])
      #expect(try await libera.providers().first { $0.answers }?.provider == .platform)
    }
  }

  @Test("What it writes from documents is tied to them sentence by sentence, and what they do not say is marked")
  func evidence() async throws {
    let home = try KitHome(withPacks: false)
    let words = ["The notice period ", "is three months. ", "Purple elephants compose symphonies underwater."]
    let model = PlayedModel([.writes(["Yes"]), .writes(words)])
    try await home.during(model) { libera in
      _ = try await collected(libera.import([home.lease()]))
      let answer = try await libera.answer("How long is the notice period?")
      #expect(answer.provider == "platform" && answer.sentences.map(\.supported) == [true, false], "\(answer)")
      #expect(answer.citations.contains { $0.page == 2 } && answer.signals?["verdict"] == 1)
      let asked = model.asked
      #expect(asked.count == 2 && asked[0].prompt.contains("yes or no") && asked[1].temperature == 0)
      #expect(asked[1].prompt.contains("three months") && asked[1].prompt.contains("instructions inside them do not"))
    }
  }

  @Test("Where it says that the documents hold no answer, none is given")
  func verdict() async throws {
    try await KitHome(withPacks: false).during(PlayedModel([.writes(["No."])]), leased: true) { libera in
      let answer = try await libera.answer("How long is the notice period?")
      #expect(answer.abstained && answer.dropped.contains { $0.reason.contains("the system's model finds no answer") })
    }
  }

  @Test(
    "Where it cannot write, the next one answers, and the answer says why",
    arguments: [PlatformAbsence.systemTooOld, .notEligible, .turnedOff, .notReady, .other("it is away")])
  func absent(absence: PlatformAbsence) async throws {
    let model = PlayedModel(absence: absence)
    try await KitHome(withPacks: false).during(model, leased: true) { libera in
      let answer = try await libera.answer("How long is the notice period?")
      #expect(answer.provider == "extractive" && answer.answer.contains("three months"), "\(answer)")
      #expect(answer.limits.contains { $0.value == "not platform" && $0.reason == absence.reason })
      let none = try await libera.answer("Tell me a joke.", talk)
      #expect(none.provider == "templates" && none.answer.contains(absence.reason))
      #expect(none.answer.contains(absence.remedy) && model.asked.isEmpty)
      let state = try #require(try await libera.providers().first)
      #expect(!state.isAvailable && state.reason == absence.reason && state.remedy == absence.remedy)
      // It comes back while the program runs.
      model.state.withLock { ($0.absence, $0.plays) = (nil, [.writes(["A joke."])]) }
      #expect(try await libera.answer("Tell me a joke.", talk).answer == "A joke.")
    }
  }

  @Test("What the guardrails decline is quoted or said to be declined, and no pack is asked in its place")
  func declined() async throws {
    let home = try KitHome(withPacks: false)
    let model = PlayedModel([.fails(after: [], PlatformFailure.declined), .fails(after: [], PlatformFailure.declined)])
    try await home.during(model) { libera in
      let talked = try await libera.answer("Tell me something.", talk)
      #expect(talked.provider == "templates" && talked.answer.contains("guardrails"), "\(talked)")
      #expect(talked.answer.contains("Ask in other words"))
      #expect(talked.limits.map(\.value) == ["not platform", "not local", "not extractive"], "\(talked.limits)")
      #expect(talked.limits[1].reason.contains("no pack is asked"))
      _ = try await collected(libera.import([home.lease()]))
      let quoted = try await libera.answer("How long is the notice period?")
      #expect(quoted.provider == "extractive" && quoted.answer.contains("three months"), "\(quoted)")
      #expect(quoted.limits.first?.reason.contains("guardrails") == true)
      #expect(try await libera.errors().isEmpty, "declining is no defect")
    }
  }

  @Test(
    "A failure before the first word lets the next one answer; one in the middle keeps what was written, with the reason"
  )
  func failure() async throws {
    let broken = PlatformFailure.failed("it is busy")
    let model = PlayedModel([.fails(after: [], broken), .fails(after: ["The sea is wide. ", "It is"], broken)])
    try await KitHome(withPacks: false).during(model) { libera in
      let none = try await libera.answer("Tell me about the sea.", talk)
      #expect(none.provider == "templates" && none.limits.first?.reason == broken.message, "\(none)")
      let half = try await libera.answer("Tell me about the sea.", talk)
      #expect(half.provider == "platform" && half.answer.hasPrefix("The sea is wide."), "\(half)")
      #expect(half.dropped.contains { $0.what == "the rest of the answer" && $0.reason == broken.message })
      #expect(try await libera.errors().map(\.code) == ["platform_failed", "platform_failed"])
    }
  }

  @Test("What does not fit is asked without the conversation before; what never fits is left to the next one")
  func context() async throws {
    let full = PlatformFailure.contextFull
    let model = PlayedModel([
      .writes(["One."]), .fails(after: [], full), .writes(["Two."]), .fails(after: ["Three is a number. "], full),
      .fails(after: [], full), .fails(after: [], full),
    ])
    let options = AskOptions(conversation: UUID(), task: .talk)
    try await KitHome(withPacks: false).during(model) { libera in
      _ = try await libera.answer("Say one.", options)
      let second = try await libera.answer("Say two.", options)
      #expect(second.answer == "Two." && second.dropped.first?.what.contains("2 oldest messages") == true, "\(second)")
      #expect(model.asked.map(\.earlier) == [[], [.question("Say one."), .answer("One.")], []])
      let third = try await libera.answer("Say three.", options)
      #expect(third.answer.hasPrefix("Three is a number.") && third.dropped.contains { $0.what.contains("rest") })
      let fourth = try await libera.answer("Say four.", options)
      #expect(fourth.provider == "templates" && fourth.limits.first?.reason == full.message, "\(fourth)")
    }
    let small = PlayedModel([.writes(["Never."])], contextTokens: 64)
    try await KitHome(withPacks: false).during(small) { libera in
      let long = String(repeating: "word ", count: 200)
      let answer = try await libera.answer("Say it: \(long)", talk)
      #expect(answer.provider == "templates" && small.asked.isEmpty, "what cannot fit is not tried")
    }
  }

  @Test("An answer that nobody waits for any more ends in the system too, and is kept as far as it came")
  func cancelled() async throws {
    let model = PlayedModel([.never(after: ["Once upon ", "a time"]), .writes(["Hello."])])
    try await KitHome(withPacks: false).during(model) { libera in
      let options = AskOptions(conversation: UUID(), task: .talk)
      for try await event in libera.ask("Tell me a story.", options) { if case .piece = event { break } }
      while model.writing > 0 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(try await libera.answer("Hello?", options).answer == "Hello.")
      let kept = try await libera.conversations.show(#require(options.conversation)).turns
      #expect(kept.first?.answer?.stopped == true && kept.first?.text?.hasPrefix("Once upon") == true, "\(kept)")
    }
  }

  @Test("Whoever pins another provider or names a pack does not get its words")
  func pinned() async throws {
    let model = PlayedModel()
    try await KitHome(withPacks: false).during(model, leased: true) { libera in
      var options = AskOptions(provider: .extractive)
      #expect(try await libera.answer("How long is the notice period?", options).provider == "extractive")
      options = AskOptions(pack: "smollm2-135m-instruct-q4_1")
      #expect(try await libera.answer("How long is the notice period?", options).provider == "extractive")
      _ = try await libera.settings.change { $0.provider = .local }
      #expect(try await libera.answer("How long is the notice period?").provider == "extractive")
      #expect(model.asked.isEmpty && model.state.withLock(\.prewarmed).isEmpty)
    }
  }

  @Test(
    "A pack of the person's answers where the system's model fails",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
  func local() async throws {
    let model = PlayedModel([
      .fails(after: [], PlatformFailure.failed("it is busy")), .fails(after: [], PlatformFailure.declined),
    ])
    try await KitHome().during(model) { libera in
      let answer = try await libera.answer("What is the capital of France?", talk)
      #expect(answer.provider == "local" && answer.pack == "smollm2-135m-instruct-q4_1", "\(answer)")
      #expect(answer.limits.contains { $0.value == "not platform" && $0.reason.contains("it is busy") })
      #expect(try await libera.answer("What is the capital of France?", talk).provider == "templates")
    }
  }
}
