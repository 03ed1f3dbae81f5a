import Assistant
import Core
import Foundation
import Resources
import Spoken

/// `/v1/audio/transcriptions` as the OpenAI clients call it, over the transcribe operation.
package struct AudioRoutes: Sendable {
  private let transcribe: Service
  private let packs: @Sendable () async throws -> [String]
  /// One form after the other: while it is taken apart it may lie in memory.
  private let turns = Scheduler(cores: 1)

  /// `packs`: the speech packs that can be asked for by name.
  package init(_ transcribe: Service, packs: @escaping @Sendable () async throws -> [String]) {
    self.transcribe = transcribe
    self.packs = packs
  }

  package var routes: [Route] {
    [
      Route(
        "POST", "/v1/audio/transcriptions", needs: .right(transcribe.right),
        body: .file(limit: Bounds.usual.audioBytes, seconds: Bounds.usual.uploadSeconds),
        .later { request in
          guard let staged = request.file else { throw ServerError.uploadFailed("no body came") }
          let folder = staged.deletingLastPathComponent()
          return try await finishing {
            try await answer(request, staged)
          } then: {
            try FileManager.default.removeItem(at: folder)
          }
        })
    ]
  }

  private func answer(_ request: Request, _ staged: URL) async throws -> Response {
    guard RequestGate.mediaType(request) == "multipart/form-data", let type = request.headers["content-type"] else {
      throw ServerError.unreadable("the body must be multipart/form-data")
    }
    let (wanted, sound) = try await turns.run("a form", .person, cores: 1) { _ in
      try await waitingForDisk { _ in try Self.takenApart(staged, type) }
    }
    var input = Transcribe.Input(path: sound.path, language: wanted.language)
    // The names that clients know stand for the best pack there is.
    if !["whisper-1", "libera", ""].contains(wanted.model) {
      guard try await packs().contains(wanted.model) else { throw ServerError.unknownModel(wanted.model) }
      input.pack = wanted.model
    }
    input.vocabulary = wanted.prompt.map { [$0] }
    var heard: Transcribe.Event?
    for try await event in try transcribe.run(try JSON.encode(input), request.caller) {
      heard = try JSON.decode(Transcribe.Event.self, from: event)
    }
    guard let heard else { throw CancellationError() }
    return try wanted.response(heard)
  }
}

extension AudioRoutes {
  /// What is asked for, and the sound as a file of its own beside the form.
  private static func takenApart(_ staged: URL, _ type: String) throws -> (TranscriptionRequest, URL) {
    // Mapped: a recording of hours is not held in memory.
    let form = try Multipart(Data(contentsOf: staged, options: .alwaysMapped), contentType: type)
    let wanted = try TranscriptionRequest(form)
    guard let file = form.parts.first(where: { $0.name == "file" }) else {
      throw ServerError.unreadable("\"file\" is missing in the form")
    }
    let sound = staged.deletingLastPathComponent().appending(
      path: "sound-" + ForeignName.file(file.fileName ?? "sound"), directoryHint: .notDirectory)
    try form.bytes(file).write(to: sound, options: .withoutOverwriting)
    return (wanted, sound)
  }
}

/// What a client asks for beside the file.
struct TranscriptionRequest: Sendable {
  enum Format: String, Sendable { case json, text, srt, vtt, verboseJSON = "verbose_json" }

  var model: String
  var language: String?
  var prompt: String?
  var format: Format
  var wantsWords: Bool
  var wantsSegments: Bool

  /// The longest field, which is held in memory as the file is not.
  private static let longest = 64 << 10

  init(_ form: Multipart) throws(ServerError) {
    if let long = form.parts.first(where: { $0.name != "file" && $0.range.count > Self.longest }) {
      throw .unreadable("\(long.name.prefix(40)) is longer than \(Self.longest >> 10) kB")
    }
    model = form.text("model") ?? ""
    language = form.text("language") ?? "auto"
    prompt = form.text("prompt").flatMap { $0.isEmpty ? nil : $0 }
    let name = form.text("response_format") ?? "json"
    guard let format = Format(rawValue: name) else { throw .unsupported("response_format \(name)") }
    self.format = format
    let grains = form.texts("timestamp_granularities")
    if let odd = grains.first(where: { $0 != "word" && $0 != "segment" }) {
      throw .unsupported("timestamp_granularities \(odd)")
    }
    wantsWords = grains.contains("word")
    wantsSegments = grains.isEmpty || grains.contains("segment")
    guard form.text("stream") != "true" else { throw .unsupported("stream for transcriptions") }
    if let heat = form.text("temperature"), Double(heat) != 0 { throw .unsupported("a temperature above 0") }
  }

  func response(_ heard: Transcribe.Event) throws -> Response {
    let cues = Subtitles.cues(heard.words.map(\.word))
    switch format {
    case .json: return .json(Plain(text: heard.text))
    case .verboseJSON: return .json(Verbose(heard, cues, words: wantsWords, segments: wantsSegments))
    case .text: return Response(type: "text/plain; charset=utf-8", .data(Data((heard.text + "\n").utf8)))
    case .srt: return Response(type: "application/x-subrip", .data(Data(Subtitles.srt(cues).utf8)))
    case .vtt: return Response(type: "text/vtt; charset=utf-8", .data(Data(Subtitles.vtt(cues).utf8)))
    }
  }

  private struct Plain: Encodable { var text: String }

  private struct Verbose: Encodable {
    struct Segment: Encodable {
      var id: Int
      var start: Double
      var end: Double
      var text: String
      /// The mean log probability, from the words' confidence.
      var logprob: Double
      enum CodingKeys: String, CodingKey {
        case id, start, end, text
        case logprob = "avg_logprob"
      }
    }
    struct Stretch: Encodable {
      var word: String
      var start: Double
      var end: Double
    }
    var task = "transcribe"
    var language: String
    var duration: Double
    var text: String
    var segments: [Segment]?
    var words: [Stretch]?

    init(_ heard: Transcribe.Event, _ cues: [[Word]], words: Bool, segments: Bool) {
      language = Subtitles.language(heard.language)
      duration = heard.timings.audioMs / 1000
      text = heard.text
      if segments {
        self.segments = cues.enumerated().map { number, cue in
          let sure = cue.reduce(0) { $0 + log(max($1.confidence, 1e-9)) } / Double(max(1, cue.count))
          return Segment(
            id: number, start: cue.first?.start ?? 0, end: cue.last?.end ?? 0,
            text: " " + cue.map(\.text).joined(separator: " "), logprob: sure)
        }
      }
      if words { self.words = heard.words.map { Stretch(word: $0.text, start: $0.start / 1000, end: $0.end / 1000) } }
    }
  }
}
