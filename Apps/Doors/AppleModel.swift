import Foundation
public import LiberaKit

#if canImport(FoundationModels)
  import FoundationModels

  /// The system's language model, through Foundation Models. Only words cross: nothing of the framework's tools or types is used.
  public struct AppleModel: PlatformModel {
    public init() {}

    public var absence: PlatformAbsence? {
      guard #available(iOS 26, macOS 26, *) else { return .systemTooOld }
      return switch SystemLanguageModel.default.availability {
      case .available: nil
      case .unavailable(.deviceNotEligible): .notEligible
      case .unavailable(.appleIntelligenceNotEnabled): .turnedOff
      case .unavailable(.modelNotReady): .notReady
      @unknown default: .other("the system's language model is not there, for a reason that is new to this program")
      }
    }

    public var contextTokens: Int {
      guard #available(iOS 26, macOS 26, *) else { return 0 }
      return SystemLanguageModel.default.contextSize
    }

    public func prewarm(_ instructions: String) {
      guard #available(iOS 26, macOS 26, *) else { return }
      LanguageModelSession(instructions: instructions).prewarm()
    }

    public func write(_ request: PlatformRequest) -> AsyncThrowingStream<String, any Error> {
      let (words, continuation) = AsyncThrowingStream.makeStream(of: String.self)
      guard #available(iOS 26, macOS 26, *) else {
        continuation.finish(throwing: PlatformFailure.failed("it is not there"))
        return words
      }
      let writing = Task {
        do {
          // Each snapshot holds everything that was written so far.
          var told = 0
          let session = LanguageModelSession(transcript: Self.transcript(request))
          for try await snapshot in session.streamResponse(to: request.prompt, options: Self.options(request)) {
            let text = snapshot.content.utf8
            continuation.yield(String(decoding: text.dropFirst(told), as: UTF8.self))
            told = text.count
          }
          continuation.finish()
        } catch { continuation.finish(throwing: Self.failure(error)) }
      }
      continuation.onTermination = { _ in writing.cancel() }
      return words
    }
  }

  @available(iOS 26, macOS 26, *)
  extension AppleModel {
    // LiberaKit has one too: what was heard.
    private typealias Transcript = FoundationModels.Transcript

    private static func options(_ request: PlatformRequest) -> GenerationOptions {
      request.temperature == 0
        ? GenerationOptions(sampling: .greedy, maximumResponseTokens: request.maximumTokens)
        : GenerationOptions(temperature: request.temperature, maximumResponseTokens: request.maximumTokens)
    }

    private static func transcript(_ request: PlatformRequest) -> Transcript {
      let instructions = Transcript.Instructions(segments: segments(request.instructions), toolDefinitions: [])
      let earlier: [Transcript.Entry] = request.earlier.map {
        switch $0 {
        case .question(let text): .prompt(Transcript.Prompt(segments: segments(text)))
        case .answer(let text): .response(Transcript.Response(assetIDs: [], segments: segments(text)))
        }
      }
      return Transcript(entries: [.instructions(instructions)] + earlier)
    }

    private static func segments(_ text: String) -> [Transcript.Segment] {
      [.text(Transcript.TextSegment(content: text))]
    }

    private static func failure(_ error: any Error) -> any Error {
      guard let error = error as? LanguageModelSession.GenerationError else {
        return error is CancellationError ? error : PlatformFailure.failed(error.localizedDescription)
      }
      return switch error {
      case .guardrailViolation, .refusal: PlatformFailure.declined
      case .exceededContextWindowSize: PlatformFailure.contextFull
      case .unsupportedLanguageOrLocale: PlatformFailure.languageUnknown
      case .assetsUnavailable, .unsupportedGuide, .decodingFailure, .rateLimited, .concurrentRequests:
        PlatformFailure.failed(error.localizedDescription)
      @unknown default: PlatformFailure.failed(error.localizedDescription)
      }
    }
  }
#endif
