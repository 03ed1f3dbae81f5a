package import Core

// What the speech worker understands. The same types on both sides of the socket.

/// Operation "load": one descriptor for each pack, in this order. It answers with its end.
package struct SpeechLoadRequest: Codable, Sendable, Equatable {
  package enum Role: String, Codable, Sendable {
    /// Gives the settled words.
    case final
    /// Gives the live words; without one, the final pack does.
    case partial
    /// Silero: whether anybody speaks.
    case voice
  }
  package struct Pack: Codable, Sendable, Equatable {
    package var role: Role
    package var id: String
    package init(_ role: Role, id: String) {
      self.role = role
      self.id = id
    }
  }
  package var packs: [Pack]
  package var threads: Int
  package var gpu = false
}

/// What holds for a file as well as for a microphone.
package struct SpeechOptions: Codable, Sendable, Equatable {
  /// A code such as "en", or nil: found from the first words.
  package var language: String? = "en"
  /// Names and terms of the person's own, which recognition should expect.
  package var vocabulary: [String] = []
  /// Use the small pack for the settled words too: the device is warm, or haste was asked for.
  package var fast = false
  /// The whole context of 30 s, as whisper.cpp uses it; slower.
  package var fullContext = false
  /// Fewer threads than the worker was loaded with, while others compute; nil: all of them.
  package var threads: Int?
  package init() {}

  package init(_ settings: Settings) {
    language = settings.speechLanguage == "auto" ? nil : settings.speechLanguage
    vocabulary = settings.vocabulary
  }
}

/// Operation "transcribe": the sound is the call's first descriptor. Events `TranscribeEvent`.
package struct TranscribeRequest: Codable, Sendable, Equatable {
  package var options: SpeechOptions
  /// nil: a file that says itself what it is.
  package var format: PCMFormat?
  package var endpointing = Endpointer.Settings.forFiles
  /// What comes before this second has been told already.
  package var from: Double?
  package init(_ options: SpeechOptions = SpeechOptions(), format: PCMFormat? = nil) {
    self.options = options
    self.format = format
  }
}

package enum TranscribeEvent: Codable, Sendable, Equatable {
  /// A piece has been recognised; `seconds` of sound are done.
  case piece(SpeechTranscript, seconds: Double)
  case done(TranscribeReport)
}

package struct TranscribeReport: Codable, Sendable, Equatable {
  package var audioMs = 0.0
  package var decodeMs = 0.0
  package var pieces = 0
  /// Pieces decoded a second time because the first result repeated itself.
  package var retries = 0
  /// Pieces of the file that could not be decoded.
  package var damaged = 0
  package init() {}
}

/// Operation "listen": the first descriptor is a stream of samples in `format`; its end is the end of the sound. Events
/// `ListenEvent`; `ListenAdjustment` may be sent meanwhile.
package struct ListenRequest: Codable, Sendable, Equatable {
  package var options: SpeechOptions
  package var format = PCMFormat.plain
  package var endpointing = Endpointer.Settings()
  /// nil: no live words.
  package var partialIntervalMs: Int? = 250
  package init(_ options: SpeechOptions = SpeechOptions()) { self.options = options }

  package init(_ settings: Settings) {
    options = SpeechOptions(settings)
    endpointing.startThreshold = Float(min(max(settings.voiceThreshold, 0.1), 0.95))
    endpointing.endThreshold = endpointing.startThreshold * 0.7
    endpointing.hangOverMs = min(max(settings.hangOverMs, 100), 3000)
    endpointing.automaticStopMs = settings.automaticStopMs
  }
}

package struct ListenAdjustment: Codable, Sendable, Equatable {
  package var partialIntervalMs: Int?
  package var fast: Bool?
  package var threads: Int?
  package init(partialIntervalMs: Int? = nil, fast: Bool? = nil, threads: Int? = nil) {
    self.partialIntervalMs = partialIntervalMs
    self.fast = fast
    self.threads = threads
  }

  /// What is said now stands over what was said before.
  package mutating func take(_ change: ListenAdjustment) {
    partialIntervalMs = change.partialIntervalMs ?? partialIntervalMs
    fast = change.fast ?? fast
    threads = change.threads ?? threads
  }

  package func apply(to request: inout ListenRequest) {
    if let partialIntervalMs, request.partialIntervalMs != nil { request.partialIntervalMs = partialIntervalMs }
    request.options.fast = fast ?? request.options.fast
    request.options.threads = threads ?? request.options.threads
  }
}

package enum ListenEvent: Codable, Sendable, Equatable {
  /// Somebody began to speak, at this second of the sound.
  case speech(at: Double)
  case partial(PartialWords)
  case final(SpokenUtterance)
  /// Listening ended by itself, for lack of speech.
  case stopped
  case done(ListenReport)
}

package struct PartialWords: Codable, Sendable, Equatable {
  package var utterance: Int
  /// Never changes again while the utterance lasts; the settled text replaces it as a whole.
  package var confirmed: String
  package var tail: String
  package init(utterance: Int, confirmed: String, tail: String) {
    self.utterance = utterance
    self.confirmed = confirmed
    self.tail = tail
  }
}

package struct SpokenUtterance: Codable, Sendable, Equatable {
  package var number: Int
  package var transcript: SpeechTranscript
  /// Seconds of the sound.
  package var start: Double
  package var end: Double
  package var decodeMs: Double
  /// How long the words came after the hang-over had run out; 0 when the whole decode hid inside it.
  package var lateMs: Double
  package init(number: Int, transcript: SpeechTranscript, start: Double, end: Double, decodeMs: Double, lateMs: Double)
  {
    self.number = number
    self.transcript = transcript
    self.start = start
    self.end = end
    self.decodeMs = decodeMs
    self.lateMs = lateMs
  }
}

package struct ListenReport: Codable, Sendable, Equatable {
  package var audioMs = 0.0
  package var utterances = 0
  package var partials = 0
  package var partialMs = 0.0
  package var finalMs = 0.0
  /// Decodes begun at a pause that turned out not to be the end, and what they cost.
  package var discarded = 0
  package var discardedMs = 0.0
  package var retries = 0
  package init() {}

  enum CodingKeys: String, CodingKey {
    case utterances, partials, discarded, retries
    case audioMs = "audio_ms"
    case partialMs = "partial_ms"
    case finalMs = "final_ms"
    case discardedMs = "discarded_ms"
  }
}
