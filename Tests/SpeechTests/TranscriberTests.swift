import Core
import Foundation
import TestSupport
import Testing

@testable import Spoken

@Suite("Transcribing files in the sealed worker", .needsSpeechPacks, .serialized) struct TranscriberTests {
  static let shared = Transcriber.forTests()
  var transcriber: Transcriber { Self.shared }

  @Test("Recorded commands are understood, their words in order and in time") func commands() async throws {
    var (errors, words) = (0, 0)
    for number in stride(from: 2, through: 20, by: 2) {
      let file = Fixtures.recordings.appending(path: String(format: "%02d.wav", number))
      let (transcript, report) = try await transcriber.transcribe(path: file.path)
      let result = Fixtures.wordErrors(transcript.text, try Fixtures.text(number))
      errors += result.errors
      words += result.words
      #expect(
        (0...1).contains(transcript.confidence) && transcript.language == "en" && transcript.pack == "whisper-base")
      #expect(
        zip(transcript.words, transcript.words.dropFirst()).allSatisfy { $0.start <= $1.start && $0.end <= $1.end })
      #expect(transcript.words.allSatisfy { $0.start <= $0.end && $0.end <= report.audioMs / 1000 + 0.1 })
    }
    #expect(Double(errors) / Double(words) < 0.08, "\(errors) of \(words)")
  }

  @Test(
    "FLAC, Ogg, MP3, mu-law, stereo, other rates and clipped sound say the same",
    arguments: [
      ("flac", Int32(0x170002), Int32(16_000), Int32(1)), ("ogg vorbis", 0x200060, 16_000, 2),
      ("ogg opus", 0x200064, 48_000, 1),
      ("mp3", 0x230082, 16_000, 1), ("mu-law wav", 0x010010, 16_000, 1), ("adpcm wav", 0x010012, 16_000, 1),
      ("float wav", 0x010006, 16_000, 2), ("aiff", 0x020002, 16_000, 1),
    ])
  func formats(_ name: String, _ format: Int32, _ rate: Int32, _ channels: Int32) async throws {
    var samples = try Fixtures.samples(1)
    if rate != 16_000 {
      var resampler = Resampler(from: 16_000, to: Int(rate))
      samples = resampler.feed(samples) + resampler.finish()
    }
    let file = try Fixtures.encode(samples, format, rate: rate, channels: channels)
    let (transcript, _) = try await transcriber.transcribe(file)
    #expect(Fixtures.wordErrors(transcript.text, try Fixtures.text(1)).errors <= 1, "\(name): \(transcript.text)")
  }

  @Test("What is heard does not depend on what was heard before") func history() async throws {
    let fresh = Transcriber.forTests()
    let (alone, _) = try await fresh.transcribe(try Fixtures.samples(4))
    // Longer, louder, and of other voices: whatever a recogniser could keep of it.
    _ = try await fresh.transcribe(try (1...6).flatMap { try Fixtures.samples($0) } + Fixtures.noise(3, level: 0.5))
    let (after, _) = try await fresh.transcribe(try Fixtures.samples(4))
    #expect(after.text == alone.text)
    #expect(abs(after.confidence - alone.confidence) < 1e-4, "\(alone.confidence) and then \(after.confidence)")
    await fresh.unload()
  }

  @Test("Telephone sound and clipped sound are still understood") func poor() async throws {
    let samples = try Fixtures.samples(3)
    var down = Resampler(from: 16_000, to: 8000)
    let telephone = try Fixtures.encode(down.feed(samples) + down.finish(), wavFile | 0x0010, rate: 8000)
    let (heard, _) = try await transcriber.transcribe(telephone)
    #expect(Fixtures.wordErrors(heard.text, try Fixtures.text(3)).errors <= 2, "\(heard.text)")
    let (clipped, _) = try await transcriber.transcribe(samples.map { max(-1, min(1, $0 * 12)) })
    #expect(Fixtures.wordErrors(clipped.text, try Fixtures.text(3)).errors <= 3, "\(clipped.text)")
  }

  @Test("Silence, noise, hum and clicks hold no words") func nothing() async throws {
    let hum = (0..<160_000).map { Float(sin(Double($0) * 2 * .pi * 50 / 16_000)) * 0.3 }
    var clicks = Fixtures.silence(10)
    for place in stride(from: 8000, to: clicks.count, by: 16_000) { clicks[place] = 1 }
    for (name, sound) in [
      ("silence", Fixtures.silence(10)), ("noise", Fixtures.noise(10, level: 0.3)),
      ("faint noise", Fixtures.noise(10, level: 0.01)), ("hum", hum), ("clicks", clicks),
    ] {
      let (transcript, _) = try await transcriber.transcribe(sound)
      #expect(transcript.text.isEmpty, "\(name): \(transcript.text)")
    }
  }

  @Test("A file that is empty, cut off, no sound or malicious gives an error or what is there, and the worker lives on")
  func hostile() async throws {
    for bytes: [UInt8] in [
      [], Array("not a sound".utf8), Array(wave(samples: [1, 2])[..<30]), [UInt8](repeating: 0xFF, count: 5000),
    ] {
      await #expect(throws: (any Error).self) { try await transcriber.transcribe(try TemporaryFile(bytes)) }
    }
    let whole = try Fixtures.encode(try Fixtures.samples(4), 0x170002)
    let flac = try Data(contentsOf: URL(filePath: whole.path))
    for cut in [100, flac.count / 2] {
      _ = try? await transcriber.transcribe(try TemporaryFile(flac.prefix(cut)))
    }
    var broken = [UInt8](flac)
    for place in stride(from: 60, to: broken.count, by: 37) { broken[place] ^= 0x5A }
    _ = try? await transcriber.transcribe(try TemporaryFile(broken))
    let recording = try Data(contentsOf: Fixtures.recordings.appending(path: "04.wav"))
    let (half, _) = try await transcriber.transcribe(try TemporaryFile(recording.prefix(recording.count * 2 / 3)))
    #expect(half.text.lowercased().contains("what do i have"))
  }

  @Test("Thirty hours of sound are refused before the first second is heard") func endless() async throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString).raw")
    // It takes no room on the disk.
    try Data().write(to: place)
    let handle = try FileHandle(forUpdating: place)
    try handle.truncate(atOffset: UInt64(30 * 3600) * 32_000)
    try handle.close()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: place) } }
    await #expect {
      try await transcriber.transcribe(path: place.path, TranscribeRequest(format: .plain))
    } throws: {
      RemoteError($0).code == "sound_too_much"
    }
  }

  @Test("Raw samples are read in the format that was named") func raw() async throws {
    let file = try TemporaryFile(Fixtures.bytes(try Fixtures.samples(4)))
    let (transcript, _) = try await transcriber.transcribe(file, TranscribeRequest(format: .plain))
    #expect(transcript.text.lowercased().contains("today"))
  }

  @Test("Minutes of speech are read in pieces, in order, in bounded memory") func long() async throws {
    var samples: [Float] = []
    var said = ""
    for number in 1...12 {
      samples += try Fixtures.samples(number) + Fixtures.silence(number.isMultiple(of: 4) ? 2 : 0.3)
      said += try Fixtures.text(number) + " "
    }
    let (transcript, report) = try await transcriber.transcribe(samples)
    let result = Fixtures.wordErrors(transcript.text, said)
    #expect(Double(result.errors) / Double(result.words) < 0.15, "\(result) \(transcript.text)")
    #expect(report.pieces >= 3)
    #expect(zip(transcript.words, transcript.words.dropFirst()).allSatisfy { $0.start <= $1.start + 0.01 })
  }

  @Test("A language is fixed or found; one the pack does not know is refused") func languages() async throws {
    var request = TranscribeRequest()
    request.options.language = nil
    let (found, _) = try await transcriber.transcribe(try Fixtures.samples(3), request)
    #expect(found.language == "en")
    request.options.language = "tlh"
    await #expect(throws: (any Error).self) { try await transcriber.transcribe(try Fixtures.samples(3), request) }
    request.options = SpeechOptions()
    request.options.fast = true
    let (fast, _) = try await transcriber.transcribe(try Fixtures.samples(3), request)
    #expect(fast.pack == "whisper-tiny.en")
  }

  @Test("A vocabulary bends recognition to the person's own names") func vocabulary() async throws {
    var request = TranscribeRequest()
    request.options.vocabulary = ["Jon", "Saira"]
    let (jon, _) = try await transcriber.transcribe(try Fixtures.samples(1), request)
    #expect(jon.text.contains("Jon") && !jon.text.contains("John"), "\(jon.text)")
  }

  @Test("Dropping a transcription stops it, and the next one runs") func cancel() async throws {
    var samples: [Float] = []
    for _ in 0..<10 { samples += try Fixtures.samples(3) + Fixtures.silence(1.5) }
    let file = try Fixtures.encode(samples, wavFile | shorts)
    let handle = try FileHandle(forReadingFrom: URL(filePath: file.path))
    for try await _ in try await transcriber.transcribe(handle.fileDescriptor) { break }
    let (next, _) = try await transcriber.transcribe(try Fixtures.samples(12))
    #expect(next.text.lowercased().contains("cancel my reservation"))
  }

  @Test("A recording that waited behind one that goes on although nobody wants it is recognised by another worker")
  func behindAnother() async throws {
    let deaf = DeafOnce(["load": true, "transcribe": TranscribeEvent.done(TranscribeReport())])
    let transcriber = Transcriber(packs: Fixtures.speechPacks, threads: 1, on: deaf.host)
    let dropped = Task { try await transcriber.transcribe(try Fixtures.samples(1)) }
    for await _ in deaf.begun { break }
    dropped.cancel()
    let (heard, report) = try await transcriber.transcribe(try Fixtures.samples(2))
    #expect(heard.text.isEmpty && report == TranscribeReport())
    await transcriber.unload()
  }
}
