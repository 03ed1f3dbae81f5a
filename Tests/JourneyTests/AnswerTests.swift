import Foundation
import Testing

@Suite("Answers from the real small model", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct AnswerTests {
  @Test("A question is answered by the local pack, with its timings")
  func ask() async throws {
    let program = try Program(withPacks: true)
    let outcome = try await program.run("ask", "What is the capital of France?", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let answer = try #require(try outcome.objects.first)
    #expect((answer["answer"] as? String)?.isEmpty == false)
    #expect(answer["provider"] as? String == "local")
    #expect(answer["pack"] as? String == "smollm2-135m-instruct-q4_1")
    let timings = try #require(answer["timings"] as? [String: Any])
    for name in ["first_token_ms", "tokens_per_s", "total_ms", "prompt_tokens", "generated_tokens"] {
      #expect((timings[name] as? Double ?? 0) > 0, "\(name)")
    }
    let contract: Set = [
      "answer", "task", "completed_question", "finding", "abstained", "sentences", "citations", "provider", "pack",
      "mode",
      "retrieval_used", "passages_consulted", "timings", "limits", "dropped",
    ]
    #expect(contract.isSubset(of: answer.keys))
  }

  @Test("An answer from documents begins with the words that answer, and one that is not there has none")
  func short() async throws {
    let program = try Program(withPacks: true)
    let lease = """
      Lease of a flat

      The lease begins on 1 March 2024 and has no fixed end. The tenant may keep small animals; a dog needs the landlord's consent in \
      writing. Windows are cleaned by the tenant twice a year.
      """
    let file = program.home.appendingPathExtension("lease.txt")
    try lease.write(to: file, atomically: true, encoding: .utf8)
    #expect(try await program.run("import", file.path).status == 0)
    func ask(_ question: String) async throws -> [String: Any] {
      let outcome = try await program.run("ask", question, "--provider", "extractive", "--json")
      return try #require(try outcome.objects.first, "\(outcome.errors)")
    }
    let answer = try await ask("When does the lease begin?")
    let short = try #require(answer["short"] as? String, "\(answer)")
    #expect(short.contains("1 March 2024") && short.utf8.count < 60)
    #expect((answer["answer"] as? String)?.hasPrefix(short + "\n\n") == true)
    let near = try await ask("Who repairs the heating of the flat?")
    #expect(near["short"] is NSNull && near["finding"] as? String == "not_there")
  }

  @Test("In a pipe the answer stands alone on standard output")
  func plain() async throws {
    let program = try Program(withPacks: true)
    let outcome = try await program.run("ask", "What is the capital of France?")
    #expect(!outcome.output.isEmpty)
    #expect(!outcome.output.contains("\u{1B}"))
    #expect(outcome.errors.isEmpty)
  }

  @Test("Each turn of a conversation reuses what the turns before it have evaluated")
  func reuse() async throws {
    let program = try Program(withPacks: true)
    let questions = "What is the capital of France?\nAnd of Italy?\nWhich of the two is larger?\n"
    let outcome = try await program.run("chat", "--json", input: questions)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let reused = try outcome.objects.map { ($0["timings"] as? [String: Any])?["reused_tokens"] as? Int ?? -1 }
    #expect(reused.count == 3)
    #expect(reused.first == 0)
    #expect(zip(reused, reused.dropFirst()).allSatisfy { $0 < $1 }, "\(reused)")
  }

  @Test("While a person reads an answer, what every next question begins with is read")
  func readingAhead() async throws {
    let program = try Program(withPacks: true)
    let chat = try program.start(["chat", "--json"])
    func answers() throws -> [Substring] { try chat.text.split(separator: "\n") }
    var news: [Int] = []
    // However busy the machine is: each time there is longer to read ahead.
    for turn in 1...6 where news.dropFirst().min() ?? .max >= 11 {
      try chat.type(turn == 1 ? "What is the capital of France?" : "Why?")
      #expect(try await chat.waitFor { $0.split(separator: "\n").count >= turn })
      let line = try Data(#require(answers().last).utf8)
      let answer = try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
      let timings = try #require(answer["timings"] as? [String: Any])
      news.append((timings["prompt_tokens"] as? Int ?? 0) - (timings["reused_tokens"] as? Int ?? 0))
      try await Task.sleep(for: .seconds(1 << (turn - 1)))
    }
    // Two of the question and six around it; six more where nothing was read ahead.
    #expect(news.dropFirst().min() ?? .max < 11, "\(news)")
    #expect(try await chat.outcome().status == 0)
  }

  @Test("What was read of a conversation serves the next run, and is gone once it is deleted")
  func readingKept() async throws {
    let program = try Program(withPacks: true)
    let kept = program.home.appending(path: "prompts/smollm2-135m-instruct-q4_1.prompt")
    var id = ""
    // However busy the machine is: each time there is longer to read ahead.
    for turn in 0..<6 where !FileManager.default.fileExists(atPath: kept.path) {
      let chat = try program.start(["chat", "--json"] + (id.isEmpty ? [] : ["--conversation", id]))
      try chat.type("What is the capital of France?")
      #expect(try await chat.waitFor { $0.contains("\n") })
      try await Task.sleep(for: .seconds(1 << turn))
      #expect(try await chat.outcome().status == 0)
      id = try #require(try await program.run("conversations", "--json").objects.first?["id"] as? String)
    }
    let next = try await program.run("chat", "--json", "--conversation", id, input: "And of Italy?\n")
    let timings = try #require(next.objects.first?["timings"] as? [String: Any], "\(next.errors)")
    let (read, reused) = (timings["prompt_tokens"] as? Int ?? 0, timings["reused_tokens"] as? Int ?? 0)
    #expect(reused > read / 2, "\(timings)")
    #expect(try await program.run("conversations", "delete", id).status == 0)
    #expect(!FileManager.default.fileExists(atPath: kept.path))
  }

  // An answer may end by itself before the signal reaches it; then nothing was tried and it is asked again.
  private static let tries = 5

  @Test("Ctrl-C in a conversation stops the answer and not the program")
  func interruptChat() async throws {
    let program = try Program(withPacks: true)
    let chat = try program.start(["chat", "--mode", "deep"] + program.heated())
    var stopped = false
    for _ in 0..<Self.tries where !stopped {
      let before = try chat.text
      try chat.type("Tell me a very long story about the sea.")
      #expect(try await chat.waitFor { $0.count > before.count })
      chat.send(signal: SIGINT)
      let asked = try chat.text
      try chat.type("What is the capital of France?")
      #expect(try await chat.waitFor { $0.count > asked.count })
      stopped = try chat.errorText.contains("stopped")
    }
    #expect(stopped)
    #expect(try await chat.outcome().status == 0)
  }

  @Test("Ctrl-C during a single question ends it with 130")
  func interruptAsk() async throws {
    let program = try Program(withPacks: true)
    var status: Int32 = 0
    for _ in 0..<Self.tries where status == 0 {
      let ask = try program.start(
        ["ask", "Tell me a very long story about the sea.", "--mode", "deep"] + program.heated())
      #expect(try await ask.waitFor { !$0.isEmpty })
      ask.send(signal: SIGINT)
      status = try await ask.outcome().status
    }
    #expect(status == 130)
  }

  @Test("Without a pack the last provider says what is missing and how to mend it")
  func noPack() async throws {
    let program = try Program()
    let outcome = try await program.run("ask", "What is the capital of France?", "--json")
    #expect(outcome.status == 0)
    let answer = try #require(try outcome.objects.first)
    #expect(answer["provider"] as? String == "templates")
    #expect((answer["answer"] as? String)?.contains("No chat pack is installed") == true)
  }

  @Test(
    "Answers need no network interface at all",
    .enabled(if: Namespaces.areAllowed, "this machine does not let a person make namespaces"))
  func withoutNetwork() async throws {
    let program = try Program(withPacks: true)
    let outcome = try await program.run(
      "ask", "What is the capital of France?", through: Namespaces.withoutInterface)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.output.isEmpty)
    let chat = try await program.run(
      "chat", input: "What is the capital of France?\n", through: Namespaces.withoutInterface)
    #expect(!chat.output.isEmpty)
  }
}
