public import Assistant
import Core
public import Foundation

/// A word that was heard, with its place in the sound in seconds.
public struct HeardWord: Sendable, Codable, Equatable {
  public var text: String
  public var start: Double
  public var end: Double
  public var confidence: Double

  init(_ word: Assistant.SpokenWord) {
    (text, start, end, confidence) = (word.text, word.start / 1000, word.end / 1000, word.confidence)
  }
}

/// The words of a recording.
public struct Transcript: Sendable, Codable, Equatable {
  public var text: String
  public var language: String
  public var words: [HeardWord]
  /// The probability that every word is right: what `perform` takes as `recognition`.
  public var allRight: Double
  public var seconds: Double
  /// Why words were taken away or doubted.
  public var remark: String?
}

/// What somebody said in one breath.
public struct Utterance: Sendable, Codable, Equatable {
  public var number: Int
  public var text: String
  public var language: String
  public var words: [HeardWord]
  /// The probability that every word is right: what `perform` takes as `recognition`.
  public var allRight: Double
  public var remark: String?

  public init(number: Int, text: String, language: String, words: [HeardWord], allRight: Double, remark: String?) {
    (self.number, self.text, self.language, self.words) = (number, text, language, words)
    (self.allRight, self.remark) = (allRight, remark)
  }
}

/// What happens while somebody talks.
public enum DictationEvent: Sendable, Codable, Equatable {
  /// Sound is taken from now on; it is kept while the packs load.
  case opened
  /// What the device bears less of than usual, and why; empty when that is over.
  case limits([LimitNote])
  /// Somebody began to speak, at this second.
  case speech(at: Double)
  /// Words while they are spoken: those of `tail` may still change.
  case partial(utterance: Int, confirmed: String, tail: String)
  case final(Utterance)
  /// Listening ended by itself, for lack of speech.
  case stopped
  case done

  init?(_ event: Listen.Event) {
    if event.opened != nil {
      self = .opened
    } else if let limits = event.limits {
      self = .limits(limits)
    } else if let speech = event.speech {
      self = .speech(at: speech / 1000)
    } else if let words = event.partial {
      self = .partial(utterance: words.utterance, confirmed: words.confirmed, tail: words.tail)
    } else if let said = event.final {
      self = .final(
        Utterance(
          number: said.utterance, text: said.text, language: said.language, words: said.words.map(HeardWord.init),
          allRight: said.allRight, remark: said.remark))
    } else if event.stopped != nil {
      self = .stopped
    } else if event.done != nil {
      self = .done
    } else {
      return nil
    }
  }
}

/// A microphone's way in: give it sound as it comes and read its events. Ending the loop over the events ends it.
public actor Dictation {
  public nonisolated let events: AsyncThrowingStream<DictationEvent, any Error>
  private let libera: Libera
  private let session: String
  private let opened: Task<Bool, Never>
  private var sent = 0
  private var last: Task<Void, any Error>?

  init(_ libera: Libera, _ input: Listen.Input) {
    self.libera = libera
    session = input.session
    let (openings, opening) = AsyncStream.makeStream(of: Void.self)
    opened = Task {
      for await _ in openings { return true }
      return false
    }
    events = libera.events(Listen.self, input) { event in
      if event.opened != nil { opening.yield() }
      return DictationEvent(event)
    } ended: {
      opening.finish()
    }
  }

  /// The next sound: 16-bit little-endian samples, one channel, at the rate that was named. Returns when it was taken, which slows
  /// down whoever is faster than a microphone.
  public func hear(_ sound: Data) async throws { try await send(sound, isLast: false) }

  /// No more sound comes; the last words follow.
  public func finish() async throws { try await send(Data(), isLast: true) }

  private func send(_ sound: Data, isLast: Bool) async throws {
    let (before, place) = (last, sent)
    sent += sound.count
    let task = Task { [libera, session, opened] in
      try await before?.value
      guard await opened.value else { throw LiberaError(code: "dictation_over", message: "This dictation is over.") }
      var input = Hear.Input(session: session, at: place, sound: sound)
      if isLast { input.end = true }
      _ = try await libera.one(Hear.self, input)
    }
    last = task
    try await task.value
  }
}

extension Libera {
  /// The words of a sound file.
  /// - Parameters:
  ///   - recording: A sound file of any usual kind.
  ///   - language: A code as "en", or "auto" to find it from the sound; nil: as set.
  public func transcribe(_ recording: URL, language: String? = nil) async throws -> Transcript {
    let event = try await one(
      Transcribe.self, Transcribe.Input(path: recording.standardizedFileURL.path, language: language))
    return Transcript(
      text: event.text, language: event.language, words: event.words.map(HeardWord.init), allRight: event.allRight ?? 0,
      seconds: event.timings.audioMs / 1000, remark: event.remark)
  }

  /// Listens to sound as it comes: words while somebody talks.
  /// - Parameters:
  ///   - rate: Samples a second of what will be given.
  ///   - language: A code as "en", or "auto" to find it from the sound; nil: as set.
  ///   - holds: A key is held down: silence does not end it, `finish` does.
  public func listen(rate: Int = 16_000, language: String? = nil, holds: Bool = false) -> Dictation {
    Dictation(self, Listen.Input(rate: rate, language: language, holds: holds))
  }

  /// The language of a text by its small words: "en", "de" or "fr".
  public static func language(of text: String) -> String { QuestionLanguage(of: text).rawValue }
}
