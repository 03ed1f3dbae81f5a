import Core
import Foundation
import Inference
import Testing

/// With the real small model in a real worker.
@Suite("For whom a prompt was read", .serialized, .needsChatPack)
struct HeldForTests {
  private static let told = [
    Message(.system, trusted: "You are a helpful assistant."),
    Message(.user, untrusted: "Our ferry leaves at seven from the northern quay. Where are the tickets?"),
  ]
  private let model = TextModel(pack: TestPacks.chat, request: LoadRequest(contextTokens: 512, threads: 2))

  private var request: GenerateRequest {
    var request = GenerateRequest(.chat(Self.told))
    request.maximumTokens = 4
    return request
  }

  /// How much of the same prompt need not be read for this caller.
  private func reused(by caller: Caller) async throws -> Int {
    try await Caller.$asking.withValue(caller) {
      var reused: Int?
      for try await case .prompt(let report) in model.generate(request) { reused = report.reusedTokens }
      return try #require(reused)
    }
  }

  @Test("How much of its prompt need not be read tells no program what the person or another program has said")
  func apart() async throws {
    let (one, other) = (Caller.key(id: "1", rights: [.ask]), Caller.key(id: "2", rights: [.ask]))
    let said = Array(Self.told.dropLast()) + [Message(.user, untrusted: "Our ferry leaves at seven.")]
    #expect(try await reused(by: .terminal) == 0)
    #expect(try await reused(by: .page(session: "s")) > 0)
    #expect(try await reused(by: one) == 0)
    #expect(try await reused(by: one) > 0)
    #expect(try await reused(by: other) == 0)
    // What a program has said is no secret from the person.
    #expect(try await reused(by: .terminal) > 0)
    #expect(try await reused(by: other) == 0)
    // Neither what was read ahead, nor what was weighed.
    try await model.readAhead(request, keeping: nil)
    #expect(try await reused(by: other) == 0)
    _ = try await model.score(ScoreRequest(prefix: .chat(said), candidates: ["Yes", "No"]))
    #expect(try await reused(by: other) == 0)
    // A program's own goes on.
    try await Caller.$asking.withValue(other) { _ = try await model.readAhead(request, keeping: nil) }
    #expect(try await reused(by: other) > 0)
    await model.unload()
  }
}
