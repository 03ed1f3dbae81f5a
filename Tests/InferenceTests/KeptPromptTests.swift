import Core
import Foundation
import Inference
import Models
import Synchronization
import Testing

/// With the real small model in real workers, one after the other.
@Suite("What was read of a conversation while its pack is out of memory", .serialized, .needsChatPack)
struct KeptPromptTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "prompts-\(UUID().uuidString)")

  private static let told = [
    Message(.system, trusted: "You are a helpful assistant."),
    Message(
      .user, untrusted: "Our ferry leaves at seven from the northern quay, and the tickets are in the blue folder."),
    Message(.assistant, untrusted: "I see: at seven, from the northern quay."),
  ]
  private static let next = told + [Message(.user, untrusted: "Where are the tickets?")]

  private func model(_ prompts: KeptPrompts?, kvType: KVType = .f16) -> TextModel {
    var request = LoadRequest(contextTokens: 512, threads: 2)
    request.kvType = kvType
    return TextModel(pack: TestPacks.chat, request: request, prompts: prompts)
  }

  private func request(_ messages: [Message]) -> GenerateRequest {
    var request = GenerateRequest(.chat(messages))
    request.maximumTokens = 16
    return request
  }

  private func answer(_ model: TextModel) async throws -> (text: String, reused: Int) {
    var (text, reused) = ("", 0)
    for try await event in model.generate(request(Self.next)) {
      switch event {
      case .prompt(let report): reused = report.reusedTokens
      case .piece(let piece): text += piece
      default: break
      }
    }
    return (text, reused)
  }

  private func files() throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
  }

  private func prompts() -> KeptPrompts { KeptPrompts(folder) { Issue.record($0) } }

  @Test("What was read for a program is written to no disk, though it stands in a conversation")
  func programs() async throws {
    let prompts = prompts()
    let model = model(prompts)
    try await Caller.$asking.withValue(.key(id: "1", rights: [.ask])) {
      _ = try await model.readAhead(request(Self.told), keeping: prompts.now)
    }
    await model.unload(keeping: true)
    #expect(try files().isEmpty)
  }

  @Test("It is there again with the next worker, once, and the answer is the same")
  func again() async throws {
    let prompts = prompts()
    let model = model(prompts)
    let read = try await model.readAhead(request(Self.told), keeping: prompts.now)
    let before = try await answer(model)
    #expect(before.reused > read / 2)
    try await model.readAhead(request(Self.told), keeping: prompts.now)
    await model.unload(keeping: true)
    #expect(try files().count == 1)
    let after = try await answer(model)
    #expect(after.reused == before.reused)
    #expect(after.text == before.text)
    #expect(try files().isEmpty)
    await model.unload(keeping: true)
    #expect(try files().isEmpty, "an answer that nobody read on from")
  }

  @Test("What a program had read is not kept, nor what was read before something was removed")
  func notKept() async throws {
    let prompts = prompts()
    let model = model(prompts)
    try await model.readAhead(request(Self.told), keeping: nil)
    await model.unload(keeping: true)
    #expect(try files().isEmpty, "a program's")
    try await model.readAhead(request(Self.told), keeping: prompts.now)
    await model.unload()
    #expect(try files().isEmpty, "memory was wanted at once")
    try await model.readAhead(request(Self.told), keeping: prompts.now)
    _ = try await answer(model)
    await model.unload(keeping: true)
    #expect(try files().isEmpty, "something else was read since")
    try await model.readAhead(request(Self.told), keeping: prompts.now)
    try prompts.forget()
    await model.unload(keeping: true)
    #expect(try files().isEmpty, "a conversation was removed")
    let before = prompts.now
    try prompts.forget()
    try await model.readAhead(request(Self.told), keeping: before)
    await model.unload(keeping: true)
    #expect(try files().isEmpty, "a conversation was removed before it was read, and had been looked up by then")
    try await model.readAhead(request(Self.told), keeping: prompts.now)
    await model.unload(keeping: true)
    #expect(try files().count == 1)
    try prompts.forget()
    #expect(try files().isEmpty)
  }

  @Test("Nobody else can read the file, and what another form wrote is not taken up")
  func form() async throws {
    let prompts = prompts()
    let first = model(prompts)
    try await first.readAhead(request(Self.told), keeping: prompts.now)
    await first.unload(keeping: true)
    let file = folder.appending(path: try #require(files().first))
    let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(rights == 0o600)
    let other = model(prompts, kvType: .q8)
    #expect(try await answer(other).reused == 0)
    #expect(try files().isEmpty)
    await other.unload()
  }

  @Test("A file that was changed, cut off or is none is reported, and the prompt is read anew", arguments: 0..<3)
  func damaged(kind: Int) async throws {
    let reported = Mutex(0)
    let prompts = KeptPrompts(folder) { _ in reported.withLock { $0 += 1 } }
    let model = model(prompts)
    try await model.readAhead(request(Self.told), keeping: prompts.now)
    let whole = try await answer(model).text
    try await model.readAhead(request(Self.told), keeping: prompts.now)
    await model.unload(keeping: true)
    let file = folder.appending(path: try #require(files().first))
    var bytes = try Data(contentsOf: file)
    switch kind {
    case 0: bytes[bytes.count / 2] ^= 4
    case 1: bytes.removeLast(bytes.count / 3)
    default: bytes = Data("no such thing".utf8)
    }
    try bytes.write(to: file)
    let after = try await answer(model)
    #expect(after.reused == 0)
    #expect(after.text == whole)
    #expect(reported.withLock(\.self) == 1)
    #expect(try files().isEmpty)
    await model.unload()
  }
}
