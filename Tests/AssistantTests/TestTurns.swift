import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Storage
import Synchronization
import Workers

@testable import Assistant

/// A pack that writes what a test says, text after text, and whose worker dies where the test says.
final class ScriptedModel: WritingModel {
  enum Reply {
    case text(String)
    /// Thoughts before the text.
    case thinks(String, then: String)
    /// The worker ends after so much.
    case dies(after: String)
    /// The graphics card fails after so much, and the processor goes on.
    case leavesCard(after: String, then: String)
  }

  /// Whether the scheduler has given a turn to what runs now.
  @TaskLocal static var hasTurn = false

  private let replies: Mutex<[Reply]>
  private let judged = Mutex<[[Message]]>([])
  private let ahead = Mutex<[Int?]>([])
  private let asked = Mutex<[(request: GenerateRequest, hadTurn: Bool)]>([])

  /// How much more it says yes than no, asked whether passages answer.
  private let says: Double

  init(_ replies: [Reply], says: Double = 0.95) {
    self.replies = Mutex(replies)
    self.says = says
  }

  var info: ModelInfo? { nil }
  var requests: [GenerateRequest] { asked.withLock { $0.map(\.request) } }
  /// What it was asked yes or no about.
  var scored: [[Message]] { judged.withLock(\.self) }
  /// Since when what it read for each next question may be kept.
  var readAhead: [Int?] { ahead.withLock(\.self) }
  var allHadTurns: Bool { asked.withLock { $0.allSatisfy(\.hadTurn) } }

  func countTokens(_ texts: [String]) -> [Int] { texts.map { $0.count / 4 } }
  func score(_ request: ScoreRequest) -> [Score] {
    if case .chat(let messages, _) = request.prefix { judged.withLock { $0.append(messages) } }
    return Verdict.replies.map { Score(logprob: Float(log($0.isYes ? says : 1 - says)), tokens: 1) }
  }
  func adjust(_ adjustment: GenerateAdjustment) {}
  func readAhead(_ request: GenerateRequest, keeping moment: Int?) -> Int {
    ahead.withLock { $0.append(moment) }
    return 0
  }

  func generate(
    _ request: GenerateRequest, inTurn: @escaping InTurn
  ) -> AsyncThrowingStream<GenerationEvent, any Error> {
    streaming { [self] emit in
      try await inTurn { [self] in for try await event in generate(request) { emit(event) } }
    }
  }

  private func generate(_ request: GenerateRequest) -> AsyncThrowingStream<GenerationEvent, any Error> {
    asked.withLock { $0.append((request, Self.hasTurn)) }
    let reply = replies.withLock { $0.isEmpty ? .text("") : $0.removeFirst() }
    return AsyncThrowingStream { continuation in
      continuation.yield(.prompt(PromptReport()))
      switch reply {
      case .text(let text):
        continuation.yield(.piece(text))
        continuation.yield(.done(GenerateReport()))
        continuation.finish()
      case .thinks(let thought, let text):
        continuation.yield(.thought(thought))
        if !text.isEmpty { continuation.yield(.piece(text)) }
        var report = GenerateReport()
        report.thoughtTokens = 1
        continuation.yield(.done(report))
        continuation.finish()
      case .leavesCard(let before, let after):
        continuation.yield(.piece(before))
        continuation.yield(.leftCard("its driver ended"))
        continuation.yield(.piece(after))
        continuation.yield(.done(GenerateReport()))
        continuation.finish()
      case .dies(let text):
        if !text.isEmpty { continuation.yield(.piece(text)) }
        continuation.finish(throwing: WorkerError.stopped(kind: "chat"))
      }
    }
  }
}

/// What a turn needs, without a house: a vault, and a pack that a test has written. Without a model no pack is installed.
struct TestDesk: TurnHouse {
  var signposts: (any AnswerSignposts)?
  let vault: Vault
  var model: ScriptedModel?
  var parameters: Int64 = 8_000_000_000
  let governor = Governor(sensors: LinuxSensors(), device: Device.current, settings: Settings())

  /// The turn's record, and the text a person has seen in the end.
  func run(
    _ input: Ask.Input, onNotice: (String) -> Void = { _ in }
  ) async throws -> (record: AnswerRecord, seen: String) {
    let events = Mutex<[Ask.Event]>([])
    try await Turn(input, in: self, since: moment) { event in events.withLock { $0.append(event) } }.run()
    let all = events.withLock { $0 }
    var seen = ""
    for notice in all.compactMap(\.notice) { onNotice(notice) }
    for event in all { seen = event.replaced ?? (seen + (event.piece ?? "")) }
    return (all.compactMap(\.done).last!, seen)
  }

  var documents: DocumentShelf { vault.documents }
  var settings = Settings()
  /// What tools have said before the question.
  var said = ToldSoFar()
  /// When the turn's conversation was looked up.
  var moment: Int?

  func turns(of conversation: String?) -> [Prompt.Turn] { [] }
  func told(in conversation: String?) -> ToldSoFar { said }
  func finder(for question: String) -> Searcher { Searcher(vault, embedder: nil) }
  func judge(
    _ question: String, _ passages: [JudgeRequest.Passage], _ limits: Limits, seconds: Double
  ) -> [Judgement] { [] }
  func unready(in collection: String?, for question: String) -> String? { nil }
  func limits(_ mode: Mode?, for input: Ask.Input) async -> Limits { await governor.limits(mode ?? .fast) }
  func prewarm(_ mode: Mode, for input: Ask.Input) {}

  func candidates(_ pack: String?, _ limits: Limits) -> Candidates {
    var platform = Availability(.platform, available: false, reason: "none here")
    platform.isAbsent = true
    guard model != nil, var chat = Self.chat else {
      let reason = AssistantError.noChatPack.message
      return Candidates(
        pack: nil, platform: platform, local: Availability(.local, available: false, reason: reason))
    }
    chat.pack.parameters = parameters
    return Candidates(
      pack: chat, platform: platform, local: Availability(.local, available: true, reason: "is ready"))
  }

  static let chat: PackStatus? = {
    guard let packs = try? Installation().packs,  // nil fails the tests that need it
      let pack = try? Catalogue(at: packs.appending(path: "catalogue.json")).packs.first(where: { $0.kind == .chat })
    else { return nil }
    let fit = Fit.decide(Footprint(pack), context: 4096, available: nil)
    return PackStatus(pack: pack, sha256: nil, installed: nil, verified: true, upgradable: false, fit: fit)
  }()

  func writing(
    with pack: PackStatus, _ limits: Limits, notice: @escaping @Sendable (String) -> Void,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> any WritingModel {
    guard let model else { throw AssistantError.noChatPack }
    return model
  }

  func computing<Value: Sendable>(
    _ name: String, on pack: String, _ priority: Priority, cores: Int,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await ScriptedModel.$hasTurn.withValue(true) { try await body() }
  }

  func failing(_ pack: String, _ error: any Error) -> String? { error is WorkerError ? "the pack left memory" : nil }
  /// However slow the machine is.
  func longestWriting(_ mode: Mode) -> Double { 86_400 }
  func measured(readingSpeed: Double, of pack: String) {}
  func counted() {}
  func tellIfGated() {}
  func remember(_ turn: Prompt.Turn, _ record: AnswerRecord, in conversation: String?) -> String? { nil }
  func trace(_ phases: Phases, _ record: AnswerRecord) {}
  func readAhead(
    _ request: GenerateRequest, answer: String, with model: any WritingModel, of pack: String, keeping moment: Int?
  ) { _ = self.model?.readAhead(request, keeping: moment) }
}
