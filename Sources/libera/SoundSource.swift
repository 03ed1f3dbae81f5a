import Core
import Foundation
import Spoken
import Synchronization
import Workers

/// Where `listen` takes its sound from: pieces of 16-bit samples at 16 kHz, nil at the end.
protocol SoundSource: Sendable {
  func next() async throws -> Data?
  /// The next piece is the last.
  func stop()
}

/// Sound on standard input: a WAV stream, or raw 16-bit samples.
final class PipedSound: SoundSource, Sendable {
  private struct State {
    var decoder: PCMDecoder
    var waiting: [UInt8]
    var ended = false
  }

  private let queue = DispatchQueue(label: "libera.stdin")
  private let stopped = CancelFlag()
  private let state: Mutex<State>
  private static let piece = 8192

  /// `rate`: of raw samples; a WAV header says its own.
  init(rate: Int) throws {
    var head = try PipedSound.read(12)
    var format = PCMFormat(rate: rate, channels: 1, encoding: .signed16)
    if head.starts(with: Array("RIFF".utf8)), head.count == 12, head[8...].elementsEqual("WAVE".utf8) {
      // The header is read as far as it goes; what follows it is sound.
      let wave = try WaveFile(fileSize: 1 << 20) { offset, count in
        while head.count < offset + count {
          let more = try PipedSound.read(offset + count - head.count)
          guard !more.isEmpty else { break }
          head += more
        }
        return Array(head[min(offset, head.count)..<min(offset + count, head.count)])
      }
      guard let wave else { throw SpeechError.unsupported("compressed samples on standard input") }
      format = wave.format
      head.removeFirst(min(wave.offset, head.count))
    }
    try format.validate()
    state = Mutex(State(decoder: try PCMDecoder(format), waiting: head))
  }

  func stop() { stopped.set() }

  func next() async throws -> Data? {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.take() }) }
    }
  }

  private func take() throws -> Data? {
    guard !stopped.isSet else { return nil }
    let ready = state.withLock { state in
      defer { state.waiting = [] }
      return state.ended ? nil : state.waiting
    }
    guard var bytes = ready else { return nil }
    if bytes.isEmpty { bytes = try PipedSound.read(PipedSound.piece, whole: false) }
    let samples = state.withLock { state in
      state.ended = bytes.isEmpty
      return bytes.isEmpty ? state.decoder.finish() : state.decoder.decode(bytes)
    }
    return samples.reduce(into: Data(capacity: samples.count * 2)) { data, sample in
      withUnsafeBytes(of: Int16(max(-1, min(1, sample)) * 32_767).littleEndian) { data.append(contentsOf: $0) }
    }
  }

  /// Fewer bytes than asked for at the end; with `whole` false also when no more are there yet.
  private static func read(_ count: Int, whole: Bool = true) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    repeat {
      let got = bytes.withUnsafeMutableBytes {
        Descriptor.read(STDIN_FILENO, into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }
      guard got >= 0 else { throw SpeechError.unreadable(systemReason()) }
      if got == 0 { break }
      filled += got
    } while whole && filled < count
    return Array(bytes[..<filled])
  }
}

enum MicrophoneError: Explained {
  case none(String)
  case unusable(String)

  var code: String {
    switch self {
    case .none: "microphone_not_found"
    case .unusable: "microphone_unusable"
    }
  }
  var message: String {
    switch self {
    case .none(let reason): say("No microphone can be opened: \(told(reason)).")
    case .unusable(let reason): say("The microphone cannot be used: \(told(reason)).")
    }
  }
  var remedy: String? {
    switch self {
    case .none:
      say("\"arecord -l\" lists the devices; you may have to be in the group \"audio\".") + " "
        + say("\"libera listen -\" takes sound from a pipe.")
    case .unusable: say("Close the program that holds it, or choose another with ALSA's \"default\" in ~/.asoundrc.")
    }
  }
}
