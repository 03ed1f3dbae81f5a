public import Core

/// A language model that the system brings along, as Apple's devices do. An app hands one to the library. What it is asked, in how
/// many tokens, and what becomes of its words is decided by the library: it only writes.
public protocol PlatformModel: Sendable {
  /// Why it cannot write now; nil where it can.
  var absence: PlatformAbsence? { get }
  /// The most tokens that a prompt and its answer may have together.
  var contextTokens: Int { get }
  /// A question is on its way: what makes the first words slow is done now. Does not wait for it.
  func prewarm(_ instructions: String)
  /// The words of an answer as they come; ending the loop ends the writing.
  /// - Throws: `PlatformFailure`, which lets another provider take its place.
  func write(_ request: PlatformRequest) -> AsyncThrowingStream<String, any Error>
}

/// What the system's model is asked.
public struct PlatformRequest: Sendable, Equatable {
  public enum Said: Sendable, Equatable {
    case question(String)
    case answer(String)
  }
  /// The library's own words, which count for more than all others.
  public var instructions: String
  /// The conversation before, in its order.
  public var earlier: [Said]
  public var prompt: String
  public var maximumTokens: Int
  /// 0: the likeliest word each time.
  public var temperature: Double

  public init(
    instructions: String, earlier: [Said] = [], prompt: String, maximumTokens: Int, temperature: Double = 0
  ) {
    (self.instructions, self.earlier, self.prompt) = (instructions, earlier, prompt)
    (self.maximumTokens, self.temperature) = (maximumTokens, temperature)
  }
}

/// Why the system's model cannot write.
public enum PlatformAbsence: Sendable, Equatable {
  /// The system is older than its model.
  case systemTooOld
  /// This device will never have it.
  case notEligible
  /// The person has not turned it on.
  case turnedOff
  /// The system is still fetching or preparing it.
  case notReady
  case other(String)

  public var reason: String {
    switch self {
    case .systemTooOld: "this version of the system has no language model for apps"
    case .notEligible: "this device is not made for the system's language model"
    case .turnedOff: "the system's language model is turned off"
    case .notReady: "the system is still preparing its language model"
    case .other(let reason): reason
    }
  }

  public var remedy: String {
    switch self {
    case .systemTooOld: "Update the system, or install a pack: it does the same work."
    case .notEligible, .other: "Install a pack: it does the same work."
    case .turnedOff: "Turn Apple Intelligence on in the system's settings, or install a pack."
    case .notReady: "Leave the device on power and Wi-Fi for a while, or install a pack."
    }
  }
}

/// Why the system's model does not go on with an answer.
public enum PlatformFailure: Explained, Equatable {
  /// The guardrails of the system decline the question or the answer. No other model is asked in its place.
  case declined
  /// Prompt and answer do not fit together.
  case contextFull
  case languageUnknown
  case failed(String)

  public var code: String {
    switch self {
    case .declined: "platform_declined"
    case .contextFull: "platform_context_full"
    case .languageUnknown: "platform_language"
    case .failed: "platform_failed"
    }
  }

  public var message: String {
    switch self {
    case .declined: "The guardrails of the system's model decline this."
    case .contextFull: "This is more than the system's model can read at once."
    case .languageUnknown: "The system's model does not know this language."
    case .failed(let reason): "The system's model failed: \(reason)."
    }
  }

  public var remedy: String? {
    switch self {
    case .declined: "Ask in other words, or choose in the settings who answers."
    case .contextFull: "Ask about less at once."
    case .languageUnknown, .failed: "Install a pack: it does the same work."
    }
  }
}
