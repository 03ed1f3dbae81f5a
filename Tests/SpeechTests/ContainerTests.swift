import Core
import Foundation
import TestSupport
import Testing

@testable import Spoken

/// Debian's ffmpeg writes the files; where it is absent the tests are skipped, visibly.
private enum FFmpeg {
  static let path = ["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// `sound` in a file whose kind its name tells.
  static func file(_ name: String, of sound: [Float], _ words: [String] = []) throws -> Data {
    let wave = try Fixtures.encode(sound, wavFile | shorts)
    let scratch = try Scratch("container")
    let made = scratch.folder.appending(path: name)
    let call = [try #require(path), "-loglevel", "error", "-y", "-i", wave.path] + words + [made.path]
    try #require(try Tool.run(call).status == 0)
    return withExtendedLifetime(wave) { FileManager.default.contents(atPath: made.path) ?? Data() }
  }
}

extension Trait where Self == ConditionTrait {
  fileprivate static var needsFFmpeg: Self { .enabled(if: FFmpeg.path != nil, "ffmpeg is not installed") }
}

@Suite("Sound in the files of telephones and films") struct SoundContainerTests {
  @Test(
    "A file is told by its first bytes",
    arguments: [
      ([0, 0, 0, 0x20] + Array("ftypM4A ".utf8), SoundContainer.mov), ([0, 0, 0, 8] + Array("wide....".utf8), .mov),
      ([0x1A, 0x45, 0xDF, 0xA3, 1, 0, 0, 0, 0], .matroska), ([0xFF, 0xF1, 0x50, 0x80, 0, 0, 0, 0], .aac),
      (Array("#!AMR\n\u{4}\u{4}".utf8), .amr), ([0xFF, 0xFB, 0x90, 0x64, 0, 0, 0, 0], nil),
      (Array("RIFF....WAVE".utf8), nil), (Array("OggS........".utf8), nil), ([0xFF, 0xF1], nil), ([], nil),
    ] as [([UInt8], SoundContainer?)])
  func kinds(head: [UInt8], expected: SoundContainer?) {
    #expect(SoundContainer(head) == expected)
  }
}

@Suite("Files that FFmpeg's libraries read, in workers of their own", .needsSpeechPacks, .needsFFmpeg, .serialized)
struct ContainerTests {
  static let shared = Transcriber.forTests()
  var transcriber: Transcriber { Self.shared }

  private func transcribe(_ file: Data) async throws -> (SpeechTranscript, TranscribeReport) {
    try await transcriber.transcribe(try TemporaryFile(file))
  }

  @Test(
    "M4A, AAC, WebM, MP4 and MOV say what WAV says",
    arguments: [
      ("a.m4a", ["-c:a", "aac"]), ("stereo.m4a", ["-ac", "2", "-ar", "44100", "-c:a", "aac"]),
      ("apple.m4a", ["-c:a", "alac"]), ("a.aac", ["-c:a", "aac"]), ("opus.webm", ["-c:a", "libopus"]),
      ("vorbis.webm", ["-c:a", "libvorbis"]), ("a.mov", ["-c:a", "pcm_s16le"]),
      ("film.mp4", ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5", "-shortest", "-c:v", "mpeg4", "-c:a", "aac"]),
      ("film.mkv", ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5", "-shortest", "-c:v", "mpeg4", "-c:a", "flac"]),
    ])
  func formats(name: String, words: [String]) async throws {
    let samples = try Fixtures.samples(1)
    let (heard, report) = try await transcribe(try FFmpeg.file(name, of: samples, words))
    #expect(Fixtures.wordErrors(heard.text, try Fixtures.text(1)).errors <= 1, "\(name): \(heard.text)")
    #expect(abs(report.audioMs - Double(samples.count) / 16) < 250 && report.damaged == 0)
  }

  @Test("A film without sound, a file cut off, noise and impossible sizes end in what there is or in a sentence")
  func hostile() async throws {
    let samples = try Fixtures.samples(1)
    let silent = try FFmpeg.file(
      "silent.mp4", of: samples,
      ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5", "-t", "1", "-map", "1:v", "-c:v", "mpeg4"])
    await #expect(throws: (any Error).self) { try await transcribe(silent) }
    let files = try [("a.m4a", ["-c:a", "aac"]), ("a.webm", ["-c:a", "libopus"]), ("a.aac", ["-c:a", "aac"])].map {
      try FFmpeg.file($0.0, of: samples, $0.1)
    }
    var dice = Dice(11)
    for round in 0..<18 {
      var file = files[round % 3]
      switch round / 3 {
      case 0: file = file.prefix(file.count / 2)
      case 1: file = file.prefix(16)
      case 2: file = file.prefix(40) + Data((0..<4_000).map { _ in UInt8(dice.next(256)) })
      case 3:
        for _ in 0..<8 {
          let place = dice.next(min(600, file.count - 4))
          file.replaceSubrange(place..<(place + 4), with: Data(repeating: 0xFF, count: 4))
        }
      default: for _ in 0..<30 { file[dice.next(file.count)] = UInt8(dice.next(256)) }
      }
      do { _ = try await transcribe(file) } catch {
        let remote = RemoteError(error)
        #expect(remote.code.hasPrefix("sound_"), "\(round): \(remote)")
        #expect(remote.message.hasSuffix("."))
      }
    }
    // The speech worker has noticed nothing of all that.
    let (heard, _) = try await transcribe(files[0])
    #expect(Fixtures.wordErrors(heard.text, try Fixtures.text(1)).errors <= 1)
  }

  @Test("A recording that nobody waits for any more is let go at once") func cancelled() async throws {
    let long = try FFmpeg.file(
      "a.m4a", of: (0..<40).flatMap { _ in try Fixtures.samples(1) }, ["-c:a", "aac"])
    let file = try TemporaryFile(long)
    let handle = try FileHandle(forReadingFrom: URL(filePath: file.path))
    var pieces = 0
    for try await _ in try await transcriber.transcribe(handle.fileDescriptor) {
      pieces += 1
      break
    }
    #expect(pieces == 1)
    let next = try FFmpeg.file("b.m4a", of: try Fixtures.samples(2), ["-c:a", "aac"])
    #expect(Fixtures.wordErrors(try await transcribe(next).0.text, try Fixtures.text(2)).errors <= 1)
  }
}
