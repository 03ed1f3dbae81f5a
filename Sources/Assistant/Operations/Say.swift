import Core
package import Foundation
import Resources
import Spoken

/// A text read aloud by this device: one WAV file. Nothing of it is kept.
package enum Say: Operation {
  package struct Input: Codable, Sendable {
    package var text: String
    /// A code; nil: the language that is spoken, or English where that is to be recognised.
    package var language: String?
    package init(text: String, language: String? = nil) { (self.text, self.language) = (text, language) }
  }

  package struct Event: Codable, Sendable {
    package var sound: Data
  }

  package static let name = "say"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let spoken = house.settings.speechLanguage
    let language = input.language ?? (spoken == "auto" ? "en" : spoken)
    let sound = try await house.voices.run("reading aloud", .person, cores: 1) { _ in
      try await LocalVoice.say(input.text, language: language)
    }
    emit(Event(sound: sound))
  }
}

/// Whether this device can read aloud, and what is missing where it cannot.
package enum ShowVoice: Operation {
  package struct Event: Codable, Sendable {
    package var available: Bool
    package var reason: String
    package var remedy: String?
  }

  package static let name = "voice"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Event>) async throws {
    let missing = SpeechError.noVoice
    emit(
      LocalVoice.program.map { Event(available: true, reason: "\($0) reads aloud", remedy: nil) }
        ?? Event(available: false, reason: missing.message, remedy: missing.remedy))
  }
}
