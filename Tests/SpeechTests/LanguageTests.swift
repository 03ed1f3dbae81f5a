import Foundation
import Testing

@testable import Spoken

@Suite("The language that is heard") struct HeardLanguageTests {
  @Test(
    "Only another language that is surely heard stands against the one that was named",
    arguments: [
      ("de", ["en": 0.97, "de": 0.01], "en"), ("en", ["de": 0.85, "en": 0.1], "de"),
      ("de", ["de": 0.9, "en": 0.05], nil),
      ("de", ["en": 0.7, "de": 0.02], nil), ("de", ["en": 0.81, "de": 0.15], nil), ("no", ["da": 0.95], nil),
      ("fr", ["es": 0.9], "es"), ("es", ["pt": 0.99], nil), ("xx", ["en": 0.99], "en"), ("de", [:], nil),
    ] as [(String, [String: Double], String?)])
  func other(claimed: String, heard: [String: Double], expected: String?) {
    #expect(HeardLanguage.other(than: claimed, in: heard) == expected)
  }

  @Test("It is said in words") func words() {
    #expect(
      HeardLanguage.remark("en", not: "de") == "this sounds like English, not German; it was read as English")
  }
}

@Suite("Sound in another language than was named", .needsSpeechPacks, .serialized) struct OtherLanguageTests {
  @Test("English named German is read as English, without trying again and again, and that is said") func wrong()
    async throws
  {
    let transcriber = Transcriber.forTests()
    let samples = try (1...4).flatMap { try Fixtures.samples($0) + Fixtures.silence(1) }
    var options = SpeechOptions()
    let (right, plain) = try await transcriber.transcribe(samples, TranscribeRequest(options))
    #expect(right.remark == nil && right.language == "en")
    options.language = "de"
    let (heard, report) = try await transcriber.transcribe(samples, TranscribeRequest(options))
    #expect(heard.language == "en" && heard.text == right.text)
    #expect(heard.remark == "this sounds like English, not German; it was read as English")
    #expect(report.retries <= plain.retries && report.pieces == plain.pieces)
    await transcriber.unload()
  }
}
