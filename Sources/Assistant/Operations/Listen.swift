import Core
package import Foundation
package import Spoken

/// A dictation: words while somebody talks. The sound comes through `Hear`, under the same session.
package enum Listen: Operation {
  package struct Input: Codable, Sendable {
    /// A name that the caller makes up.
    package var session: String
    /// Samples per second of what will be sent; 16,000 unless given.
    package var rate: Int?
    /// A code, or "auto" to find it from the sound; nil: as set.
    package var language: String?
    /// A key or button is held down: silence does not end it, letting go does.
    package var holds: Bool?
    package init(session: String = UUID().uuidString, rate: Int? = nil, language: String? = nil, holds: Bool? = nil) {
      (self.session, self.rate, self.language, self.holds) = (session, rate, language, holds)
    }
  }

  /// Exactly one field is set.
  package struct Event: Codable, Sendable {
    /// Sound is taken from now on; it is kept while the packs load.
    package var opened: Bool?
    /// What the device bears less of than usual, and why; empty when that is over.
    package var limits: [LimitNote]?
    /// Somebody began to speak, at this millisecond.
    package var speech: Double?
    package var partial: Partial?
    package var final: Final?
    /// Listening ended by itself, for lack of speech.
    package var stopped: Bool?
    package var done: ListenReport?

    package init(opened: Bool? = nil, limits: [LimitNote]? = nil) { (self.opened, self.limits) = (opened, limits) }

    init(_ event: ListenEvent) {
      switch event {
      case .speech(let second): speech = second * 1000
      case .partial(let words): partial = Partial(words)
      case .final(let utterance): final = Final(utterance)
      case .stopped: stopped = true
      case .done(let report): done = report
      }
    }
  }

  package struct Partial: Codable, Sendable {
    package var utterance: Int
    /// These words stay until the utterance has settled; those of the tail may change.
    package var confirmed: String
    package var tail: String

    init(_ words: PartialWords) {
      utterance = words.utterance
      confirmed = words.confirmed
      tail = words.tail
    }
  }

  package struct Final: Codable, Sendable {
    package struct Timings: Codable, Sendable {
      package var decodeMs: Double
      /// After the silence that ended the utterance had been waited out.
      package var lateMs: Double
      enum CodingKeys: String, CodingKey {
        case decodeMs = "decode_ms"
        case lateMs = "late_ms"
      }
    }
    package var utterance: Int
    package var text: String
    package var language: String
    package var confidence: Double
    /// The probability that every word is right.
    package var allRight: Double
    package var words: [SpokenWord]
    package var start: Double
    package var end: Double
    package var timings: Timings
    package var pack: String
    package var remark: String?

    enum CodingKeys: String, CodingKey {
      case utterance, text, language, confidence, words, start, end, timings, pack, remark
      case allRight = "all_right"
    }

    init(_ said: SpokenUtterance) {
      utterance = said.number
      text = said.transcript.text
      language = said.transcript.language
      confidence = said.transcript.confidence
      allRight = Sureness.allRight(said.transcript.words)
      words = said.transcript.words.map(SpokenWord.init)
      start = said.start * 1000
      end = said.end * 1000
      timings = Timings(decodeMs: said.decodeMs, lateMs: said.lateMs)
      pack = said.transcript.pack
      remark = said.transcript.remark
    }
  }

  package static let name = "listen"
  package static var numbers: [NumberField<Input>] { [.whole("rate", 1000...768_000) { $0.rate }] }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    try await house.listener.listen(input, emit)
  }
}

/// The next piece of sound of a dictation: 16-bit little-endian samples, one channel.
package enum Hear: Operation {
  package struct Input: Codable, Sendable {
    package var session: String
    /// How many bytes were sent before this piece.
    package var at: Int
    /// Base64 in JSON.
    package var sound: Data
    /// No more comes; the last words follow.
    package var end: Bool?
    package init(session: String, at: Int, sound: Data, end: Bool? = nil) {
      (self.session, self.at, self.sound, self.end) = (session, at, sound, end)
    }
  }
  package struct Event: Codable, Sendable {
    /// Bytes of the dictation that are here.
    package var received: Int
  }

  package static let name = "listen-sound"
  package static var numbers: [NumberField<Input>] { [.whole("at", 0...(1 << 53)) { $0.at }] }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    emit(try await house.listener.hear(input))
  }
}
