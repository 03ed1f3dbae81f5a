import Assistant
import Core
import Foundation
import Testing

@testable import Server

@Suite("Transcriptions")
struct AudioTests {
  static func form(_ fields: [(String, String)], file: Data? = Data([1, 2, 3]), boundary: String = "xyz") -> Data {
    var body = Data()
    for (name, value) in fields {
      body += Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    if let file {
      body += Data(
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a.wav\"\r\nContent-Type: audio/wav\r\n\r\n"
          .utf8)
      body += file + Data("\r\n".utf8)
    }
    return body + Data("--\(boundary)--\r\n".utf8)
  }

  @Test("A form gives its fields and its file, byte for byte")
  func parts() throws {
    let bytes = Data((0...255).map(UInt8.init)) + Data("\r\n--xy".utf8)
    let form = try Multipart(
      Self.form([("model", "whisper-1"), ("empty", ""), ("grain[]", "word"), ("grain[]", "segment")], file: bytes),
      contentType: "multipart/form-data; charset=utf-8; boundary=\"xyz\"")
    #expect(["model", "empty", "other"].map { form.text($0) } == ["whisper-1", "", nil])
    #expect(form.texts("grain") == ["word", "segment"])
    let file = try #require(form.parts.last)
    #expect(file.fileName == "../a.wav" && form.bytes(file) == bytes)
  }

  @Test(
    "What is no form is refused",
    arguments: [
      "", "--xyz", "--xyz\r\n", "--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\nvalue", "--xyz\r\n\r\n--xyz",
      "other", "--xyz\r\n\(String(repeating: "a", count: 9000))\r\n\r\n\r\n--xyz--",
    ])
  func noForm(_ body: String) {
    #expect(throws: ServerError.self) {
      try Multipart(Data(body.utf8), contentType: "multipart/form-data; boundary=xyz")
    }
  }

  @Test("A form of very many parts is refused")
  func manyParts() {
    let body = Data((String(repeating: "--xyz\r\nA: b\r\n\r\n\r\n", count: 100) + "--xyz--").utf8)
    #expect(throws: ServerError.self) { try Multipart(body, contentType: "multipart/form-data; boundary=xyz") }
  }

  @Test("A boundary is needed", arguments: ["multipart/form-data", "multipart/form-data; boundary=", "x; boundary"])
  func noBoundary(_ type: String) {
    #expect(throws: ServerError.self) { try Multipart(Data("--\r\n".utf8), contentType: type) }
  }

  private func withAudio(_ body: (Desk) async throws -> Void) async throws {
    let transcribe = Service("transcribe", needs: .transcribe) { input in
      let wanted = try JSON.decode(Transcribe.Input.self, from: input)
      let size = try Data(contentsOf: URL(filePath: wanted.path)).count
      let event = """
        {"file":"","text":"\(size) bytes \(wanted.language ?? "-") \(wanted.pack ?? "-")","language":"de","confidence":0.9,
        "words":[{"text":"One.","start":0,"end":500,"confidence":0.9},{"text":"Two.","start":600,"end":900,"confidence":0.5}],
        "timings":{"audio_ms":1000,"decode_ms":10},"pack":"whisper","subtitles":""}
        """
      return streaming { emit in emit(Data(event.utf8)) }
    }
    try await withDesk(routes: AudioRoutes(transcribe) { ["whisper"] }.routes, body)
  }

  private func post(_ desk: Desk, _ form: Data) async throws -> Answer {
    let head = ["Content-Type: multipart/form-data; boundary=xyz", "Content-Length: \(form.count)"]
    let wire = try desk.send("POST", "/v1/audio/transcriptions", head, body: String(decoding: form, as: UTF8.self))
    return await wire.response()
  }

  @Test("Each form of answer has the shape that clients expect; nothing of the recording stays")
  func formats() async throws {
    try await withAudio { desk in
      #expect(try await post(desk, Self.form([("model", "whisper-1")])).text == #"{"text":"3 bytes auto -"}"#)
      let plain = try await post(
        desk, Self.form([("model", "whisper"), ("language", "en"), ("response_format", "text")]))
      #expect(plain.text == "3 bytes en whisper\n")
      let srt = try await post(desk, Self.form([("response_format", "srt")]))
      #expect(srt.text.hasPrefix("1\n00:00:00,000 --> 00:00:00,500\nOne.\n\n2\n"))
      let vtt = try await post(desk, Self.form([("response_format", "vtt")]))
      #expect(vtt.text.hasPrefix("WEBVTT\n\n00:00:00.000 --> 00:00:00.500\nOne.\n"))
      let verbose = try await post(
        desk, Self.form([("response_format", "verbose_json"), ("timestamp_granularities[]", "word")]))
      let told = try object(verbose)
      #expect(told["language"] as? String == "german" && told["duration"] as? Double == 1)
      #expect((told["words"] as? [[String: Any]])?.last?["start"] as? Double == 0.6 && told["segments"] == nil)
      let uploads = desk.folder.appending(path: "cache")
      let left = FileManager.default.enumerator(atPath: uploads.path)?.compactMap { $0 as? String } ?? []
      #expect(!left.contains { $0.hasSuffix(".wav") }, "\(left)")
    }
  }

  @Test("A field of a form that is longer than any word of a program is refused, whatever it is called")
  func longField() async throws {
    let long = String(repeating: "a", count: (64 << 10) + 1)
    try await withAudio { desk in
      for name in ["prompt", "model", "language", "unknown"] {
        let answer = try await post(desk, Self.form([(name, long)]))
        #expect(answer.status == 400, "\(name)")
      }
      // As long as it may be.
      let longest = try await post(desk, Self.form([("prompt", String(long.dropLast()))]))
      #expect(longest.status == 200)
    }
  }

  @Test("What cannot be done is refused, never ignored")
  func refusals() async throws {
    try await withAudio { desk in
      for field in [
        ("response_format", "diarized_json"), ("timestamp_granularities[]", "sentence"), ("stream", "true"),
        ("temperature", "0.7"),
      ] {
        let answer = try await post(desk, Self.form([field]))
        #expect(answer.status == 400, "\(field)")
      }
      let unknown = try await post(desk, Self.form([("model", "gpt-9")]))
      let empty = try await post(desk, Self.form([], file: nil))
      let other = try await desk.ask("POST", "/v1/audio/transcriptions", json: "{}")
      let stranger = try await desk.ask("POST", "/v1/audio/transcriptions", token: false)
      for (answer, status) in [(unknown, 404), (empty, 400), (other, 400), (stranger, 401)] {
        #expect(answer.status == status)
      }
    }
  }
}
