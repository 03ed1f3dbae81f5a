public import AVFAudio
public import Foundation
package import Synchronization

/// What stands here for the system's recogniser: the languages that are installed, and what it makes of the sound.
package final class HearingRoom: Sendable {
  package struct Line: Sendable {
    /// Told once so many seconds of sound have come, or at the end.
    package var after: Double
    package var text: String
    package var isFinal: Bool
    package init(_ after: Double, _ text: String, isFinal: Bool = false) {
      (self.after, self.text, self.isFinal) = (after, text, isFinal)
    }
  }
  package struct State: Sendable {
    package var isAvailable = true
    package var installed = [Locale(identifier: "en_US")]
    package var rate = 16_000.0
    package var isFloat = false
    package var lines: [Line] = []
    package var error: (any Error)?
    /// What it was given, as floats.
    package var sound: [Float] = []
    package var locale: Locale?
    package var running = 0
  }
  package static let shared = HearingRoom()
  package let state = Mutex(State())
}

/// https://developer.apple.com/documentation/speech/speechmodule
public protocol SpeechModule: AnyObject, Sendable {}

/// https://developer.apple.com/documentation/speech/speechtranscriber
public final class SpeechTranscriber: SpeechModule {
  public enum TranscriptionOption: Hashable, Sendable { case etiquetteReplacements }
  public enum ReportingOption: Hashable, Sendable { case volatileResults, alternativeTranscriptions, fastResults }
  public enum ResultAttributeOption: Hashable, Sendable { case audioTimeRange, transcriptionConfidence }

  /// https://developer.apple.com/documentation/speech/speechtranscriber/result
  public struct Result: Sendable {
    public let text: AttributedString
    /// Results that are not final are replaced by the next ones.
    public let isFinal: Bool
  }

  private let told: AsyncThrowingStream<Result, any Error>
  let teller: AsyncThrowingStream<Result, any Error>.Continuation

  public init(
    locale: Locale, transcriptionOptions: Set<TranscriptionOption>, reportingOptions: Set<ReportingOption>,
    attributeOptions: Set<ResultAttributeOption>
  ) {
    (told, teller) = AsyncThrowingStream.makeStream(of: Result.self)
    HearingRoom.shared.state.withLock { $0.locale = locale }
  }

  public static var isAvailable: Bool { HearingRoom.shared.state.withLock(\.isAvailable) }
  public static var installedLocales: [Locale] {
    get async { HearingRoom.shared.state.withLock(\.installed) }
  }
  public var results: some Sendable & AsyncSequence<Result, any Error> { told }
}

/// https://developer.apple.com/documentation/speech/analyzerinput
public struct AnalyzerInput: Sendable {
  let sound: [Float]
  public init(buffer: AVAudioPCMBuffer) { sound = buffer.samples }
}

/// https://developer.apple.com/documentation/speech/speechanalyzer
public final actor SpeechAnalyzer {
  private let transcriber: SpeechTranscriber?
  private var reading: Task<Void, Never>?

  public init(modules: [any SpeechModule]) { transcriber = modules.lazy.compactMap { $0 as? SpeechTranscriber }.first }

  /// nil: what the modules need is not on the device.
  public static func bestAvailableAudioFormat(compatibleWith modules: [any SpeechModule]) async -> AVAudioFormat? {
    let (rate, isFloat) = HearingRoom.shared.state.withLock { ($0.rate, $0.isFloat) }
    return AVAudioFormat(
      commonFormat: isFloat ? .pcmFormatFloat32 : .pcmFormatInt16, sampleRate: rate, channels: 1, interleaved: true)
  }

  public func start<InputSequence>(inputSequence: InputSequence) async throws
  where InputSequence: Sendable & AsyncSequence, InputSequence.Element == AnalyzerInput, InputSequence.Failure == Never
  {
    HearingRoom.shared.state.withLock { $0.running += 1 }
    reading = Task { [transcriber] in
      for await input in inputSequence {
        HearingRoom.shared.state.withLock { $0.sound += input.sound }
        Self.tell(transcriber) { Double($0.sound.count) / $0.rate }
      }
    }
  }

  public func finalizeAndFinishThroughEndOfInput() async throws {
    await reading?.value
    Self.tell(transcriber) { _ in .infinity }
    await cancelAndFinishNow()
  }

  public func cancelAndFinishNow() async {
    guard reading != nil else { return }
    reading?.cancel()
    reading = nil
    let error = HearingRoom.shared.state.withLock { state in
      state.running -= 1
      return state.error
    }
    transcriber?.teller.finish(throwing: error)
  }

  private static func tell(_ transcriber: SpeechTranscriber?, _ seconds: (HearingRoom.State) -> Double) {
    let lines = HearingRoom.shared.state.withLock { state in
      let now = seconds(state)
      let ripe = state.lines.prefix { $0.after <= now }
      state.lines.removeFirst(ripe.count)
      return Array(ripe)
    }
    for line in lines { transcriber?.teller.yield(.init(text: AttributedString(line.text), isFinal: line.isFinal)) }
  }
}
