import Foundation
import Safety
import Testing
import Workers

@testable import Spoken

@Suite("Listening", .needsSpeechPacks, .serialized) struct ListeningTests {
  // One worker for the whole suite: loading the packs is most of a short test.
  static let shared = Transcriber.forTests()
  var transcriber: Transcriber { Self.shared }

  private func feed(_ listening: Listening, _ samples: [Float], pieces: Int = 4000) async {
    for start in stride(from: 0, to: samples.count, by: pieces) {
      await listening.feed(Fixtures.bytes(Array(samples[start..<min(start + pieces, samples.count)])))
    }
  }

  private func finals(_ events: [ListenEvent]) -> [SpokenUtterance] {
    events.compactMap {
      if case .final(let utterance) = $0, !utterance.transcript.text.isEmpty { utterance } else { nil }
    }
  }

  private func hear(_ samples: [Float], _ request: ListenRequest = ListenRequest()) async throws -> [ListenEvent] {
    let listening = try await transcriber.listen(request)
    let fed = Task {
      await feed(listening, samples)
      await listening.finish()
    }
    var events: [ListenEvent] = []
    for try await event in listening.events { events.append(event) }
    await fed.value
    return events
  }

  @Test("Utterances come out one after the other, with the times at which they were said") func utterances()
    async throws
  {
    let (one, two) = (try Fixtures.samples(1), try Fixtures.samples(13))
    let events = try await hear(Fixtures.silence(1) + one + Fixtures.silence(1.5) + two + Fixtures.silence(1))
    let heard = finals(events)
    #expect(heard.map(\.number) == Array(1...heard.count) || heard.count >= 2)
    let text = heard.map(\.transcript.text).joined(separator: " ")
    #expect(Fixtures.wordErrors(text, try Fixtures.text(1) + " " + (try Fixtures.text(13))).errors <= 2, "\(text)")
    let second = try #require(heard.last)
    let expected = 1 + Double(one.count) / 16_000 + 1.5
    #expect(abs(second.start - expected) < 0.8 && second.end > second.start)
    guard case .done(let report) = events.last else { return #expect(Bool(false), "no report") }
    #expect(report.utterances == heard.count && report.audioMs > 3000)
  }

  @Test("Shown words that were confirmed never change while an utterance lasts") func stable() async throws {
    let listening = try await transcriber.listen(ListenRequest())
    let samples = try Fixtures.samples(3) + Fixtures.silence(1)
    var events = listening.events.makeAsyncIterator()
    // In the middle of the first words, where a partial is sure to be made, however slow the machine.
    await feed(listening, Array(samples[..<20_000]))
    var shown: [Int: String] = [:]
    var partials = 0
    var fed: Task<Void, Never>?
    while let event = try await events.next() {
      guard case .partial(let words) = event else { continue }
      partials += 1
      #expect(words.confirmed.hasPrefix(shown[words.utterance] ?? ""))
      shown[words.utterance] = words.confirmed
      fed =
        fed
        ?? Task {
          for start in stride(from: 20_000, to: samples.count, by: 3200) {
            await feed(listening, Array(samples[start..<min(start + 3200, samples.count)]))
            do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
          }
          await listening.finish()
        }
    }
    await fed?.value
    #expect(partials >= 1)
  }

  @Test("Noise and silence make no utterance") func nothing() async throws {
    let events = try await hear(Fixtures.silence(3) + Fixtures.noise(5, level: 0.2) + Fixtures.silence(2))
    #expect(finals(events).isEmpty)
  }

  @Test("Silence after speech stops listening by itself when that is wished") func stops() async throws {
    var request = ListenRequest()
    request.endpointing.automaticStopMs = 1000
    let listening = try await transcriber.listen(request)
    await feed(listening, try Fixtures.samples(13) + Fixtures.silence(3))
    var events: [ListenEvent] = []
    for try await event in listening.events { events.append(event) }
    #expect(events.contains(.stopped) && finals(events).count == 1)
  }

  @Test("Sound that ends mid-word gives the words so far") func midWord() async throws {
    let whole = try Fixtures.samples(3)
    let events = try await hear(Array(whole[..<(whole.count / 2)]))
    #expect(finals(events).first?.transcript.text.lowercased().contains("schedule") == true)
  }

  @Test("No sound at all is no error") func empty() async throws {
    let events = try await hear([])
    guard case .done(let report) = events.last else { return #expect(Bool(false), "no report") }
    #expect(report.utterances == 0 && events.count == 1)
  }

  @Test("A second page is told that the microphone is in use; after the first has ended it may") func busy()
    async throws
  {
    let first = try await transcriber.listen(ListenRequest())
    await #expect(throws: SpeechError.microphoneInUse) { try await transcriber.listen(ListenRequest()) }
    await first.finish()
    for try await _ in first.events {}
    while !first.isOver { try await Task.sleep(for: .milliseconds(5)) }
    _ = try await hear([])
  }

  @Test("One that yields gives its place to one that does not, at once, and takes nobody's") func yields() async throws
  {
    let first = try await transcriber.listen(ListenRequest(), yields: true)
    await #expect(throws: SpeechError.microphoneInUse) {
      try await transcriber.listen(ListenRequest(), yields: true)
    }
    let second = try await transcriber.listen(ListenRequest())
    await #expect(throws: CancellationError.self) { for try await _ in first.events {} }
    for yields in [true, false] {
      await #expect(throws: SpeechError.microphoneInUse) {
        try await transcriber.listen(ListenRequest(), yields: yields)
      }
    }
    await feed(second, try Fixtures.samples(12) + Fixtures.silence(0.5))
    await second.finish()
    var said = ""
    for try await event in second.events {
      if case .final(let utterance) = event { said += utterance.transcript.text.lowercased() }
    }
    #expect(said.contains("cancel my reservation"), "\(said)")
  }

