import Foundation
import TestSupport
import Testing

@Suite("Listening", .enabled(if: Program.preparedPacks != nil && Recording.areThere, Program.needsPacks))
struct ListenTests {
  @Test("Sound from a pipe becomes one settled line, raw or as WAV, whatever its rate")
  func piped() async throws {
    let program = try Program(withPacks: true)
    let samples = try Recording.samples(1)
    let raw = try await program.start(["listen", "-"], input: samples).outcome()
    #expect(raw.status == 0 && raw.lines.count == 1, "\(raw.errors)")
    #expect(raw.output.lowercased().contains("call john"))
    // Every second sample, said to be 8,000 a second, is the same sound.
    let half = Data(stride(from: 0, to: samples.count - 3, by: 4).flatMap { samples[$0...($0 + 1)] })
    let slow = try await program.start(["listen", "-", "--rate", "8000"], input: half).outcome()
    #expect(slow.output.lowercased().contains("john"), "\(slow.output)")
    let wave = try await program.start(["listen", "-"], input: Recording.file(12)).outcome()
    #expect(wave.output.lowercased().contains("reservation"), "\(wave.output)")
  }

  @Test("For scripts every event is a line, and silence has no words")
  func lines() async throws {
    let program = try Program(withPacks: true)
    let said = try await program.start(["listen", "-", "--json"], input: Recording.samples(12)).outcome()
    let events = try said.objects
    #expect(events.first?["opened"] as? Bool == true)
    let final = try #require(events.compactMap { $0["final"] as? [String: Any] }.first)
    #expect(((final["words"] as? [[String: Any]])?.count ?? 0) >= 5)
    #expect((events.last?["done"] as? [String: Any])?["utterances"] as? Int == 1)
    let silent = try await program.start(["listen", "-"], input: Data(count: 64_000)).outcome()
    #expect(silent.status == 0 && silent.output.isEmpty)
    let odd = try await program.start(["listen", "-"], input: Data([1])).outcome()
    #expect(odd.status == 0 && odd.output.isEmpty)
  }

  @Test("On a hot device the small pack listens, more rarely, and says why")
  func hot() async throws {
    let program = try Program(withPacks: true)
    let words = ["listen", "-", "--json"] + (try program.heated())
    let events = try await program.start(words, input: Recording.samples(12)).outcome().objects
    let limits = try #require(events.compactMap { $0["limits"] as? [[String: Any]] }.first)
    #expect(Set(limits.compactMap { $0["what"] as? String }) == ["partial_interval_ms", "speech_pack"])
    #expect(limits.allSatisfy { ($0["reason"] as? String)?.contains("hot") == true })
    let final = try #require(events.compactMap { $0["final"] as? [String: Any] }.first)
    #expect(final["pack"] as? String == "whisper-tiny.en-q8_0")
  }

  @Test(
    "What ALSA's default device hears becomes words, and where there is none, what to do is said",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/alsa/alsa.conf"), "ALSA is not installed"))
  func microphone() async throws {
    var program = try Program(withPacks: true)
    program.environment["HOME"] = program.home.path
    // A device of ALSA's own that plays a file as what was heard, and silence behind it.
    let sound = program.home.appending(path: "sound.raw")
    try (Data(count: 16_000) + Recording.samples(1)).write(to: sound)
    let device = """
      pcm.!default { type file slave.pcm "null" file "/dev/null" infile "\(sound.path)" format "raw" }
      """
    try Data(device.utf8).write(to: program.home.appending(path: ".asoundrc"))
    let heard = try await program.run("listen")
    #expect(heard.status == 0 && heard.output.lowercased().contains("call john"), "\(heard.errors)")
    try Data(#"pcm.!default { type hw card 31 }"#.utf8).write(to: program.home.appending(path: ".asoundrc"))
    let missing = try await program.run("listen", "--json")
    #expect(missing.status != 0 && missing.errorCode == "microphone_not_found", "\(missing.errors)")
  }

  @Test("Beside a server, the server's worker hears; where no pack is installed, what to fetch is said")
  func elsewhere() async throws {
    let program = try Program(withPacks: true)
    let owner = try program.start(["serve", "--no-open"])
    #expect(try await owner.waitFor { $0.contains("http") })
    let listening = try await program.start(["listen", "-"], input: Recording.samples(12)).outcome()
    #expect(listening.output.lowercased().contains("reservation"), "\(listening.errors)")
    #expect(Processes.workers("speech", of: owner.identifier).count == 1)
    let second = try await program.run("serve", "--no-open", "--json")
    let page = try #require(try second.objects.first?["page"] as? String)
    let running = try owner.text
    #expect(running.contains(page.prefix { $0 != "#" }), "the running server's address, with a link of its own")
    #expect(try await owner.end().status == 0)

    let bare = try Program()
    let refused = try await bare.start(["listen", "-", "--json"], input: Data(count: 3200)).outcome()
    #expect(refused.status == 3 && refused.errorCode == "speech_pack_missing")
  }
}

/// Spoken commands that lie beside the checkout.
enum Recording {
  static let folder = Checkout.data.appending(path: "speech/piper")
  static var areThere: Bool { FileManager.default.fileExists(atPath: folder.appending(path: "20.wav").path) }
  static func file(_ number: Int) throws -> Data {
    try Data(contentsOf: folder.appending(path: String(format: "%02d.wav", number)))
  }
  /// What follows the header of 44 bytes.
  static func samples(_ number: Int) throws -> Data { Data(try file(number).dropFirst(44)) }
}
