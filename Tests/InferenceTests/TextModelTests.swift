import Core
import Foundation
import Inference
import Safety
import Testing

/// The real small model in a real sealed worker.
@Suite("A text model in its worker", .serialized)
struct TextModelTests {
  private func chat() -> TextModel {
    TextModel(pack: TestPacks.chat, request: LoadRequest(contextTokens: 512, threads: 2))
  }

  private func request(_ text: String, tokens: Int = 12) -> GenerateRequest {
    var request = GenerateRequest(.chat([Message(.user, untrusted: text)]))
    request.maximumTokens = tokens
    return request
  }

  /// An answer that neither the model nor a busy reader can bring to its end: under its grammar it has 400 tokens and more to write.
  private func endless() -> GenerateRequest {
    var request = request("Count as far as you can.", tokens: 400)
    request.grammar = "root ::= [0-9] root"
    request.pauseMs = 200
    request.speculate = false  // every token has its pause
    return request
  }

  private func answer(_ model: TextModel, _ request: GenerateRequest) async throws -> (
    String, PromptReport, GenerateReport
  ) {
    var text = ""
    var prompt: PromptReport?
    var done: GenerateReport?
    for try await event in model.generate(request) {
      switch event {
      case .prompt(let report): prompt = report
      case .piece(let piece): text += piece
      case .reading, .logprobs, .thought, .leftCard: break
      case .done(let report): done = report
      }
    }
    return (text, try #require(prompt), try #require(done))
  }

  @Test("It loads with progress, sealed, answers, counts, scores, and gives its memory back", .needsChatPack)
  func works() async throws {
    let model = chat()
    var progress: [Double] = []
    var info: ModelInfo?
    for try await event in model.load() {
      switch event {
      case .progress(let part): progress.append(part)
      case .loaded(let loaded): info = loaded
      }
    }
    #expect(info?.contextTokens == 512)
    #expect(!progress.isEmpty && progress == progress.sorted())
    let seal = try #require(await model.seal)
    #expect(seal.isSealed, "\(seal.summary)")
    #expect(try #require(await model.footprint) > 50_000_000)
    let (text, prompt, done) = try await answer(model, request("Say hello."))
    #expect(!text.isEmpty && done.generatedTokens > 0 && prompt.promptTokens > 0)
    #expect(try await model.countTokens(["", "hello world"]).last == 2)
    let scores = try await model.score(
      ScoreRequest(prefix: .raw([.trusted("The capital of France is")]), candidates: [" Paris", " seventeen"]))
    #expect(scores[0].logprob > scores[1].logprob)
    let process = try #require(await model.process)
    await model.unload()
    #expect(kill(process, 0) != 0)
    #expect(await model.footprint == nil)
  }

  @Test(
    "A worker killed in mid-answer is an error of that answer, and the next one comes from a new worker", .needsChatPack
  )
  func restarts() async throws {
    let model = chat()
    var events = model.generate(endless()).makeAsyncIterator()
    while let event = try await events.next() { if case .piece = event { break } }
    let old = try #require(await model.process)
    kill(old, SIGKILL)
    await #expect {
      while try await events.next() != nil {}
    } throws: {
      RemoteError($0).code == "worker_died"
    }
    let (text, _, _) = try await answer(model, request("Say hello."))
    #expect(!text.isEmpty)
    #expect(await model.process != old)
    await model.unload()
  }

  @Test("Dropping an answer stops it, and an adjustment reaches the one that runs", .needsChatPack)
  func cancels() async throws {
    let model = chat()
    let reader = Task {
      for try await event in model.generate(endless()) { if case .piece = event { return } }
    }
    try await reader.value
    var report: GenerateReport?
    var pieces = 0
    for try await event in model.generate(endless()) {
      if case .piece = event {
        pieces += 1
        if pieces == 2 { try await model.adjust(GenerateAdjustment(pauseMs: 0, maximumTokens: 6)) }
      }
      if case .done(let done) = event { report = done }
    }
    #expect(report?.finish == .length)
    #expect(try #require(report).generatedTokens < 100)
    await model.unload()
  }

  @Test("Texts become normalised vectors in their order", .needsEmbedder)
  func embeds() async throws {
    var load = LoadRequest(contextTokens: 272, threads: 2)
    load.embeddings = true
    let model = TextModel(pack: TestPacks.embedder, request: load)
    let texts = (0..<40).map { "text \($0 % 5)" }
    let vectors = try await model.embed(texts)
    #expect(vectors.count == 40 && vectors.dimensions == 384)
    for index in [0, 7, 39] {
      let length = vectors[index].reduce(0) { $0 + $1 * $1 }
      #expect(abs(length - 1) < 1e-3)
      let twin = zip(vectors[index], vectors[index % 5]).reduce(Float(0)) { $0 + $1.0 * $1.1 }
      #expect(twin > 0.999)
    }
    await model.unload()
  }

  @Test("A pack that is not there, or is not one, is an error that says so")
  func refuses() async throws {
    let missing = TextModel(pack: URL(filePath: "/nonexistent.gguf"), request: LoadRequest(contextTokens: 128))
    await #expect {
      try await missing.countTokens(["a"])
    } throws: {
      RemoteError($0).code == "pack_unreadable"
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString).gguf")
    try Data(repeating: 7, count: 5000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let broken = TextModel(pack: file, request: LoadRequest(contextTokens: 128))
    await #expect {
      for try await _ in broken.load() {}
    } throws: {
      RemoteError($0).code == "pack_refused"
    }
    #expect(await broken.process == nil)
  }
}
