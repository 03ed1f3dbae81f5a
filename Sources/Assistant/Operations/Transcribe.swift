package import Core
import Foundation
import Models
import Resources
package import Spoken

/// A word as it is told to the outside. Times are milliseconds from the beginning of the sound.
package struct SpokenWord: Codable, Sendable, Equatable {
  package var text: String
  package var start: Double
  package var end: Double
  package var confidence: Double

  init(_ word: Word) {
    text = word.text
    start = word.start * 1000
    end = word.end * 1000
    confidence = word.confidence
  }

  package var word: Word { Word(text, start: start / 1000, end: end / 1000, confidence: confidence) }
}

/// A recording's words with their times.
package enum Transcribe: Operation {
  package struct Input: Codable, Sendable {
    /// Absolute.
    package var path: String
    /// A code, or "auto" to find it from the sound; nil: as set.
    package var language: String?
    /// An installed speech pack; nil: the best that the device can bear.
    package var pack: String?
    /// Names and terms to expect, besides the person's own.
    package var vocabulary: [String]?
    package init(path: String, language: String? = nil) { (self.path, self.language) = (path, language) }
  }

  /// One line of `transcribe --json`.
  package struct Event: Codable, Sendable {
    package struct Timings: Codable, Sendable {
      package var audioMs: Double
      package var decodeMs: Double
      enum CodingKeys: String, CodingKey {
        case audioMs = "audio_ms"
        case decodeMs = "decode_ms"
      }
    }
    package var file: String
    package var text: String
    package var language: String
    package var confidence: Double
    /// The probability that every word is right.
    package var allRight: Double?
    package var words: [SpokenWord]
    package var timings: Timings
    package var pack: String
    /// Why words were taken away or doubted.
    package var remark: String?
    package var subtitles: String

    enum CodingKeys: String, CodingKey {
      case file, text, language, confidence, words, timings, pack, remark, subtitles
      case allRight = "all_right"
    }
  }

  package static let name = "transcribe"
  package static let places: [String: PlaceUse] = ["path": .reads]
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    emit(try await house.listener.transcribe(input))
  }
}
