import Core
import Foundation
import Models
import Speech

/// A recording's words with their times.
package enum Transcribe: Operation {
  package struct Input: Codable, Sendable {
    /// Absolute.
    package var path: String
    /// A code, or "auto" to find it from the sound; nil: as set.
    package var language: String?
    package init(path: String, language: String? = nil) {
      self.path = path
      self.language = language
    }
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
    package struct Word: Codable, Sendable {
      package var text: String
      package var start: Double
      package var end: Double
      package var confidence: Double
    }
    package var file: String
    package var text: String
    package var language: String
    package var confidence: Double
    package var words: [Word]
    package var timings: Timings
    package var pack: String
    /// Why words were taken away or doubted.
    package var remark: String?
    package var subtitles: String
  }

  package static let name = "transcribe"
  package static func run(_ input: Input, in house: House) -> AsyncThrowingStream<Event, any Error> {
    streaming { emit in emit(try await house.transcribe(input)) }
  }
}

extension House {
  /// The speech packs that are installed: the best for the words that stay, the smallest for the words that come and go.
  func speechPacks() throws -> SpeechPacks {
    let installed = try packs.list().filter { $0.installed != nil }
    let speech = installed.filter { $0.pack.kind == .speech && $0.fit.fits }.sorted {
      $0.pack.parameters < $1.pack.parameters
    }
    guard let best = speech.last, let voice = installed.first(where: { $0.pack.kind == .vad }) else {
      throw AssistantError.noSpeechPack
    }
    func pack(_ status: PackStatus) throws -> SpeechPacks.Pack {
      SpeechPacks.Pack(id: status.pack.id, file: try packs.weights(of: status.pack.id))
    }
    let small = speech.count > 1 ? speech.first : nil
    return SpeechPacks(final: try pack(best), partial: try small.map(pack), voice: try pack(voice))
  }

  func transcribe(_ input: Transcribe.Input) async throws -> Transcribe.Event {
    let transcriber = try self.transcriber ?? Transcriber(packs: speechPacks(), threads: settings.threads ?? 2)
    self.transcriber = transcriber
    let file: FileHandle
    do { file = try FileHandle(forReadingFrom: URL(filePath: input.path)) } catch {
      throw ImportError.notFound(input.path)
    }
    defer { file.closeFile() }
    var options = SpeechOptions(settings)
    if let language = input.language { options.language = language == "auto" ? nil : language }
    var pieces: [Transcript] = []
    var report = TranscribeReport()
    for try await event in try await transcriber.transcribe(file.fileDescriptor, TranscribeRequest(options)) {
      switch event {
      case .piece(let piece, _): pieces.append(piece)
      case .done(let done): report = done
      }
    }
    try Task.checkCancellation()
    let all = Transcript.joined(pieces)
    return Transcribe.Event(
      file: input.path, text: all.text, language: all.language, confidence: all.confidence,
      words: all.words.map {
        .init(text: $0.text, start: $0.start * 1000, end: $0.end * 1000, confidence: $0.confidence)
      },
      timings: .init(audioMs: report.audioMs, decodeMs: report.decodeMs), pack: all.pack, remark: all.remark,
      subtitles: Subtitles.srt(all.words))
  }
}
