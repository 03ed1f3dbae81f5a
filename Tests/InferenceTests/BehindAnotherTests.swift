import Foundation
import Inference
import TestSupport
import Testing

@Suite("What waited behind a call that goes on although nobody wants it")
struct BehindAnotherTests {
  @Test("It is asked of another worker")
  func askedAgain() async throws {
    let info = ModelInfo(
      description: "deaf", contextTokens: 128, trainedContextTokens: 128, dimensions: 0, threads: 1, backend: "none",
      loadMs: 0)
    let deaf = DeafOnce(["load": LoadEvent.loaded(info), "tokens": [7], "generate": GenerateEvent.thought("yes")])
    let scratch = try Scratch("behind")
    let file = scratch.folder.appending(path: "weights.gguf")
    try Data("none".utf8).write(to: file)
    let model = TextModel(pack: file, request: LoadRequest(contextTokens: 128), on: deaf.host)
    let dropped = Task { try await model.countTokens(["a"]) }
    for await _ in deaf.begun { break }
    dropped.cancel()
    async let counted = model.countTokens(["b"])
    var written = ""
    let request = GenerateRequest(.chat([Message(.user, untrusted: "c")]))
    for try await case .thought(let text) in model.generate(request) { written += text }
    #expect(written == "yes")
    #expect(try await counted == [7])
    await #expect(throws: CancellationError.self) { try await dropped.value }
    await model.unload()
  }
}
