import Core
import Foundation
import Inference
import TestSupport
import Testing
import Workers

@testable import TextEngine

/// Real weights with another's template: what a pack from anywhere may bring.
final class ForeignPack {
  private let scratch: Scratch
  var file: URL { scratch.folder.appending(path: "pack.gguf") }

  /// The template takes the place of the one that is there, whose length it has to keep.
  init(template: String) throws {
    scratch = try Scratch("pack")
    try FileManager.default.copyItem(at: TestPacks.chat.resolvingSymlinksInPath(), to: file)
    let handle = try FileHandle(forUpdating: file)
    let head = try #require(try handle.read(upToCount: 4 << 20))
    let key = try #require(head.range(of: Data("tokenizer.chat_template".utf8))).upperBound
    let length = head[(key + 4)..<(key + 12)].enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    try #require(template.utf8.count <= length)
    try handle.seek(toOffset: UInt64(key + 12))
    try handle.write(contentsOf: Data(template.utf8) + Data(repeating: 0x20, count: length - template.utf8.count))
    try handle.close()
  }
}

private struct Grammar: Sendable, CustomTestStringConvertible {
  var source: String
  var testDescription: String { String(source.prefix(40)) }
}

@Suite("What a chat worker may take", .serialized, .needsChatPack)
struct WorkerLimitTests {
  /// Lays out a conversation plainly, unless it is longer than a template's own trial of itself.
  private static func template(_ trap: String) -> String {
    "{% if messages|length > 9 %}\(trap)\(String("{% endif %}"))"
      + "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\\n' }}{% endfor %}"
  }

  private func request(messages count: Int, tokens: Int = 2) -> GenerateRequest {
    var request = GenerateRequest(
      .chat((0..<count).map { Message($0 % 2 == 0 ? .user : .assistant, untrusted: "line \($0)") }))
    request.maximumTokens = tokens
    return request
  }

  private func drain(_ model: TextModel, _ request: GenerateRequest) async throws {
    for try await _ in model.generate(request) {}
  }

  private func model(_ pack: URL, context: Int = 512, footprint: UInt64? = nil) -> TextModel {
    TextModel(pack: pack, request: LoadRequest(contextTokens: context, threads: 1), footprintBytes: footprint)
  }

  @Test(
    "A template that loops, or fills the memory, is ended with its worker and named; the next request is answered",
    arguments: [
      "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}",
      "{% for a in range(999999999) %}{% endfor %}",
    ])
  func templates(_ trap: String) async throws {
    let pack = try ForeignPack(template: Self.template(trap))
    let model = model(pack.file, footprint: 1 << 30)
    try await drain(model, request(messages: 3))
    let process = try #require(await model.process)
    #expect(await errorCode { try await drain(model, request(messages: 11)) } == "template_refused")
    while kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    try await drain(model, request(messages: 3))
    await model.unload()
  }

  @Test("A template that loops at its first trial refuses the pack and nothing else")
  func templateAtLoad() async throws {
    let loop =
      "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}"
    let pack = try ForeignPack(template: loop)
    let model = model(pack.file)
    #expect(await errorCode { for try await _ in model.load() {} } == "template_refused")
    await model.unload()
  }

  @Test("A hundred thousand messages are refused or shortened at once, not rendered a hundred thousand times")
  func messages() async throws {
    let model = model(TestPacks.chat)
    let session = try EngineSession(TestPacks.chat, context: 512)
    var long = request(messages: 99_999)
    #expect { try session.generate(long) } throws: { RemoteError($0).code == "context_overflow" }
    long.overflow = .dropOldest
    let answer = try session.generate(long)
    #expect(answer.prompt.droppedMessages > 99_000)
    // No more than is needed to have half of the room for what comes next.
    #expect((200...255).contains(answer.prompt.promptTokens), "\(answer.prompt.promptTokens)")
    await model.unload()
  }

  @Test(
    "A prompt of megabytes is refused before it is split into tokens, and forged markup in it costs no more than its length"
  )
  func megabytes() throws {
    let session = try EngineSession(TestPacks.chat, context: 512)
    for text in [String(repeating: "a", count: 12 << 20), String(repeating: "<|im_start|>", count: 1 << 20)] {
      #expect { try session.generate(.ask(text)) } throws: { RemoteError($0).code == "context_overflow" }
    }
    let forged = String(repeating: "<|im_start|>", count: 20_000)
    let count = try session.call("tokens", TokensRequest([forged])).decoded([Int].self)
    #expect(try #require(count.first?.first) > 20_000)
  }

  @Test("A conversation that nobody waits for any more is given up before it is rendered")
  func cancelled() throws {
    let session = try EngineSession(TestPacks.chat, context: 512)
    let gone = CancelFlag()
    gone.set()
    let long = request(messages: 2000)
    #expect(throws: CancellationError.self) { try session.generate(long, cancelled: gone) }
    #expect(throws: CancellationError.self) {
      try session.call("tokens", TokensRequest(["one", "two"]), cancelled: gone)
    }
  }

  @Test("A worker that would take more than its pack needs is refused the memory; the next load works")
  func memory() async throws {
    let greedy = model(TestPacks.chat, context: 1 << 20, footprint: 200 << 20)
    await #expect {
      for try await _ in greedy.load() {}
    } throws: {
      ["context_refused", "worker_died", "worker_memory"].contains(RemoteError($0).code)
    }
    let modest = model(TestPacks.chat, footprint: 200 << 20)
    try await drain(modest, request(messages: 3))
    await modest.unload()
  }

  @Test(
    "A grammar or schema without bounds is refused or ended, and the next request is answered",
    arguments: [
      #"root ::= "a"{1,100000}"#, #"root ::= root "a" | root root | "a""#,
      "root ::= " + String(repeating: "(", count: 20_000) + "\"a\"" + String(repeating: ")", count: 20_000),
      "root ::= " + (0..<2000).map { "a\($0)?" }.joined(separator: " ")
        + (0..<2000).map { "\na\($0) ::= \"x\"?" }.joined(),
      "root ::= a0" + (0..<8000).map { "\na\($0) ::= a\($0 + 1)" }.joined() + "\na8000 ::= a0 | \"x\"",
      (["root ::= a0"] + (0..<60).map { "a\($0) ::= a\($0 + 1) a\($0 + 1) |" } + ["a60 ::= \"x\"?"]).joined(
        separator: "\n"),
      "root ::= \"\(String(repeating: "a", count: 100_000))\"{2000}",
    ].map(Grammar.init))
  private func grammars(_ grammar: Grammar) async throws {
    let model = model(TestPacks.chat, footprint: 1 << 30)
    var constrained = request(messages: 1, tokens: 8)
    constrained.grammar = grammar.source
    do { try await drain(model, constrained) } catch {
      #expect(["grammar_refused", "worker_died"].contains(RemoteError(error).code), "\(error)")
    }
    try await drain(model, request(messages: 1))
    await model.unload()
  }
}
