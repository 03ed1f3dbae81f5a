import Foundation
import Testing

@Suite("What the program writes down", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct PrivacyTests {
  @Test("A word of a question stands in no log, trace or cache, whether the answer succeeds or fails")
  func words() async throws {
    let program = try Program(withPacks: true)
    let word = "Quexolotipril"
    let question = "What is \(word)? Tell me a very long story about the sea."
    #expect(try await program.run("ask", question).status == 0)
    let tooLong = try await program.run("ask", String(repeating: "\(word) and ", count: 3_000), "--json")
    #expect(tooLong.status != 0)
    let dying = try program.start(["ask", question, "--mode", "deep"] + program.heated())
    #expect(try await dying.waitFor { !$0.isEmpty })
    Processes.workers("chat", of: dying.identifier).forEach { kill($0, SIGKILL) }
    #expect(try await dying.outcome().status == 0)

    // Conversations are the person's own, kept where they can be read, exported and deleted: in the vault.
    let conversations = ["vault.sqlite", "vault.sqlite-wal", "vault.sqlite-shm", "chat-history"]
    var read = 0
    for path in try FileManager.default.subpathsOfDirectory(atPath: program.home.path)
    where !conversations.contains(path) && !path.hasPrefix("packs/") {
      guard let data = FileManager.default.contents(atPath: program.home.appending(path: path).path) else { continue }
      read += 1
      #expect(data.range(of: Data(word.utf8)) == nil, "\(path)")
    }
    #expect(read >= 2, "the error log and the settings at least")
    let log = try await program.run("log", "show", "--json")
    #expect(try log.objects.compactMap { $0["code"] as? String } == [tooLong.errorCode, "worker_died"])
    #expect(try await program.run("log", "clear").status == 0)
    #expect(try await program.run("log", "show", "--json").output.isEmpty)
  }

  @Test("What a person mistypes or stops is not an error worth keeping")
  func notKept() async throws {
    let program = try Program(withPacks: true)
    let ask = try program.start(
      ["ask", "Tell me a very long story about the sea.", "--mode", "deep"] + program.heated())
    #expect(try await ask.waitFor { !$0.isEmpty })
    ask.send(signal: SIGINT)
    _ = try await ask.outcome()
    #expect(try await program.run("ask").status == 2)
    #expect(try await program.run("log", "show", "--json").output.isEmpty)
  }
}
