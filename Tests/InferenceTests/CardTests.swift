import Core
import Foundation
import Inference
import Models
import Safety
import Testing
import Workers

/// The real small model on Mesa's driver that computes on the processor. A worker compiles what runs on the card anew, so each is made
/// to do much.
@Suite("On a graphics card", .serialized, .needsChatPack, .needsCard)
struct CardTests {
  private func model(_ host: WorkerHost? = Card.host(), change: (inout LoadRequest) -> Void = { _ in }) -> TextModel {
    var request = LoadRequest(contextTokens: 512, threads: 2)
    request.gpu = host != nil
    change(&request)
    return TextModel(pack: TestPacks.chat, request: request, on: host ?? .processes)
  }

  private func question(_ tokens: Int) -> GenerateRequest {
    var request = GenerateRequest.chat("You answer in one sentence.", "What is the capital of France?", tokens: tokens)
    request.speculate = false
    return request
  }

  /// What comes next must be what the processor says.
  private func beyondDoubt(_ tokens: Int) -> GenerateRequest {
    let words = String(repeating: " red, green, blue, white,", count: 5) + " red,"
    var request = GenerateRequest.raw(words, tokens: tokens)
    request.speculate = false
    return request
  }

  private struct Told {
    var text = ""
    var left: [String] = []
    var prompts = 0
    var report: GenerateReport?
    var logprobs: [TokenLogprobs] = []
  }

  private func answer(
    _ model: TextModel, _ request: GenerateRequest, onPiece: (String) async throws -> Void = { _ in }
  ) async throws -> Told {
    var told = Told()
    for try await event in model.generate(request) {
      switch event {
      case .prompt: told.prompts += 1
      case .piece(let piece):
        told.text += piece
        try await onPiece(told.text)
      case .leftCard(let reason): told.left.append(reason)
      case .logprobs(let entry): told.logprobs.append(entry)
      case .reading, .thought: break
      case .done(let report): told.report = report
      }
    }
    return told
  }