  @Test("Listening can be left at any stage and the worker serves the next", arguments: [0, 1, 2, 3])
  func cancelled(_ stage: Int) async throws {
    let listening = try await transcriber.listen(ListenRequest())
    let fed = Task {
      await feed(listening, try Fixtures.samples(1) + Fixtures.silence(1), pieces: 1600)
      // A fast feed may be over before a partial was made.
      if stage == 2 { await listening.finish() }
    }
    if stage > 0 {
      for try await event in listening.events {
        switch (stage, event) {
        case (1, .speech), (2, .partial), (3, .final): break
        default: continue
        }
        break
      }
    }
    listening.cancel()
    while !listening.isOver { try await Task.sleep(for: .milliseconds(5)) }
    try await fed.value
    let events = try await hear(try Fixtures.samples(12) + Fixtures.silence(0.5))
    let text = finals(events).map(\.transcript.text).joined(separator: " ")
    #expect(text.lowercased().contains("cancel my reservation"), "\(text)")
  }

  @Test("When the worker is killed in the middle of an utterance, the next one hears it from its beginning")
  func killed() async throws {
    let listening = try await transcriber.listen(ListenRequest())
    let samples = Fixtures.silence(2) + (try Fixtures.samples(3)) + Fixtures.silence(1)
    let half = Fixtures.silence(2).count + (try Fixtures.samples(3)).count / 2
    var events = listening.events.makeAsyncIterator()
    let fed = Task { await feed(listening, Array(samples[..<half])) }
    while let event = try await events.next() { if case .speech = event { break } }
    await fed.value
    let process = try #require(await transcriber.process())
    kill(process, SIGKILL)
    let rest = Task {
      await feed(listening, Array(samples[half...]))
      await listening.finish()
    }
    var heard: [SpokenUtterance] = []
    while let event = try await events.next() { if case .final(let utterance) = event { heard.append(utterance) } }
    await rest.value
    let text = heard.map(\.transcript.text).joined(separator: " ")
    #expect(Fixtures.wordErrors(text, try Fixtures.text(3)).errors <= 2, "\(text)")
    #expect(abs((heard.first?.start ?? 0) - 2) < 0.8, "in the time of the whole dictation")
    #expect(await transcriber.process() != process)
  }

  @Test("Long dictation is cut into pieces and keeps no more memory than a short one") func long() async throws {
    var samples: [Float] = []
    for number in [3, 10, 16, 19, 20, 17, 14, 12] { samples += try Fixtures.samples(number) }
    var request = ListenRequest()
    request.options.fast = true
    let listening = try await transcriber.listen(request)
    let fed = Task {
      for _ in 0..<2 { await feed(listening, samples) }
      await listening.finish()
    }
    var heard: [SpokenUtterance] = []
    for try await event in listening.events { if case .final(let utterance) = event { heard.append(utterance) } }
    await fed.value
    #expect(heard.count >= 3)
    #expect(heard.allSatisfy { $0.end - $0.start <= 25 })
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $0.end <= $1.start + 0.3 })
  }

  @Test("Sound that comes faster than it is said, before the packs are loaded, is kept from its beginning")
  func early() async throws {
    let (loaded, open) = AsyncStream.makeStream(of: Void.self)
    let transcriber = Transcriber(packs: Fixtures.speechPacks, threads: 2) {
      for await _ in loaded { break }
      return try await Worker.start(.speech, seal: SealSpecification())
    }
    let listening = try await transcriber.listen(ListenRequest())
    let feeding = Task {
      await feed(listening, try Fixtures.samples(13) + Fixtures.silence(150))
      await feed(listening, try Fixtures.samples(12) + Fixtures.silence(1))
      await listening.finish()
    }
    try await Task.sleep(for: .milliseconds(200))
    open.yield()
    var heard = ""
    for try await event in listening.events { if case .final(let said) = event { heard += " " + said.transcript.text } }
    try await feeding.value
    #expect(Fixtures.wordErrors(heard, try Fixtures.text(13) + " " + Fixtures.text(12)).errors <= 3, "\(heard)")
    await transcriber.unload()
  }

  @Test("What the governor asks for while listening takes effect") func adjusted() async throws {
    let listening = try await transcriber.listen(ListenRequest())
    var events = listening.events.makeAsyncIterator()
    try await Task.sleep(for: .milliseconds(50))
    var packs: [String] = []
    // The change travels beside the sound, so it may arrive a little later.
    while packs.last != "whisper-tiny.en", packs.count < 5 {
      await feed(listening, try Fixtures.samples(13) + Fixtures.silence(1))
      while let event = try await events.next() {
        guard case .final(let utterance) = event else { continue }
        packs.append(utterance.transcript.pack)
        break
      }
      listening.adjust(ListenAdjustment(partialIntervalMs: 500, fast: true))
    }
    #expect(packs.first == "whisper-base" && packs.last == "whisper-tiny.en")
    listening.cancel()
  }
}
