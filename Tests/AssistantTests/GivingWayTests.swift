import Core
import Foundation
import Inference
import Resources
import Spoken
import Synchronization
import TestSupport
import Testing

@testable import Assistant

@Suite(
  "What programs ask for gives way to the person, and goes on afterwards",
  .enabled(if: Prepared.packs != nil, "the packs are not prepared"))
struct GivingWayTests {
  private static let key = Caller.key(id: "1", rights: Set(Right.allCases))

  private func withPacks(_ body: (OpenHouse) async throws -> Void) async throws {
    let home = try OpenHouse()
    await home.house.listener.bear(silence: .seconds(3600), pause: .seconds(3600))
    try FileManager.default.linkItem(at: try #require(Prepared.packs), to: home.folders.packs)
    try await body(home)
    await home.house.close()
  }

  /// What comes next is beyond doubt: what a batch rounds otherwise than a lone token changes no choice.
  private static func counting(logprobs: Int) -> GenerateRequest {
    var request = GenerateRequest(
      .raw([.untrusted(String(repeating: " red, green, blue, white,", count: 8) + " red,")]))
    request.maximumTokens = 60
    request.speculate = false
    request.logprobs = logprobs
    return request
  }

  private final class Ended: Sendable { let names = Mutex<[String]>([]) }

  private struct Told {
    var text = ""
    var (prompts, dones, logprobs, cuts) = (0, [GenerateReport](), [String](), 0)
  }

  /// Everything that is told of it, with a person's work that comes between after each of `cuts` pieces.
  private func told(_ request: GenerateRequest, in home: OpenHouse, cuts: Set<Int> = []) async throws -> Told {
    let (completions, scheduler) = (Completions(home.house), home.house.scheduler)
    let model = try completions.usual()
    var (told, pieces) = (Told(), 0)
    let events = Caller.$asking.withValue(Self.key) { completions.generate(request, model: model) }
    for try await event in events {
      switch event {
      case .prompt: told.prompts += 1
      case .logprobs(let entry): told.logprobs.append(entry.chosen.token)
      case .done(let report): told.dones.append(report)
      case .piece(let piece):
        (told.text, pieces) = (told.text + piece, pieces + 1)
        guard cuts.contains(pieces) else { continue }
        let job = try await scheduler.run("a question", .person, cores: .max) { _ in
          await scheduler.jobs.first { $0.name == "an answer" }
        }
        // It may have come to its end already, but does not compute beside the person's.
        #expect(job?.state != .running)
        if job != nil { told.cuts += 1 }
      default: break
      }
    }
    return told
  }

  @Test("A program's answer, cut short again and again, comes to the same text, and every part of it is told once")
  func completions() async throws {
    try await withPacks { home in
      let plain = try await told(Self.counting(logprobs: 0), in: home)
      #expect(plain.text.contains("green") && plain.dones.count == 1 && plain.cuts == 0)
      for logprobs in [0, 2] {
        var request = Self.counting(logprobs: logprobs)
        request.pauseMs = 40
        let cut = try await told(request, in: home, cuts: [1, 2, 9, 17])
        #expect(cut.cuts > 0, "nothing was cut short")
        #expect(cut.text == plain.text)
        #expect(cut.prompts == 1 && cut.dones.count == 1)
        #expect(cut.dones.first?.generatedTokens == plain.dones.first?.generatedTokens)
        if logprobs > 0 { #expect(cut.logprobs.joined() == plain.text) }
      }
    }
  }

  @Test("A person who asks where a program's turn is under way waits for that, and both come to an end")
  func sameConversation() async throws {
    try await withPacks { home in
      let conversation = UUID().uuidString
      let program = Caller.$asking.withValue(Self.key) {
        Task { try await home.all(Ask.self, .init(question: "Tell me about the sea.", conversation: conversation)) }
      }
      while await !home.house.scheduler.jobs.contains(where: { $0.cores > 0 && $0.state == .running }) {
        try await Task.sleep(for: .milliseconds(5))
      }
      let record = try await home.ask("What is a tide?", in: conversation)
      #expect(!record.answer.isEmpty)
      #expect(try await program.value.contains { $0.done != nil })
    }
  }

  @Test("A program's vectors and counts wait for a person, and are what they would have been")
  func vectors() async throws {
    try await withPacks { home in
      let completions = Completions(home.house)
      let texts = EmbedInput.texts((0..<150).map { "Sentence number \($0) of a long list." })
      let pack = "all-minilm-l6-v2-f16"
      let plain = try await completions.embed(texts, model: pack, long: .fails)
      #expect(plain.vectors.count == 150)
      let scheduler = home.house.scheduler
      let chat = try completions.usual()
      let work = try await scheduler.run("a question", .person, cores: 0) { _ in
        let work = Caller.$asking.withValue(Self.key) {
          Task {
            let count = try await completions.count(Self.counting(logprobs: 0), model: chat)
            return (count, try await completions.embed(texts, model: pack, long: .fails))
          }
        }
        while await !scheduler.jobs.contains(where: { $0.name == "tokens for a program" && $0.state == .waiting }) {
          try await Task.sleep(for: .milliseconds(5))
        }
        return work
      }
      let (count, found) = try await work.value
      #expect(count > 30)
      #expect(found.vectors == plain.vectors && found.report == plain.report)
    }
  }

  /// So many sentences with a second between them.
  private func recording(of count: Int) throws -> URL {
    let data = Checkout.data.appending(path: "speech/piper")
    let sound = try (1...count).map { number in
      try Data(contentsOf: data.appending(path: String(format: "%02d.wav", (number - 1) % 20 + 1))).dropFirst(44)
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString).wav")
    let rate = try Data(contentsOf: data.appending(path: "01.wav"))[24..<28]
    let samples = sound.reduce(Data()) { $0 + $1 + Data(count: 44_100) }
    var head = Data("RIFF".utf8)
    func append(_ value: UInt32) { withUnsafeBytes(of: value.littleEndian) { head.append(contentsOf: $0) } }
    append(UInt32(36 + samples.count))
    head += Data("WAVEfmt ".utf8)
    append(16)
    append(1 | 1 << 16)
    head += rate
    append(rate.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) } * 2)
    append(2 | 16 << 16)
    head += Data("data".utf8)
    append(UInt32(samples.count))
    try (head + samples).write(to: file)
    return file
  }