  @Test("Sealed, with all layers there, it chooses the words that the processor chooses, as near as rounding allows")
  func same() async throws {
    let (card, processor) = (model(), model(nil))
    var request = question(12)
    request.logprobs = 5
    let (here, there) = (try await answer(card, request), try await answer(processor, request))
    let (seal, info) = (try #require(await card.seal), try #require(await card.info))
    #expect(seal.isSealed && seal.profile == .gpuEngine && seal.socketDenied == true, "\(seal.summary)")
    let share = try #require(info.card)
    #expect(share.isWhole && share.layers == 31 && info.backend.hasPrefix("a graphics card (all 31 layers on "))
    #expect(await processor.info?.card == nil)
    #expect(here.left.isEmpty && !here.text.isEmpty)
    // The processor multiplies weights of four bits with values in eight, the card with values in sixteen: what is likely stays as
    // likely, as nearly as that allows (0.07 was seen), and where two texts part ways both words were nearly as likely.
    for (one, other) in zip(here.logprobs, there.logprobs) {
      let both = one.top.compactMap { entry in
        other.top.first { $0.token == entry.token }.map { abs(exp(entry.logprob) - exp($0.logprob)) }
      }
      #expect(!both.isEmpty && both.allSatisfy { $0 < 0.15 }, "\(one) \(other)")
      guard one.chosen.token == other.chosen.token else {
        #expect(other.top[0].logprob - other.top[1].logprob < 0.3, "\(other)")
        break
      }
    }
    await processor.unload()
    await card.unload()
  }

  @Test(
    "Vectors made there are those of the processor, where weights and values are in sixteen bits on both",
    .needsEmbedder)
  func vectors() async throws {
    let texts = ["The rent is 850 euros a month.", "Filters are changed once a year."]
    var request = LoadRequest(contextTokens: 512, threads: 2)
    (request.embeddings, request.gpu) = (true, true)
    let card = TextModel(pack: TestPacks.embedder, request: request, on: Card.host())
    request.gpu = false
    let processor = TextModel(pack: TestPacks.embedder, request: request)
    let (here, there) = (try await card.embed(texts), try await processor.embed(texts))
    #expect(await card.info?.card?.isWhole == true && here.dimensions == 384 && here.count == 2)
    for row in 0..<2 {
      let range = row * 384..<(row + 1) * 384
      let cosine = zip(here.values[range], there.values[range]).reduce(Float(0)) { $0 + $1.0 * $1.1 }
      #expect(cosine > 0.999, "\(cosine)")
    }
    await processor.unload()
    await card.unload()
  }

  @Test("As many layers as fit lie there and the rest stays with the processor, and it says so")
  func some() async throws {
    let model = model { $0.cardBytes = 290 << 20 }
    let told = try await answer(model, beyondDoubt(4))
    let (info, share) = (try #require(await model.info), try #require(await model.info?.card))
    #expect(share.layers > 1 && share.layers < share.of && share.bytes < 290 << 20, "\(share)")
    #expect(info.backend.contains("\(share.layers) of 31 layers on ") && info.backend.contains("as many as fit"))
    #expect(told.report?.generatedTokens == 4 && told.left.isEmpty)
    let alone = self.model(nil)
    #expect(try await answer(alone, beyondDoubt(4)).text == told.text)
    await alone.unload()
    await model.unload()
  }

  @Test("A card without room is left alone, with the reason")
  func none() async throws {
    let model = model { $0.cardBytes = 64 << 20 }
    _ = try await answer(model, question(2))
    let info = try #require(await model.info)
    #expect(info.card == nil && info.backend.hasPrefix("the processor (not one of 31 layers fits into the "))
    await model.unload()
  }

  @Test("Where the card is taken away in the middle of an answer the processor goes on with it, and says why")
  func lost() async throws {
    let lost = try Card.Lost()
    defer { try? lost.remove() }
    // Some ten submissions for a token, and as many for the prompt.
    let model = model(Card.host(lost.environment(after: 60)))
    var before = ""
    var request = beyondDoubt(12)
    request.logprobs = 1
    let told = try await answer(model, request) { text in if await model.cardFailure == nil { before = text } }
    #expect(!before.isEmpty && told.text.hasPrefix(before) && told.text.utf8.count > before.utf8.count, "\(before)")
    #expect(told.left.count == 1 && told.prompts == 1)
    #expect(told.left.first?.contains("DeviceLost") == true, "\(told.left)")
    let alone = self.model(nil)
    #expect(try await answer(alone, request).text == told.text)
    await alone.unload()
    let report = try #require(told.report)
    // Every choice is told once, those of the card as well.
    #expect(report.generatedTokens == told.logprobs.count)
    let info = try #require(await model.info)
    #expect(info.card == nil && info.backend.hasPrefix("the processor (the graphics card failed: "))
    #expect(await model.seal?.profile == .engine)
    // From now on without it.
    #expect(try await answer(model, question(2)).left.isEmpty)
    await model.unload()
  }

  /// The first submission is of the loading; that of the sixth is of the first evaluation.
  @Test(
    "Whether it fails while a pack is loaded or while something else is asked, the processor answers",
    arguments: [0, 5])
  func otherwise(submissions: Int) async throws {
    let lost = try Card.Lost()
    defer { try? lost.remove() }
    let model = model(Card.host(lost.environment(after: submissions)))
    let request = ScoreRequest(
      prefix: .raw([.trusted("The capital of France is")]), candidates: [" Paris", " seventeen"])
    let scores = try await model.score(request)
    #expect(scores.count == 2 && scores[0].logprob > scores[1].logprob)
    let info = try #require(await model.info)
    #expect(info.card == nil && info.backend.hasPrefix("the processor (") && info.backend.contains("DeviceLost"))
    // A worker that could not load it there stays; one that ended is followed by another, and the house is told.
    #expect(await (model.cardFailure != nil) == (submissions > 0))
    await model.unload()
  }
}
