import CSndFile
import Foundation
import TestSupport
import Testing

@testable import Spoken

/// Real packs and recordings. What is missing skips a test, visibly.
enum Fixtures {
  static let packs = Prepared.folder
  static let recordings = Checkout.data.appending(path: "speech/piper")

  static let isComplete =
    ["whisper-base.bin", "whisper-tiny.en.bin", "silero.bin"].allSatisfy {
      FileManager.default.fileExists(atPath: packs.appending(path: $0).path)
    } && FileManager.default.fileExists(atPath: recordings.appending(path: "20.wav").path)

  static let speechPacks = SpeechPacks(
    final: .init(id: "whisper-base", file: packs.appending(path: "whisper-base.bin")),
    partial: .init(id: "whisper-tiny.en", file: packs.appending(path: "whisper-tiny.en.bin")),
    voice: .init(id: "silero", file: packs.appending(path: "silero.bin")))

  static func text(_ number: Int) throws -> String {
    let file = recordings.appending(path: String(format: "%02d.txt", number))
    return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A recording as 16 kHz mono.
  static func samples(_ number: Int) throws -> [Float] {
    let bytes = [UInt8](try Data(contentsOf: recordings.appending(path: String(format: "%02d.wav", number))))
    let file = try #require(
      try WaveFile(fileSize: bytes.count) { Array(bytes[min($0, bytes.count)..<min($0 + $1, bytes.count)]) })
    var decoder = try PCMDecoder(file.format)
    return decoder.decode(bytes[file.offset..<(file.offset + file.length)]) + decoder.finish()
  }

  static func silence(_ seconds: Double) -> [Float] { [Float](repeating: 0, count: Int(seconds * 16_000)) }

  static func noise(_ seconds: Double, level: Float) -> [Float] {
    var dice = Dice(42)
    return (0..<Int(seconds * 16_000)).map { _ in (Float(dice.next() >> 40) / Float(1 << 23) - 1) * level }
  }

  static func bytes(_ samples: [Float]) -> Data {
    samples.reduce(into: Data(capacity: samples.count * 2)) { data, sample in
      withUnsafeBytes(of: Int16(max(-1, min(1, sample)) * 32_767).littleEndian) { data.append(contentsOf: $0) }
    }
  }

  /// Words that differ, as a share of what was said.
  static func wordErrors(_ heard: String, _ said: String) -> (errors: Int, words: Int) {
    let (left, right) = (words(heard), words(said))
    var row = Array(0...left.count)
    for (index, word) in right.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for place in left.indices {
        let cost = min(diagonal + (left[place] == word ? 0 : 1), row[place] + 1, row[place + 1] + 1)
        diagonal = row[place + 1]
        row[place + 1] = cost
      }
    }
    return (row[left.count], right.count)
  }
  /// A recogniser may write them as words or as figures.
  private static let numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]

  private static func words(_ text: String) -> [String] {
    text.lowercased().split(whereSeparator: \.isWhitespace).map { word in
      let bare = word.filter { $0.isLetter || $0.isNumber }
      return numbers.firstIndex(of: bare).map(String.init) ?? bare
    }
  }

  /// A sound file of some kind, written by the library that others use too.
  static func encode(_ samples: [Float], _ format: Int32, rate: Int32 = 16_000, channels: Int32 = 1) throws
    -> TemporaryFile
  {
    let file = TemporaryFile()
    var information = SF_INFO()
    information.samplerate = rate
    information.channels = channels
    information.format = format
    let sound = try #require(sf_open(file.path, Int32(SFM_WRITE), &information), "\(String(cString: sf_strerror(nil)))")
    let spread = samples.flatMap { Array(repeating: $0, count: Int(channels)) }
    #expect(sf_writef_float(sound, spread, sf_count_t(samples.count)) == samples.count)
    sf_close(sound)
    return file
  }
}

final class TemporaryFile: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: "speech-\(UUID().uuidString)").path
  init() {}
  init(_ bytes: some Collection<UInt8>) throws { try Data(bytes).write(to: URL(filePath: path)) }
  deinit { unlink(path) }
}

extension Trait where Self == ConditionTrait {
  static var needsSpeechPacks: Self {
    .enabled(if: Fixtures.isComplete, "no speech packs at \(Fixtures.packs.path) or no recordings beside the checkout")
  }
}

extension Transcriber {
  static func forTests() -> Transcriber { Transcriber(packs: Fixtures.speechPacks, threads: 1) }

  func transcribe(path: String, _ request: TranscribeRequest = TranscribeRequest()) async throws -> (
    SpeechTranscript, TranscribeReport
  ) {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? file.close() }
    var pieces: [SpeechTranscript] = []
    var report = TranscribeReport()
    for try await event in try await transcribe(file.fileDescriptor, request) {
      switch event {
      case .piece(let transcript, _): pieces.append(transcript)
      case .done(let done): report = done
      }
    }
    return (SpeechTranscript.joined(pieces), report)
  }

  /// Keeps the file until it has been read.
  func transcribe(
    _ file: TemporaryFile, _ request: TranscribeRequest = TranscribeRequest()
  ) async throws -> (SpeechTranscript, TranscribeReport) {
    let result = try await transcribe(path: file.path, request)
    return withExtendedLifetime(file) { result }
  }

  func transcribe(_ samples: [Float], _ request: TranscribeRequest = TranscribeRequest()) async throws -> (
    SpeechTranscript, TranscribeReport
  ) {
    try await transcribe(try Fixtures.encode(samples, wavFile | shorts), request)
  }
}

let wavFile: Int32 = 0x010000
let shorts: Int32 = 0x0002
