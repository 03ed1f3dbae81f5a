import Foundation
import Testing

@Suite("Tuning and proposing packs", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct TuneTests {
  @Test("tune measures several ways to compute, keeps one, and later answers use it")
  func tune() async throws {
    let program = try Program(withPacks: true)
    try Data("{}".utf8).write(to: program.home.appending(path: "settings.json"))
    let outcome = try await program.run("tune", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let rows = try outcome.objects.compactMap { $0["row"] as? [String: Any] }
    #expect(rows.count >= 3)
    for row in rows {
      #expect(
        Set(row.keys) == [
          "threads", "micro_batch", "kv_type", "flash_attention", "prompt_tokens_per_s", "tokens_per_s",
        ])
      #expect((row["tokens_per_s"] as? Double ?? 0) > 0)
    }
    let chosen = try #require(try outcome.objects.compactMap { $0["chosen"] as? [String: Any] }.first)
    let kept = try Data(contentsOf: program.home.appending(path: "cache/libera/scratch/tuning.json"))
    let choices = try #require(try JSONSerialization.jsonObject(with: kept) as? [String: [String: Any]])
    #expect(choices.values.first?["threads"] as? Int == chosen["threads"] as? Int)
    #expect(try await !program.run("ask", "What is the capital of France?").output.isEmpty)
    // What was measured beside other programs is measured again in quiet.
    if choices.values.first?["isProvisional"] as? Bool != true {
      #expect(try Data(contentsOf: program.home.appending(path: "cache/libera/scratch/tuning.json")) == kept)
    }
  }

  @Test("A better pack is proposed once per data folder, on a terminal, and nothing is fetched")
  func proposal() async throws {
    let program = try Program(withPacks: true)
    // The catalogue alone proposes it: without Python and without a network too.
    let shell = "script -qec '\(try Program.binary.path) chat --home \(program.home.path)' /dev/null"
    for isFirst in [true, false] {
      let chat = try Running(["sh", "-c", shell], environment: program.environment, input: Data())
      #expect(try await chat.waitFor { $0.contains("you") })
      try chat.type("What is the capital of France?")
      #expect(try await chat.waitFor { $0.components(separatedBy: "you  ").count > 2 })
      try chat.type("/quit")
      let outcome = try await chat.outcome()
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("would fit here") == isFirst, "\(outcome.output)")
    }
    let list = try await program.run("packs", "list", "--json")
    #expect(try list.objects.filter { $0["installed"] is [String: Any] }.count >= 2)
  }
}
