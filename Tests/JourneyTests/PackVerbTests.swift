import Foundation
import Testing

@Suite("The verbs of packs", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct PackVerbTests {
  static let pack = "smollm2-135m-instruct-q4_1"

  private func status(_ program: Program) async throws -> [String: Any] {
    let list = try await program.run("packs", "list", "--json")
    return try #require(try list.objects.first { $0["id"] as? String == Self.pack })
  }

  @Test("list prints exactly the documented fields, one pack per line")
  func list() async throws {
    let program = try Program(withPacks: true)
    // A link to a file is a change of that file, and other tests make such links all the time: it needs one of its own.
    let (folder, own) = (program.home.appending(path: "packs/\(Self.pack)"), program.home.appending(path: "own"))
    for words in [["cp", "-a", folder.path, own.path], ["rm", "-r", folder.path], ["mv", own.path, folder.path]] {
      let tool = try Running(words, environment: program.environment, input: Data())
      #expect(try await tool.outcome().status == 0)
    }
    #expect(try await program.run("packs", "verify", Self.pack).status == 0)
    let status = try await status(program)
    #expect(
      Set(status.keys) == [
        "id", "name", "kind", "family", "parameters", "quantization", "bytes", "fetch_bytes", "sha256", "hash",
        "licence", "context", "installed", "verified", "upgradable", "fit", "default", "sources",
      ])
    let installed = try #require(status["installed"] as? [String: Any])
    #expect(installed as? [String: String] == ["quantization": "Q4_1"])
    let fit = try #require(status["fit"] as? [String: Any])
    #expect(Set(fit.keys) == ["fits", "context", "footprint_bytes", "reason"])
    #expect(status["verified"] as? Bool == true)
    #expect((status["sources"] as? [String])?.isEmpty == false)
    let show = try await program.run("packs", "show", Self.pack)
    #expect(show.output.contains("Apache-2.0"))
  }

  @Test("verify finds one changed byte, even if size and time of the file are as before")
  func verify() async throws {
    let program = try Program(withPacks: true)
    #expect(try await program.run("packs", "verify", Self.pack).status == 0)
    let folder = program.home.appending(path: "packs/\(Self.pack)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".gguf") }
    let file = folder.appending(path: try #require(names.first))
    var data = try Data(contentsOf: file)
    data[data.count / 2] ^= 1
    let changed = folder.appending(path: "changed")
    try data.write(to: changed)  // a new file: the linked one belongs to every test
    for words in [["touch", "-r", file.path, changed.path], ["mv", "-f", changed.path, file.path]] {
      let tool = try Running(words, environment: program.environment, input: Data())
      #expect(try await tool.outcome().status == 0)
    }
    let outcome = try await program.run("packs", "verify", Self.pack, "--json")
    #expect(outcome.status == 4)
    #expect(outcome.errorCode == "pack_damaged")
    #expect(try await status(program)["verified"] as? Bool == false)
    let answer = try await program.run("ask", "What is the capital of France?", "--pack", Self.pack, "--json")
    #expect(answer.errorCode == "pack_damaged")
  }

  @Test("remove takes the pack away, and there is nothing to remove twice")
  func remove() async throws {
    let program = try Program(withPacks: true)
    let first = try await program.run("packs", "remove", Self.pack)
    #expect(first.status == 0, "\(first.errors)")
    #expect(try await status(program)["installed"] is NSNull)
    let again = try await program.run("packs", "remove", Self.pack)
    #expect(again.status == 3, "\(again.errors)")
  }

  @Test("fit says how much context fits, and refuses what is no context")
  func fit() async throws {
    let program = try Program(withPacks: true)
    let small = try await program.run("packs", "fit", Self.pack, "--context", "2048", "--json")
    let large = try await program.run("packs", "fit", Self.pack, "--context", "1000000", "--json")
    func number(_ outcome: Program.Outcome, _ name: String) throws -> Int {
      try #require(try outcome.objects.first?[name] as? Int)
    }
    #expect(try number(small, "context") == 2048)
    #expect(try number(large, "context") == 8192)
    #expect(try number(large, "footprint_bytes") > number(small, "footprint_bytes"))
    for wrong in ["0", "-5", "many", "99999999999999999999"] {
      #expect(try await program.run("packs", "fit", Self.pack, "--context", wrong).status == 2, "\(wrong)")
    }
  }

  @Test("smoke loads a pack and generates ten tokens")
  func smoke() async throws {
    let program = try Program(withPacks: true)
    let outcome = try await program.run("packs", "smoke", Self.pack, "--json")
    let result = try #require(try outcome.objects.first)
    #expect(Set(result.keys) == ["text", "tokens", "load_ms", "tokens_per_s", "backend"])
    #expect(result["tokens"] as? Int == 10)
    #expect(try await program.run("packs", "smoke", "all-minilm-l6-v2-f16").status == 4)
  }

  @Test(
    "A pack that does not exist or is not installed is said so, with 3",
    arguments: [
      ["show", "nothing"], ["pull", "nothing"], ["verify", "nothing"], ["remove", "nothing"], ["fit", "nothing"],
      ["smoke", "nothing"], ["verify", "whisper-small-f16"], ["import", "/nowhere/model.gguf"], ["fit", "../../etc"],
    ])
  func unknown(words: [String]) async throws {
    let program = try Program()
    let outcome = try await program.start(["packs"] + words + ["--json"]).outcome()
    #expect(outcome.status == 3, "\(outcome.errors)")
    #expect(outcome.errorCode != nil && outcome.errorCode != "unexpected")
  }
}
