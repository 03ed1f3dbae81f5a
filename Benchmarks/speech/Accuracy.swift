import CWhisper
import Foundation
import Speech

/// whisper.cpp as a program that uses it plainly would: the whole context of 30 s, greedy with its own fallbacks.
final class WhisperAsItComes {
  private let context: OpaquePointer
  private let threads: Int

  init(_ path: String, threads: Int) throws {
    whisper_log_set({ _, _, _ in }, nil)
    guard let made = whisper_init_from_file_with_params(path, whisper_context_default_params()) else {
      throw SpeechError.modelBroken(path)
    }
    context = made
    self.threads = threads
  }
  deinit { whisper_free(context) }

  func transcribe(_ samples: [Float]) -> String {
    var parameters = whisper_full_default_params(WHISPER_SAMPLING_GREEDY)
    parameters.n_threads = Int32(threads)
    parameters.print_progress = false
    guard whisper_full(context, parameters, samples, Int32(samples.count)) == 0 else { return "" }
    return (0..<whisper_full_n_segments(context)).map { String(cString: whisper_full_get_segment_text(context, $0)) }
      .joined()
  }
}

/// Word errors and compute of the product and of whisper.cpp, clip by clip in turn.
struct Accuracy {
  struct Row: Codable {
    var system: String
    /// Percent, with the bootstrap interval; against the texts, or against whisper.cpp where there are none.
    var errors: Double
    var low: Double
    var high: Double
    /// Seconds of waiting per second of sound.
    var realTimeFactor: Double
  }
  struct Result: Codable {
    var name: String
    var clips: Int
    var words: Int
    var hasTexts: Bool
    var rows: [Row]
    /// Our errors minus whisper.cpp's, percent of words, with interval: not worse if the interval reaches 0 or below.
    var difference: [Double]
  }

  private let transcriber: Transcriber
  private let peer: WhisperAsItComes

  init(_ transcriber: Transcriber, _ peer: WhisperAsItComes) {
    self.transcriber = transcriber
    self.peer = peer
  }

  func measure(_ name: String, _ clips: [Clip]) async throws -> Result {
    let systems = ["libera base", "libera tiny.en", "whisper.cpp base, full context"]
    var errors: [[(errors: Double, words: Int)]] = systems.map { _ in [] }
    var seconds = systems.map { _ in 0.0 }
    for clip in clips {
      var heard: [String] = []
      for system in systems.indices {
        let began = ContinuousClock.now
        heard.append(system == 2 ? peer.transcribe(clip.samples) : try await transcribe(clip, fast: system == 1))
        seconds[system] += (ContinuousClock.now - began) / .seconds(1)
      }
      let said = WordErrors.words(clip.said ?? heard[2])
      for system in systems.indices {
        errors[system].append((Double(WordErrors.count(WordErrors.words(heard[system]), said)), said.count))
      }
    }
    let sound = clips.reduce(0) { $0 + $1.seconds }
    let paired = zip(errors[0], errors[2]).map { (errors: $0.errors - $1.errors, words: $0.words) }
    let difference = WordErrors.interval(paired)
    return Result(
      name: name, clips: clips.count, words: errors[0].reduce(0) { $0 + $1.words }, hasTexts: clips.first?.said != nil,
      rows: systems.indices.map { system in
        let found = WordErrors.interval(errors[system])
        return Row(
          system: systems[system], errors: found.rate * 100, low: found.low * 100, high: found.high * 100,
          realTimeFactor: seconds[system] / sound)
      }, difference: [difference.rate * 100, difference.low * 100, difference.high * 100])
  }

  private func transcribe(_ clip: Clip, fast: Bool) async throws -> String {
    let file = try FileHandle(forReadingFrom: clip.file)
    defer { file.closeFile() }
    var request = TranscribeRequest()
    request.options.fast = fast
    var text: [String] = []
    for try await event in try await transcriber.transcribe(file.fileDescriptor, request) {
      if case .piece(let transcript, _) = event { text.append(transcript.text) }
    }
    return text.joined(separator: " ")
  }
}