  @Test(
    "A person's recording is read before a program's long one, which goes on where it was, as after a dictation",
    .enabled(if: FileManager.default.fileExists(atPath: Checkout.data.appending(path: "speech/piper/20.wav").path)))
  func recordings() async throws {
    try await withPacks { home in
      // A machine that is busy elsewhere may have read the whole recording before a dictation can begin: then a longer one.
      for sentences in [12, 24, 48] where try await isInterrupted(sentences, in: home) { return }
      Issue.record("the recording was over each time before the dictation began")
    }
  }

  /// Whether the dictation began while the program's recording was read.
  private func isInterrupted(_ sentences: Int, in home: OpenHouse) async throws -> Bool {
    let (long, short) = (try recording(of: sentences), try recording(of: 1))
    defer {
      for file in [long, short] { try? FileManager.default.removeItem(at: file) }  // in the temporary folder
    }
    // By one pack throughout: a device that is short of something may hear by another one than it did before.
    func input(_ file: URL) -> Transcribe.Input {
      var input = Transcribe.Input(path: file.path)
      input.pack = "whisper-tiny.en-q8_0"
      return input
    }
    let alone = try #require(try await home.all(Transcribe.self, input(long)).first)
    #expect(alone.words.count > 60)
    let ended = Ended()
    let read = Caller.$asking.withValue(Self.key) {
      Task {
        defer { ended.names.withLock { $0.append("program") } }
        return try await home.house.listener.transcribe(input(long))
      }
    }
    while await !home.house.scheduler.jobs.contains(where: { $0.name == "listening" && $0.state == .running }) {
      let isOver = ended.names.withLock { !$0.isEmpty }
      try #require(!isOver, "the recording is not read")
      try await Task.sleep(for: .milliseconds(5))
    }
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let mine = Task {
      for await _ in begun { break }
      defer { ended.names.withLock { $0.append("person") } }
      return try await home.house.listener.transcribe(input(short))
    }
    try await home.house.listener.speaking { transcriber in
      let dictated = try await transcriber.listen(ListenRequest())
      ended.names.withLock { if !$0.isEmpty { $0.append("too late") } }
      begin.yield(())
      // Both recordings wait, the one that was cut short and the person's: whose goes first is no matter of pace.
      while await home.house.scheduler.jobs.count(where: { $0.name == "listening" && $0.state == .waiting }) < 2 {
        guard ended.names.withLock({ $0.isEmpty }) else { break }
        try await Task.sleep(for: .milliseconds(5))
      }
      dictated.cancel()
      await dictated.ended()
      ended.names.withLock { $0.append("dictation") }
    }
    #expect(try await mine.value.words.count > 3)
    let whole = try await read.value
    #expect(whole.text == alone.text && whole.timings.audioMs == alone.timings.audioMs)
    let order = ended.names.withLock(\.self)
    if order.contains("too late") { return false }
    #expect(order == ["dictation", "person", "program"])
    return true
  }
}
