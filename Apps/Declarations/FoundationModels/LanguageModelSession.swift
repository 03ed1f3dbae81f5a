public import Foundation
import Synchronization

/// https://developer.apple.com/documentation/foundationmodels/languagemodelsession
public final class LanguageModelSession: Sendable {
  private let transcript: Transcript

  public init(model: SystemLanguageModel = .default, tools: [any Tool] = [], transcript: Transcript) {
    self.transcript = transcript
  }

  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], instructions: String? = nil
  ) {
    let text = instructions.map { [Transcript.Segment.text(.init(content: $0))] } ?? []
    self.init(transcript: Transcript(entries: [.instructions(.init(segments: text, toolDefinitions: []))]))
  }

  /// https://developer.apple.com/documentation/foundationmodels/languagemodelsession/prewarm(promptprefix:)
  public func prewarm(promptPrefix: Prompt? = nil) {
    guard case .instructions(let instructions)? = transcript.entries.first else { return }
    let texts = instructions.segments.map { if case .text(let segment) = $0 { segment.content } else { "" } }
    ModelRoom.shared.state.withLock { $0.prewarmed.append(texts.joined()) }
  }

  /// https://developer.apple.com/documentation/foundationmodels/languagemodelsession/streamresponse(to:options:)
  public func streamResponse(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    let play = ModelRoom.shared.state.withLock { state in
      state.asked.append(ModelRoom.Asked(entries: transcript.entries, prompt: prompt, options: options))
      return state.plays.isEmpty ? .writes([]) : state.plays.removeFirst()
    }
    return ResponseStream(play)
  }

  /// Each element holds all that was written so far.
  /// https://developer.apple.com/documentation/foundationmodels/languagemodelsession/responsestream
  public struct ResponseStream<Content: Sendable>: AsyncSequence, Sendable {
    /// https://developer.apple.com/documentation/foundationmodels/languagemodelsession/responsestream/snapshot
    public struct Snapshot: Sendable { public var content: Content }
    public typealias Element = Snapshot
    let play: ModelRoom.Play
  }

  /// https://developer.apple.com/documentation/foundationmodels/languagemodelsession/generationerror
  public enum GenerationError: Error, LocalizedError, Sendable {
    public struct Context: Sendable {
      public let debugDescription: String
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }
    public struct Refusal: Sendable { package init() {} }
    case exceededContextWindowSize(Context)
    case assetsUnavailable(Context)
    case guardrailViolation(Context)
    case unsupportedGuide(Context)
    case unsupportedLanguageOrLocale(Context)
    case decodingFailure(Context)
    case rateLimited(Context)
    case concurrentRequests(Context)
    case refusal(Refusal, Context)

    public var errorDescription: String? {
      switch self {
      case .exceededContextWindowSize(let context), .assetsUnavailable(let context), .guardrailViolation(let context),
        .unsupportedGuide(let context), .unsupportedLanguageOrLocale(let context), .decodingFailure(let context),
        .rateLimited(let context), .concurrentRequests(let context), .refusal(_, let context):
        context.debugDescription
      }
    }
  }
}

extension LanguageModelSession.ResponseStream where Content == String {
  init(_ play: ModelRoom.Play) { self.play = play }
}

extension LanguageModelSession.ResponseStream {
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var waiting: [String]
    fileprivate var end: (any Error)?
    fileprivate let goesOn: Bool
    private let token = Writing()
    private var written = ""

    fileprivate init(_ play: ModelRoom.Play) {
      switch play {
      case .writes(let words): (waiting, end, goesOn) = (words, nil, false)
      case .fails(let words, let error): (waiting, end, goesOn) = (words, error, false)
      case .never(let words): (waiting, end, goesOn) = (words, nil, true)
      }
    }

    public mutating func next() async throws -> Snapshot? {
      try Task.checkCancellation()
      guard waiting.isEmpty else {
        written += waiting.removeFirst()
        return (written as? Content).map(Snapshot.init)
      }
      if let end { throw end }
      if goesOn {
        // Nothing ever comes: this ends by cancellation alone.
        for await _ in AsyncStream(Never.self, { _ in }) {}
        try Task.checkCancellation()
      }
      return nil
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(play) }
}

/// Counts an answer that is being written, until its iterator is let go.
private final class Writing: Sendable {
  init() { ModelRoom.shared.state.withLock { $0.writing += 1 } }
  deinit { ModelRoom.shared.state.withLock { $0.writing -= 1 } }
}
