import CWhisper
import Core
import Foundation
import Spoken
import Workers

/// One pass of the recogniser over a piece of sound.
struct Pass {
  /// nil: found from the sound, which costs a second encoding.
  var language: String?
  /// Names and terms to expect, as whisper's prompt.
  var prompt: String?
  var threads: Int
  /// The whole 30 s, whatever the length of the sound.
  var fullContext = false
  /// Try again at higher temperatures when the result is doubtful.
  var fallback = false
  /// Nothing is to be written, only heard.
  var onlyListens = false
}

/// A loaded whisper pack.
// Its context is used by one thread at a time: each model belongs to one lane, or to the engine's thread while none runs.
final class WhisperModel: @unchecked Sendable {
  let id: String
  let isMultilingual: Bool
  private let context: OpaquePointer
  /// On a GPU whisper fills its positions up to whole 256, with what is left over from earlier sound (Engine/patches).
  private let positions: Int

  init(_ id: String, descriptor: CInt, gpu: Bool) throws {
    var parameters = whisper_context_default_params()
    parameters.use_gpu = gpu
    context = try PackReader.load(id, descriptor) { whisper_init_with_params(&$0, parameters) }
    self.id = id
    positions = gpu ? 256 : 1
    isMultilingual = whisper_is_multilingual(context) != 0
  }

  deinit { whisper_free(context) }

  /// `start` is where the samples lie in the whole recording, in seconds.
  func decode(_ samples: [Float], start: Double, _ pass: Pass, cancelled: CancelFlag) throws -> SpeechTranscript {
    if let language = pass.language {
      guard isMultilingual ? whisper_lang_id(language) >= 0 : language == "en" else {
        throw SpeechError.unknownLanguage(language)
      }
    }
    // Shorter than a second, whisper tends to say nothing; silence behind the words changes nothing else.
    let least = Sound.rate * 11 / 10
    let sound = samples.count < least ? samples + [Float](repeating: 0, count: least - samples.count) : samples
    var parameters = whisper_full_default_params(WHISPER_SAMPLING_GREEDY)
    parameters.n_threads = Int32(pass.threads)
    parameters.audio_ctx = pass.fullContext ? 0 : audioContext(samples: sound.count)
    parameters.single_segment = true
    parameters.no_context = true
    parameters.suppress_nst = true
    parameters.print_progress = false
    parameters.print_timestamps = false
    parameters.temperature_inc = pass.fallback ? 0.2 : 0
    parameters.greedy.best_of = pass.fallback ? 5 : 1
    // Twelve pieces a second are more than anybody says; without a bound a loop runs to the end of the text context.
    parameters.max_tokens = pass.onlyListens ? 1 : Int32(12 * sound.count / Sound.rate + 24)
    parameters.abort_callback = { Unmanaged<CancelFlag>.fromOpaque($0!).takeUnretainedValue().isSet }
    parameters.abort_callback_user_data = Unmanaged.passUnretained(cancelled).toOpaque()
    let code = (pass.language ?? (isMultilingual ? "auto" : "en")).withCString { language in
      (pass.prompt ?? "").withCString { prompt in
        parameters.language = language
        parameters.initial_prompt = pass.prompt == nil ? nil : prompt
        return whisper_full(context, parameters, sound, Int32(sound.count))
      }
    }
    if cancelled.isSet { throw CancellationError() }
    guard code == 0 else { throw SpeechError.decodeFailed(code) }
    return transcript(of: samples, start: start)
  }

  /// How likely each language is, by the sound that was decoded last: one step of the decoder over what was heard of it.
  func languages(threads: Int) throws -> [String: Double] {
    var start = whisper_token_sot(context)
    guard isMultilingual, whisper_decode(context, &start, 1, 0, Int32(threads)) == 0,
      let logits = whisper_get_logits(context)
    else { throw SpeechError.decodeFailed(-1) }
    let raw = (0...whisper_lang_max_id()).map { id in
      (String(cString: whisper_lang_str(id)), Double(logits[Int(whisper_token_lang(context, id))]))
    }
    let most = raw.map(\.1).max() ?? 0
    let sum = raw.reduce(0) { $0 + exp($1.1 - most) }
    return Dictionary(raw.map { ($0.0, exp($0.1 - most) / sum) }) { first, _ in first }
  }

  /// 50 positions a second and some silence behind the words; with fewer more is misheard (docs/speech.md). 1500 is all there is.
  private func audioContext(samples: Int) -> Int32 {
    let wanted = max(384, 50 * samples / Sound.rate + 128)
    return Int32(min(1500, (wanted + positions - 1) / positions * positions))
  }

