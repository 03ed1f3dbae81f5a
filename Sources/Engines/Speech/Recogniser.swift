import Core
import Foundation
import Spoken
import Workers

/// Sound in, guarded words out: the one way both files and microphones are recognised.
struct Recogniser: Sendable {
  var final: WhisperModel
  var partial: WhisperModel
  var threads: Int

  struct Result: Sendable {
    var transcript: SpeechTranscript
    var milliseconds: Double
    var retries = 0
  }

  func settle(
    _ sound: [Float], start: Double, voiced: Double, _ options: SpeechOptions, cancelled: CancelFlag
  ) throws -> Result {
    let model = settling(options)
    let began = ContinuousClock.now
    let seconds = Sound.seconds(sound.count)
    var pass = pass(options)
    pass.fullContext = options.fullContext
    var transcript = try model.decode(sound, start: start, pass, cancelled: cancelled)
    var verdict = Guard.judge(transcript, seconds: seconds, voiced: voiced)
    // The engine's own measure of a result that is worth a second try.
    if verdict == .keep, !transcript.words.isEmpty, transcript.confidence < exp(-1) {
      verdict = .again("it was unsure")
    }
    var retries = 0
    if case .again(let reason) = verdict {
      var remark = "decoded again with the whole context, because \(reason)"
      if let claimed = pass.language, let other = try other(than: claimed, model, seconds: seconds) {
        // Trying harder would take long and come to nothing.
        pass.language = other
        remark = HeardLanguage.remark(other, not: claimed)
      } else {
        pass.fullContext = true
        pass.fallback = true
      }
      retries = 1
      transcript = try model.decode(sound, start: start, pass, cancelled: cancelled)
      transcript.remark = remark
      verdict = Guard.judge(transcript, seconds: seconds, voiced: voiced)
    }
    switch verdict {
    case .keep: break
    case .drop(let reason):
      transcript.remark = "\"\(transcript.text)\" was taken away: \(reason)"
      transcript.text = ""
      transcript.words = []
      transcript.confidence = 0
    case .again(let reason):
      transcript.remark = "doubtful: \(reason)"
      transcript.confidence *= 0.5
    }
    return Result(transcript: transcript, milliseconds: began.msUntilNow, retries: retries)
  }

  /// The language that the beginning of `sound` surely is in instead of the one that is claimed. It costs one short encoding, and
  /// spares a whole recording read in the wrong language.
  func other(than claimed: String, in sound: [Float], _ options: SpeechOptions, cancelled: CancelFlag) throws -> String?
  {
    let model = settling(options)
    guard model.isMultilingual, sound.count >= 2 * Sound.rate else { return nil }
    var pass = pass(options)
    (pass.onlyListens, pass.prompt) = (true, nil)
    let beginning = Array(sound.prefix(6 * Sound.rate))
    _ = try model.decode(beginning, start: 0, pass, cancelled: cancelled)
    return try other(than: claimed, model, seconds: Sound.seconds(beginning.count))
  }

  /// The same by what was decoded last.
  private func other(than claimed: String, _ model: WhisperModel, seconds: Double) throws -> String? {
    guard model.isMultilingual, seconds >= 2 else { return nil }
    return HeardLanguage.other(than: claimed, in: try model.languages(threads: threads))
  }

  /// A quick look at what has been said so far; nil when it makes no sense.
  func glance(
    _ sound: [Float], start: Double, voiced: Double, _ options: SpeechOptions, cancelled: CancelFlag
  ) throws -> (transcript: SpeechTranscript?, milliseconds: Double) {
    let model = glancing(options)
    let began = ContinuousClock.now
    let transcript = try model.decode(sound, start: start, pass(options), cancelled: cancelled)
    let kept = Guard.judge(transcript, seconds: Sound.seconds(sound.count), voiced: voiced) == .keep
    return (kept ? transcript : nil, began.msUntilNow)
  }

  func settling(_ options: SpeechOptions) -> WhisperModel { options.fast ? glancing(options) : final }
  func glancing(_ options: SpeechOptions) -> WhisperModel { speaks(partial, options.language) ? partial : final }

  private func speaks(_ model: WhisperModel, _ language: String?) -> Bool { model.isMultilingual || language == "en" }

  private func pass(_ options: SpeechOptions) -> Pass {
    // Whisper reads the prompt as what was said before; a plain list of the terms is enough.
    let terms = options.vocabulary.joined(separator: ", ").prefix(600)
    return Pass(
      language: options.language, prompt: terms.isEmpty ? nil : "\(terms).",
      threads: min(threads, max(1, options.threads ?? threads)))
  }
}
