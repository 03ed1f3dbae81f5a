import Core
import Foundation
import LiberaKit
import Spoken

/// Where the sound of a dictation goes, and its words come from.
protocol SpokenInput: Sendable {
  var events: AsyncThrowingStream<DictationEvent, any Error> { get }
  func hear(_ sound: Data) async throws
  func finish() async throws
}

extension Dictation: SpokenInput {}

/// A dictation that the system hears, told as one of ours. How sure the system is of its words is not known on our scale, so they
/// count as unsure: a command is shown before it is done.
actor SystemDictation: SpokenInput {
  nonisolated let events: AsyncThrowingStream<DictationEvent, any Error>
  private let told: AsyncThrowingStream<DictationEvent, any Error>.Continuation
  private let ear: OpenEar
  private let rate: Int
  private var resampler: Resampler?
  private var silence: SilenceWatch
  private var isOver = false

  /// - Parameters:
  ///   - rate: Samples a second of what will be given.
  ///   - stopsAfterMs: The silence that ends it; nil: none does.
  init(_ ear: OpenEar, rate: Int, language: String, stopsAfterMs: Int?) {
    (self.ear, self.rate) = (ear, rate)
    resampler = rate == ear.rate ? nil : Resampler(from: rate, to: ear.rate)
    silence = SilenceWatch(stopsAfterMs: stopsAfterMs)
    let (events, told) = AsyncThrowingStream.makeStream(of: DictationEvent.self)
    (self.events, self.told) = (events, told)
    told.yield(.opened)
    let listening = Task {
      do {
        var words = Settling(language: language)
        for try await heard in ear.heard { if let event = words.take(heard) { told.yield(event) } }
        try Task.checkCancellation()
        told.yield(.done)
        told.finish()
      } catch { told.finish(throwing: error) }
    }
    told.onTermination = { _ in listening.cancel() }
  }

  func hear(_ sound: Data) async throws {
    guard !isOver else { throw LiberaError(code: "dictation_over", message: "This dictation is over.") }
    let samples = SoundLevel.samples(sound)
    ear.hear(resampler?.feed(samples) ?? samples)
    guard silence.take(SoundLevel.of(sound), seconds: Double(samples.count) / Double(rate)) else { return }
    told.yield(.stopped)
    try await finish()
  }

  func finish() async throws {
    guard !isOver else { return }
    isOver = true
    if let rest = resampler?.finish() { ear.hear(rest) }
    try await ear.finish()
  }
}

/// Words that come and go until they settle, each utterance by its number.
struct Settling {
  private let language: String
  private var number = 0
  private var stabiliser = Stabiliser()

  init(language: String) { self.language = language }

  mutating func take(_ heard: OpenEar.Heard) -> DictationEvent? {
    let text = heard.text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { return nil }
    guard heard.isSettled else {
      stabiliser.take(text.split(whereSeparator: \.isWhitespace).map(String.init))
      return .partial(
        utterance: number, confirmed: stabiliser.confirmed.joined(separator: " "),
        tail: stabiliser.tail.joined(separator: " "))
    }
    defer { (number, stabiliser) = (number + 1, Stabiliser()) }
    return .final(Utterance(number: number, text: text, language: language, words: [], allRight: 0, remark: nil))
  }
}

/// Whether somebody has fallen silent, by how loud it is: what is well above the quietest of late is speech.
struct SilenceWatch {
  private let stopsAfter: Double?
  /// A quiet room, until it is known better: somebody may begin to speak at once.
  private var quietest = 0.003
  private var silent = 0.0
  private var hasSpoken = false
  /// Before the first word people think.
  private static let patience = 3.0

  init(stopsAfterMs: Int?) { stopsAfter = stopsAfterMs.map { Double($0) / 1000 } }

  /// - Returns: Whether it is over.
  mutating func take(_ level: Double, seconds: Double) -> Bool {
    // It creeps upwards, so that a fan that starts is not speech for ever.
    quietest = min(level, quietest + 0.002 * seconds)
    let isSpeech = level > max(0.008, 3 * quietest)
    silent = isSpeech ? 0 : silent + seconds
    if isSpeech { hasSpoken = true }
    guard let stopsAfter else { return false }
    return silent >= stopsAfter * (hasSpoken ? 1 : Self.patience)
  }
}
