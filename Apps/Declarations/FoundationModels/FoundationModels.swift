package import Synchronization

/// What stands here for the system's language model: whether it is there, and what it writes, one play for each question.
package final class ModelRoom: Sendable {
  package enum Play: Sendable {
    case writes([String])
    case fails(after: [String], LanguageModelSession.GenerationError)
    /// Goes on after these words until nobody listens any more.
    case never(after: [String])
  }
  package struct Asked: Sendable, Equatable {
    package var entries: [Transcript.Entry]
    package var prompt: String
    package var options: GenerationOptions
  }
  package struct State: Sendable {
    package var availability = SystemLanguageModel.Availability.available
    package var contextSize = 4096
    package var plays: [Play] = []
    package var asked: [Asked] = []
    package var prewarmed: [String] = []
    /// How many answers are being written.
    package var writing = 0
  }
  package static let shared = ModelRoom()
  package let state = Mutex(State())
}

/// https://developer.apple.com/documentation/foundationmodels/systemlanguagemodel
public final class SystemLanguageModel: Sendable {
  public static let `default` = SystemLanguageModel()

  /// https://developer.apple.com/documentation/foundationmodels/systemlanguagemodel/availability-swift.enum
  public enum Availability: Equatable, Sendable {
    case available
    case unavailable(UnavailableReason)
    /// https://developer.apple.com/documentation/foundationmodels/systemlanguagemodel/availability-swift.enum/unavailablereason
    public enum UnavailableReason: Equatable, Sendable {
      case deviceNotEligible, appleIntelligenceNotEnabled, modelNotReady
    }
  }

  public var availability: Availability { ModelRoom.shared.state.withLock(\.availability) }
  /// https://developer.apple.com/documentation/foundationmodels/systemlanguagemodel/contextsize
  public var contextSize: Int { ModelRoom.shared.state.withLock(\.contextSize) }
}

/// https://developer.apple.com/documentation/foundationmodels/generationoptions
public struct GenerationOptions: Sendable, Equatable {
  /// https://developer.apple.com/documentation/foundationmodels/generationoptions/samplingmode
  public struct SamplingMode: Sendable, Equatable {
    public static var greedy: SamplingMode { SamplingMode() }
  }
  public var sampling: SamplingMode?
  public var temperature: Double?
  public var maximumResponseTokens: Int?

  public init(sampling: SamplingMode? = nil, temperature: Double? = nil, maximumResponseTokens: Int? = nil) {
    (self.sampling, self.temperature) = (sampling, temperature)
    self.maximumResponseTokens = maximumResponseTokens
  }
}

/// https://developer.apple.com/documentation/foundationmodels/tool
public protocol Tool: Sendable {}

/// https://developer.apple.com/documentation/foundationmodels/prompt
public struct Prompt: Sendable {}

/// https://developer.apple.com/documentation/foundationmodels/transcript
public struct Transcript: Sendable, Equatable {
  public enum Entry: Sendable, Equatable {
    case instructions(Instructions)
    case prompt(Prompt)
    case response(Response)
  }
  public enum Segment: Sendable, Equatable { case text(TextSegment) }
  public struct TextSegment: Sendable, Equatable {
    public var content: String
    public init(content: String) { self.content = content }
  }
  public struct ToolDefinition: Sendable, Equatable {}
  /// https://developer.apple.com/documentation/foundationmodels/transcript/instructions
  public struct Instructions: Sendable, Equatable {
    public var segments: [Segment]
    public init(segments: [Segment], toolDefinitions: [ToolDefinition]) { self.segments = segments }
  }
  /// https://developer.apple.com/documentation/foundationmodels/transcript/prompt
  public struct Prompt: Sendable, Equatable {
    public var segments: [Segment]
    public init(segments: [Segment]) { self.segments = segments }
  }
  /// https://developer.apple.com/documentation/foundationmodels/transcript/response
  public struct Response: Sendable, Equatable {
    public var segments: [Segment]
    public init(assetIDs: [String], segments: [Segment]) { self.segments = segments }
  }

  let entries: [Entry]
  public init(entries: some Sequence<Entry>) { self.entries = Array(entries) }
}
