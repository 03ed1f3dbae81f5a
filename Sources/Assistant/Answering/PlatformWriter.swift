import Core
import Foundation
import Inference
import Synchronization

/// The system's model behind the same calls as a pack. It counts no tokens and tells no probabilities, so both are made up for here.
final class PlatformWriter: WritingModel {
  private let model: any PlatformModel
  /// The most tokens of the text under way, once the device has changed it.
  private let most = Mutex<Int?>(nil)

  init(_ model: any PlatformModel) { self.model = model }

  /// It computes outside of this program: no core is ours to give.
  var info: ModelInfo? {
    ModelInfo(
      description: Author.platformName, contextTokens: model.contextTokens, trainedContextTokens: model.contextTokens,
      dimensions: 0, threads: 0, backend: "system", loadMs: 0)
  }

  func countTokens(_ texts: [String]) -> [Int] { texts.map(Self.tokens) }

  /// Three bytes are one token: a little more than Latin letters take, and just what Chinese and Japanese do.
  static func tokens(_ text: String) -> Int { (text.utf8.count + 2) / 3 }

  /// What it replies is certain and everything else impossible; where it replies something else all are alike.
  func score(_ request: ScoreRequest) async throws -> [Score] {
    var asked = GenerateRequest(request.prefix)
    asked.maximumTokens = 8
    asked.overflow = .dropOldest
    var reply = ""
    for try await case .piece(let piece) in generate(asked, inTurn: TextModel.atOnce) { reply += piece }
    try Task.checkCancellation()
    let word = reply.drop { !$0.isLetter }.prefix { $0.isLetter }
    return request.candidates.map { Score(logprob: $0 == word ? 0 : -.infinity, tokens: 1) }
  }

  func adjust(_ adjustment: GenerateAdjustment) {
    if let tokens = adjustment.maximumTokens { most.withLock { $0 = tokens } }
  }

  /// Done before the turn, while the evidence is found (`PlatformModel.prewarm`).
  func readAhead(_ request: GenerateRequest, keeping moment: Int?) -> Int { 0 }

  func generate(
    _ request: GenerateRequest, inTurn: @escaping InTurn
  ) -> AsyncThrowingStream<GenerationEvent, any Error> {
    most.withLock { $0 = nil }
    return streaming { [self] emit in
      let prompt = try PlatformPrompt(request, within: model.contextTokens)
      try await inTurn { [self] in
        do { try await write(prompt, emit) } catch PlatformFailure.contextFull where prompt.canShrink {
          // The count is an estimate: without the conversation before it may fit after all.
          try await write(prompt.alone, emit)
        }
      }
    }
  }

  private func write(_ prompt: PlatformPrompt, _ emit: @Sendable (GenerationEvent) -> Void) async throws {
    let began = ContinuousClock.now
    var (text, report) = ("", GenerateReport())
    func start() {
      guard text.isEmpty else { return }
      emit(.prompt(prompt.report))
      (report.promptMs, report.firstTokenMs) = (began.msUntilNow, began.msUntilNow)
    }
    do {
      for try await piece in model.write(prompt.request) where !piece.isEmpty {
        start()
        text += piece
        emit(.piece(piece))
        if let most = most.withLock(\.self), Self.tokens(text) >= most {
          report.finish = .length
          break
        }
      }
    } catch PlatformFailure.contextFull where !text.isEmpty {
      report.finish = .context
    }
    try Task.checkCancellation()
    start()
    report.generatedTokens = Self.tokens(text)
    report.generateMs = began.msUntilNow - report.promptMs
    if report.finish == .end, report.generatedTokens * 2 >= prompt.request.maximumTokens, !Self.isWhole(text) {
      report.finish = .length
    }
    emit(.done(report))
  }

  /// The system does not say whether its model had come to an end. A long text that stops within a sentence had not.
  private static func isWhole(_ text: String) -> Bool {
    let last = text.last { !$0.isWhitespace && !"\"'”’»)]*`".contains($0) }
    return last.map { ".!?:…。！？".contains($0) } ?? true
  }
}

/// A prompt as the system's model is handed it: within its context, the oldest of the conversation left out first.
struct PlatformPrompt {
  private(set) var request: PlatformRequest
  private(set) var report = PromptReport()
  private let mayDrop: Bool

  init(_ asked: GenerateRequest, within context: Int) throws {
    let room = min(context, asked.contextTokens ?? context)
    var messages = Self.messages(of: asked.input)
    let instructions = messages.filter { $0.role == .system }.map(\.text).joined(separator: "\n")
    messages.removeAll { $0.role == .system }
    let prompt = messages.popLast()?.text ?? ""
    request = PlatformRequest(
      instructions: instructions,
      earlier: messages.map { $0.role == .assistant ? .answer($0.text) : .question($0.text) },
      prompt: prompt, maximumTokens: 0, temperature: Double(asked.sampling.temperature))
    mayDrop = asked.overflow == .dropOldest
    let reserved = min(asked.maximumTokens, max(1, room / 4))
    while Self.tokens(request) + reserved > room {
      guard mayDrop, !request.earlier.isEmpty else { throw PlatformFailure.contextFull }
      dropOldest()
    }
    report.promptTokens = Self.tokens(request)
    request.maximumTokens = min(asked.maximumTokens, room - report.promptTokens)
  }

  var canShrink: Bool { mayDrop && !request.earlier.isEmpty }

  /// Without the conversation before.
  var alone: PlatformPrompt {
    var alone = self
    alone.report.droppedMessages += request.earlier.count
    alone.request.earlier = []
    alone.report.promptTokens = Self.tokens(alone.request)
    return alone
  }

  /// A question goes with its answer.
  private mutating func dropOldest() {
    repeat {
      request.earlier.removeFirst()
      report.droppedMessages += 1
    } while request.earlier.first.map { if case .answer = $0 { true } else { false } } ?? false
  }

  private static func messages(of input: GenerateRequest.Input) -> [(role: Role, text: String)] {
    switch input {
    case .chat(let messages, _): messages.map { ($0.role, $0.spans.map(\.text).joined()) }
    case .raw(let spans): [(.user, spans.map(\.text).joined())]
    }
  }

  private static func tokens(_ request: PlatformRequest) -> Int {
    let earlier = request.earlier.map {
      switch $0 {
      case .question(let text), .answer(let text): PlatformWriter.tokens(text)
      }
    }
    return PlatformWriter.tokens(request.instructions) + earlier.reduce(0, +) + PlatformWriter.tokens(request.prompt)
  }
}
