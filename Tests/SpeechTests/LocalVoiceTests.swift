import Foundation
import Testing

@testable import Spoken

@Suite("The voice of this device")
struct LocalVoiceTests {
  @Test("A text becomes a WAV file that knows its own length", .enabled(if: LocalVoice.program != nil, "no espeak-ng"))
  func says() async throws {
    let short = try await LocalVoice.say("Yes.", language: "en")
    let long = try await LocalVoice.say(
      "The filter is changed every six months; -- $(true) is no order.", language: "en")
    for file in [short, long] {
      let wave = try #require(try WaveFile(fileSize: file.count) { Array(file.dropFirst($0).prefix($1)) })
      #expect(wave.offset == 44 && wave.offset + wave.length == file.count && wave.format.channels == 1)
    }
    #expect(long.count > 2 * short.count)
  }

  @Test(
    "A text of any kind is given as text, never as an option", .enabled(if: LocalVoice.program != nil, "no espeak-ng"))
  func hostile() async throws {
    #expect(try await LocalVoice.say("--version", language: "en").count > 4000)
    #expect(try await LocalVoice.say("Ja.", language: "en; rm -rf x").count > 4000)
    let error = await #expect(throws: SpeechError.self) {
      try await LocalVoice.say(String(repeating: "word ", count: 1000), language: "en")
    }
    #expect(error?.code == "sound_too_much")
    #expect(throws: SpeechError.self) { try LocalVoice.whole(Data("no sound".utf8)) }
  }

  @Test("A letter with thousands of marks is no short text")
  func marks() async throws {
    let error = await #expect(throws: SpeechError.self) {
      try await LocalVoice.say("a" + String(repeating: "\u{301}", count: 100_000), language: "en")
    }
    #expect(error?.code == "sound_too_much")
  }

  @Test("What is no longer wanted ends at once", .enabled(if: LocalVoice.program != nil, "no espeak-ng"))
  func cancelled() async throws {
    let saying = Task { try await LocalVoice.say(String(repeating: "word, ", count: 600), language: "en") }
    saying.cancel()
    // Whether it had ended already or was ended, the next one speaks.
    _ = await saying.result
    #expect(try await LocalVoice.say("Next.", language: "en").count > 4000)
  }
}
