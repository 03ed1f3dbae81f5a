import CLlama
import Core
import Foundation
import Inference
import Testing
import TextEngine
import Workers

@Suite("Generating text", .serialized, .needsChatPack)
struct GenerationTests {
  let session: EngineSession

  init() throws { session = try EngineSession(TestPacks.chat) }

  /// The number of a text that is one token.
  private func number(of text: String) throws -> Int32 {
    var parameters = llama_model_default_params()
    parameters.vocab_only = true
    let model = try #require(llama_model_load_from_file(TestPacks.chat.path, parameters))
    defer { llama_model_free(model) }
    var tokens = [Int32](repeating: 0, count: 8)
    let count = llama_tokenize(
      llama_model_get_vocab(model), text, Int32(text.utf8.count), &tokens, Int32(tokens.count), false, false)
    try #require(count == 1)
    return tokens[0]
  }

  @Test("A prompt of tokens named by their numbers is continued as its text is; the model's marks are refused")
  func numbers() throws {
    let text = "The capital of France is"
    let written = try session.generate(.raw(text, tokens: 1)).text
    let token = try number(of: written)
    func generate(_ numbers: [Int32]) throws -> EngineSession.Answer {
      var request = GenerateRequest(.raw([.tokens(numbers)]))
      request.maximumTokens = 6
      return try session.generate(request)
    }
    let continued = try session.generate(.raw(written, tokens: 6)).text
    #expect(try generate([token]).text == continued)
    // <|im_start|>
    #expect(throws: EngineError.tokenRefused(1, reason: "it is a mark of the model's own")) {
      try generate([token, 1])
    }
    #expect(throws: EngineError.self) { try generate([999_999]) }
    let mixed = GenerateRequest(.raw([.untrusted("a"), .tokens([token])]))
    #expect(throws: EngineError.self) { try session.generate(mixed) }
  }

  @Test("A loaded model answers through its own chat template, and ends its turn itself")
  func answers() throws {
    let request = GenerateRequest.chat(
      "Be brief. Answer from the text.", "Text: Anna lives in Oslo. Where does Anna live?")
    let answer = try session.generate(request)
    #expect(answer.text.contains("Oslo"))
    #expect(answer.report.finish == .end)
    #expect(!answer.text.contains("<|im_end|>"))
  }

  @Test("Greedy answers repeat word for word")
  func deterministic() throws {
    let first = try session.generate(.raw("Once upon a time, there was a"))
    let second = try session.generate(.raw("Once upon a time, there was a"))
    #expect(first.text == second.text)
    #expect(!first.text.isEmpty)
  }

  @Test("The same seed gives the same sampled answer, another seed another")
  func seeds() throws {
    var request = GenerateRequest.raw("Once upon a time, there was a")
    request.sampling.temperature = 1.2
    request.sampling.seed = 7
    let first = try session.generate(request).text
    #expect(try session.generate(request).text == first)
    request.sampling.seed = 8
    #expect(try session.generate(request).text != first)
  }

  @Test("top-k 1 is greedy at any temperature")
  func topK() throws {
    var request = GenerateRequest.raw("The capital of France is")
    let greedy = try session.generate(request).text
    request.sampling.temperature = 2
    request.sampling.topK = 1
    #expect(try session.generate(request).text == greedy)
  }

  @Test("A repeat penalty changes an answer that goes in circles")
  func penalty() throws {
    var request = GenerateRequest.raw("no no no no no no no no no", tokens: 16)
    let circling = try session.generate(request).text
    request.sampling.repeatPenalty = 1.8
    #expect(try session.generate(request).text != circling)
  }

  @Test("An answer stops at its maximum length and says so")
  func length() throws {
    let answer = try session.generate(.raw("Once upon a time", tokens: 5))
    #expect(answer.report.finish == .length)
    #expect(answer.report.generatedTokens == 5)
  }

  @Test("A stop string ends the answer and is not part of it")
  func stop() throws {
    let free = try session.generate(.raw("Count: one, two, three, four,", tokens: 24)).text
    let words = free.split(separator: ",")
    try #require(words.count > 2)
    let stop = String(free.dropFirst(3).prefix(4))
    var request = GenerateRequest.raw("Count: one, two, three, four,", tokens: 24)
    request.stop = [stop]
    let answer = try session.generate(request)
    let expected = try #require(free.range(of: stop))
    #expect(answer.text == free[..<expected.lowerBound])
    #expect(answer.report.finish == .stop)
  }

  @Test("Every piece is whole characters")
  func pieces() throws {
    let answer = try session.generate(.raw("Emoji: 😀 😁 😂 🤣 😃 日本語 中文", tokens: 40))
    for piece in answer.pieces { #expect(String(validating: piece, as: UTF8.self) != nil) }
  }

  @Test("A second turn computes only what is new")
  func prefixReuse() throws {
    let system = Message(.system, trusted: String(repeating: "You are brief and kind. ", count: 20))
    var request = GenerateRequest(.chat([system, Message(.user, untrusted: "Say hello.")]))
    request.maximumTokens = 12
    let first = try session.generate(request)
    #expect(first.prompt.reusedTokens == 0)
    request.input = .chat([
      system, Message(.user, untrusted: "Say hello."), Message(.assistant, untrusted: first.text),
      Message(.user, untrusted: "And now goodbye."),
    ])
    let second = try session.generate(request)
    #expect(second.prompt.reusedTokens >= first.prompt.promptTokens)
    request.input = .chat([system, Message(.user, untrusted: "Something else entirely.")])
    let third = try session.generate(request)
    #expect(third.prompt.reusedTokens >= 100)
    #expect(third.prompt.reusedTokens < third.prompt.promptTokens)
    // Before it is read it is said how much will be.
    for one in [first, second, third] {
      #expect(one.reading == one.prompt.promptTokens - one.prompt.reusedTokens)
    }
  }

  @Test("What every next question begins with can be read before it is asked")
  func readingAhead() throws {
    let said = [Message(.system, trusted: "You are brief and kind."), Message(.user, untrusted: "Say hello.")]
    var request = GenerateRequest(.chat(said))
    request.maximumTokens = 12
    let answered = said + [Message(.assistant, untrusted: try session.generate(request).text)]
    let next = answered + [Message(.user, untrusted: "And now goodbye.")]
    request.input = .chat(answered)
    func readAhead() throws -> Int? { try session.call("readAhead", request).decoded(Int.self).first }
    #expect(try readAhead() ?? 0 > 0)
    #expect(try readAhead() == 0)
    request.input = .chat(next)
    let second = try session.generate(request)
    // What is left is the question and what opens the answer.
    #expect(second.prompt.promptTokens - second.prompt.reusedTokens < 12)

    request.input = .chat(answered)
    request.maximumTokens = 100_000
    #expect(try readAhead() == 0, "beside such an answer it has no room")
    request.input = .raw([.trusted("Once upon a time")])
    #expect(throws: EngineError.self) { try readAhead() }
  }

  @Test("A prompt that leaves no room for the answer is refused with the numbers")
  func overflow() throws {
    let long = String(repeating: "word ", count: 1200)
    #expect {
      try session.generate(.ask(long, tokens: 100))
    } throws: { error in
      guard case EngineError.contextOverflow(let prompt, 100, 1024) = error else { return false }
      return prompt > 1200
    }
  }

  @Test("With leave to drop, the oldest messages go and the report counts them")
  func dropping() throws {
    var messages = [Message(.system, trusted: "You are brief.")]
    for turn in 0..<8 {
      messages.append(Message(.user, untrusted: "Question \(turn): " + String(repeating: "word ", count: 100)))
      messages.append(Message(.assistant, untrusted: "Answer \(turn)."))
    }
    messages.append(Message(.user, untrusted: "Say hello."))
    var request = GenerateRequest(.chat(messages))
    request.maximumTokens = 400
    request.overflow = .dropOldest
    let answer = try session.generate(request)
    #expect(answer.prompt.droppedMessages > 0)
    #expect(answer.prompt.droppedMessages.isMultiple(of: 2))
    #expect(answer.prompt.promptTokens + 400 <= 1024)
  }

  @Test("A conversation that has outgrown its room is read anew seldom, not at every question")
  func longConversation() throws {
    var messages = [Message(.system, trusted: "You are brief.")]
    var (read, dropped): ([Int], [Int]) = ([], [])
    for turn in 0..<40 {
      messages.append(Message(.user, untrusted: "Question \(turn): " + String(repeating: "word ", count: 40)))
      var request = GenerateRequest(.chat(messages))
      request.maximumTokens = 8
      request.overflow = .dropOldest
      let answer = try session.generate(request)
      messages.append(Message(.assistant, untrusted: answer.text))
      read.append(answer.prompt.promptTokens - answer.prompt.reusedTokens)
      dropped.append(answer.prompt.droppedMessages)
    }
    // Some sixteen turns fit; of the last thirty, one in eight at most drops something.
    #expect(Set(dropped).count <= 5 && dropped[39] > 0, "\(dropped)")
    #expect(read.suffix(30).count { $0 > 150 } <= 4, "\(read)")
    #expect(dropped == dropped.sorted())
  }

  @Test("Token counts are exact: the parts of a text are no more and no fewer than what is evaluated")
  func counts() throws {
    let text = "A sentence, with 12 numbers, émigrés and 日本語."
    let counted = try #require(session.call("tokens", TokensRequest([text, ""])).decoded([Int].self).first)
    #expect(counted[1] == 0)
    let answer = try session.generate(.raw(text, tokens: 1))
    #expect(answer.prompt.promptTokens == counted[0])
  }

  @Test("Without a model every operation says so")
  func notLoaded() throws {
    let empty = EngineSession()
    #expect(throws: EngineError.notLoaded) { try empty.generate(.ask("Hello?")) }
    #expect(throws: EngineError.unknownOperation("dance")) { try empty.call("dance", TokensRequest([])) }
  }

  @Test("A text model does not embed")
  func wrongKind() throws {
    #expect(throws: EngineError.wrongKind(needed: "an embedding model")) {
      try session.call("embed", EmbedRequest(["text"]))
    }
  }
}