  private func transcript(of sound: [Float], start: Double) -> SpeechTranscript {
    let (end, marks) = (whisper_token_eot(context), whisper_token_beg(context))
    var words: [(bytes: [UInt8], logs: [Double])] = []
    // A word's letters are counted once it is whole: here it is only said to stand there.
    var written: [WordTimes.Written] = []
    var noSpeech = 0.0
    for segment in 0..<whisper_full_n_segments(context) {
      noSpeech = max(noSpeech, Double(whisper_full_get_segment_no_speech_prob(context, segment)))
      for token in 0..<whisper_full_n_tokens(context, segment) {
        let data = whisper_full_get_token_data(context, segment, token)
        if data.id >= marks { written.append(.mark(Double(data.id - marks) / 50)) }
        guard data.id < end, let text = whisper_full_get_token_text(context, segment, token) else { continue }
        let bytes = Array(UnsafeBufferPointer(start: text, count: strlen(text))).map { UInt8(bitPattern: $0) }
        let log = Double(max(data.plog, -20))
        if words.isEmpty || bytes.first == UInt8(ascii: " ") {
          words.append((bytes, [log]))
          written.append(.word(letters: 0))
        } else {
          // Pieces can be parts of one character, so they are joined as bytes.
          words[words.count - 1].bytes += bytes
          words[words.count - 1].logs.append(log)
        }
      }
    }
    let texts = words.map { String(decoding: $0.bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    var waiting = texts[...]
    let times = WordTimes.spread(
      written.map {
        guard case .word = $0 else { return $0 }
        let text = waiting.removeFirst()
        return .word(letters: text.count, closes: text.last.map { ".,?!;:".contains($0) } ?? false)
      }, over: sound)
    let spoken = words.indices.compactMap { word -> Word? in
      guard !texts[word].isEmpty else { return nil }
      return Word(
        texts[word], start: start + times[word].lowerBound, end: start + times[word].upperBound,
        confidence: exp(words[word].logs.reduce(0, +) / Double(words[word].logs.count)))
    }
    let logs = words.flatMap(\.logs)
    return SpeechTranscript(
      text: spoken.map(\.text).joined(separator: " "), words: spoken,
      language: String(cString: whisper_lang_str(whisper_full_lang_id(context))),
      confidence: logs.isEmpty ? 0 : exp(logs.reduce(0, +) / Double(logs.count)), noSpeech: noSpeech, pack: id)
  }
}

/// Silero: how likely each frame of 32 ms is speech. It remembers what came before, so it is fed in order.
final class VoiceModel {
  private let context: OpaquePointer

  init(_ id: String, descriptor: CInt) throws {
    var parameters = whisper_vad_default_context_params()
    parameters.n_threads = 1
    context = try PackReader.load(id, descriptor) { whisper_vad_init_with_params(&$0, parameters) }
  }

  deinit { whisper_vad_free(context) }

  func reset() { whisper_vad_reset_state(context) }

  /// One probability for each whole frame.
  func probabilities(_ samples: [Float]) throws -> [Float] {
    let frames = samples.count / Sound.frame
    guard frames > 0 else { return [] }
    guard whisper_vad_detect_speech_no_reset(context, samples, Int32(frames * Sound.frame)),
      let found = whisper_vad_probs(context)
    else { throw SpeechError.decodeFailed(-1) }
    return Array(UnsafeBufferPointer(start: found, count: min(frames, Int(whisper_vad_n_probs(context)))))
  }
}

/// Feeds a pack to whisper.cpp from an open descriptor: a sealed worker has no paths.
private final class PackReader {
  private let file: UnsafeMutablePointer<FILE>

  /// What whisper makes of the pack behind a descriptor.
  static func load(
    _ id: String, _ descriptor: CInt, _ make: (inout whisper_model_loader) -> OpaquePointer?
  ) throws -> OpaquePointer {
    let file = try PackReader(descriptor, id)
    var loader = whisper_model_loader(
      context: Unmanaged.passUnretained(file).toOpaque(),
      read: { PackReader.at($0).read($1, $2) }, eof: { PackReader.at($0).isAtEnd }, close: { _ in })
    guard let made = withExtendedLifetime(file, { make(&loader) }) else { throw SpeechError.modelBroken(id) }
    return made
  }

  private init(_ descriptor: CInt, _ id: String) throws {
    let copy = dup(descriptor)
    guard copy >= 0, lseek(copy, 0, SEEK_SET) == 0, let file = fdopen(copy, "rb") else {
      if copy >= 0 { close(copy) }
      throw SpeechError.modelBroken(id)
    }
    self.file = file
  }
  deinit { fclose(file) }

  private func read(_ output: UnsafeMutableRawPointer?, _ count: Int) -> Int { fread(output, 1, count, file) }
  private var isAtEnd: Bool { feof(file) != 0 }
  private static func at(_ pointer: UnsafeMutableRawPointer?) -> PackReader {
    Unmanaged<PackReader>.fromOpaque(pointer!).takeUnretainedValue()
  }
}
