import Core
import Foundation
import Inference
import Testing
import Workers

@testable import TextEngine

/// How an answer goes on that another worker began: with its tokens, after the text that was told of them.
@Suite("An answer that another worker began", .serialized, .needsChatPack)
struct BegunTests {
  /// What comes next is beyond doubt: what a batch rounds otherwise than a lone token changes no choice.
  private static let words = GenerateRequest.raw(
    String(repeating: " red, green, blue, white,", count: 5) + " red,", tokens: 12)

  private func whole(_ session: EngineSession, _ change: (inout GenerateRequest) -> Void = { _ in }) throws -> (
    request: GenerateRequest, answer: EngineSession.Answer
  ) {
    var request = Self.words
    change(&request)
    return (request, try session.generate(request))
  }

  /// The tokens of a text, and after each how long the text is.
  private func tokens(of text: String) throws -> [(token: Int32, bytes: Int)] {
    let file = try FileHandle(forReadingFrom: TestPacks.chat)
    let model = try LlamaModel(
      PackFile(descriptor: file.fileDescriptor), card: nil, backend: .init(), cancelled: .init(), progress: { _ in })
    var bytes = 0
    return model.vocabulary.untrusted(text, continuing: true).map { token in
      bytes += model.vocabulary.bytes(of: token).count
      return (token, bytes)
    }
  }

  @Test("Wherever it was left it comes to the same text, and every part of that is told once")
  func same() throws {
    let session = try EngineSession(TestPacks.chat)
    let (request, all) = try whole(session)
    let tokens = try tokens(of: all.text)
    try #require(tokens.count == all.report.generatedTokens, "the text is not spelled as it was written")
    let other = try EngineSession(TestPacks.chat)
    for count in [1, 2, 7, tokens.count - 1] {
      for missing in [0, 1] {
        var later = request
        var begun = GenerateRequest.Begun()
        begun.tokens = tokens.prefix(count).map(\.token)
        begun.answerBytes = max(0, tokens[count - 1].bytes - missing)
        later.begun = begun
        let rest = try other.generate(later)
        let told = String(decoding: all.text.utf8.prefix(begun.answerBytes), as: UTF8.self)
        #expect(told + rest.text == all.text, "\(count)")
        #expect(rest.report.generatedTokens == all.report.generatedTokens)
        #expect(rest.report.finish == all.report.finish && rest.prompt.promptTokens == all.prompt.promptTokens)
      }
    }
  }

  @Test("A text that ends it ends it although its beginning was told elsewhere")
  func stops() throws {
    let session = try EngineSession(TestPacks.chat)
    let all = try whole(session).answer
    let tokens = try tokens(of: all.text)
    let stop = String(decoding: Array(all.text.utf8)[tokens[4].bytes - 1..<tokens[6].bytes], as: UTF8.self)
    let (request, stopped) = try whole(session) { $0.stop = [stop] }
    #expect(stopped.report.finish == .stop)
    for count in 1...7 {
      var later = request
      later.begun = GenerateRequest.Begun()
      later.begun?.tokens = tokens.prefix(count).map(\.token)
      let rest = try session.generate(later)
      #expect(rest.text == stopped.text && rest.report.finish == .stop && rest.report.stop == stop, "\(count)")
    }
  }

  @Test("A grammar goes on where it was, and what it does not allow is refused")
  func grammars() throws {
    let session = try EngineSession(TestPacks.chat)
    let (request, all) = try whole(session) { $0.grammar = #"root ::= " green, blue" | " white""# }
    let tokens = try tokens(of: all.text)
    var later = request
    later.begun = GenerateRequest.Begun()
    later.begun?.tokens = [tokens[0].token]
    #expect(try session.generate(later).text == all.text)
    later.begun?.tokens = try self.tokens(of: " seven").map(\.token)
    #expect(throws: EngineError.self) { try session.generate(later) }
    later.begun?.tokens = [.max]
    #expect(throws: EngineError.self) { try session.generate(later) }
  }
}
