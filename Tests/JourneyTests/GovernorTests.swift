import Foundation
import Testing

/// A script of readings: seconds and what changes then.
private func script(_ lines: [(Double, String)], in home: URL) throws -> [String] {
  let file = home.appending(path: "script.jsonl")
  let text = lines.map { "{\"t_ms\": \(Int($0.0 * 1000)), \($0.1)}\n" }.joined()
  try Data(text.utf8).write(to: file)
  return ["--simulate", file.path]
}

/// One answer's record, with what the governor had to do with it.
private struct Governed {
  var record: [String: Any]
  var provider: String { record["provider"] as? String ?? "" }
  var mode: String { record["mode"] as? String ?? "" }
  var answer: String { record["answer"] as? String ?? "" }
  var loadMs: Double? { (record["timings"] as? [String: Any])?["load_ms"] as? Double }
  var limits: [[String: Any]] { record["limits"] as? [[String: Any]] ?? [] }
  var changes: [[String: Any]] { record["changes"] as? [[String: Any]] ?? [] }
  var reasons: String { (limits + changes).compactMap { $0["reason"] as? String }.joined(separator: "; ") }
  func changed(_ what: String, to value: String) -> Bool {
    changes.contains { $0["what"] as? String == what && $0["to"] as? String == value }
  }
}

/// A conversation that is asked one question after the other.
private struct Talk {
  let running: Running
  init(_ program: Program, _ words: [String], through wrapper: [String] = []) throws {
    running = try program.start(["chat", "--json"] + words, through: wrapper)
  }
  func ask(_ question: String) async throws -> Governed {
    let before = try running.text.split(separator: "\n").count
    try running.type(question)
    let answered = try await running.waitFor { $0.hasSuffix("\n") && $0.split(separator: "\n").count > before }
    let errors = try running.errorText
    #expect(answered, "the conversation ended: \(errors)")
    let line = try running.text.split(separator: "\n").last ?? ""
    let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return Governed(record: try #require(record))
  }
}

@Suite(
  "The governor, end to end with the real small model", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct GovernedAnswerTests {
  private static let long = "Tell me a very long story about the sea, with many chapters."
  private static let short = "What is the capital of France?"

  @Test("A heat ramp makes a Deep answer pace and shrink, then fall to Fast, and lets it recover, each with its reason")
  func heat() async throws {
    let program = try Program(withPacks: true)
    // The same ramp again and again, so that some answer is under way at each of its steps on any machine.
    var lines = [(0.0, "\"thermal\": \"nominal\"")]
    for round in 0..<20 {
      let start = Double(round) * 80
      lines += [
        (start + 4, "\"thermal\": \"serious\""), (start + 8, "\"thermal\": \"nominal\""),
        (start + 22, "\"thermal\": \"serious\""), (start + 25, "\"thermal\": \"critical\""),
        (start + 26, "\"thermal\": \"nominal\""),
      ]
    }
    let talk = try Talk(program, ["--mode", "deep"] + script(lines, in: program.home))
    var (paced, shrank, fell, recovered, refused, freely) = (false, false, false, false, false, false)
    for _ in 0..<40 where !(paced && shrank && fell && recovered && refused && freely) {
      for question in [Self.long, Self.short, Self.short] {
        let one = try await talk.ask(question)
        #expect(!one.answer.isEmpty)
        for change in one.changes { #expect((change["reason"] as? String)?.isEmpty == false) }
        paced = paced || one.changed("pause_ms", to: "40")
        shrank = shrank || one.changed("generation_tokens", to: "320")
        fell = fell || one.changed("mode", to: "fast")
        recovered = recovered || one.changed("pause_ms", to: "0")
        refused = refused || (one.provider == "templates" && one.reasons.contains("too hot"))
        freely = freely || (one.mode == "deep" && !one.reasons.contains("hot") && recovered)
        // What is refused takes no time, and the device stays too hot for seconds.
        if one.provider == "templates" { try await Task.sleep(for: .milliseconds(500)) }
      }
    }
    #expect(paced && shrank && fell, "pace \(paced), shrink \(shrank), fall \(fell)")
    #expect(recovered && refused && freely, "recover \(recovered), refuse \(refused), free again \(freely)")
    #expect(try await talk.running.outcome().status == 0)
  }

  @Test("A battery that runs down shortens answers and ends Deep, and says so")
  func battery() async throws {
    let program = try Program(withPacks: true)
    let drain = try script([(0, "\"battery\": 0.08, \"on_ac\": false")], in: program.home)
    let outcome = try await program.start(["ask", Self.short, "--mode", "deep", "--json"] + drain).outcome()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let one = Governed(record: try #require(try outcome.objects.first))
    #expect(one.provider == "local" && one.mode == "fast" && one.reasons.contains("battery at 8 %"))
  }

  @Test("Out of sight a pack leaves memory once nothing runs, and comes back with the next question, its wait shown")
  func background() async throws {
    let program = try Program(withPacks: true)
    let talk = try Talk(program, try script([(0, "\"background\": true")], in: program.home))
    for _ in 0..<2 {
      let one = try await talk.ask(Self.short)
      #expect(one.provider == "local" && (one.loadMs ?? 0) > 0)
      #expect(try await eventually { Processes.workers("chat", of: talk.running.identifier).isEmpty })
    }
    #expect(try await talk.running.outcome().status == 0)
  }

  @Test("The free tier counts three answers by a pack once each, then quotes and says why; the log keeps the events")
  func allowance() async throws {
    let program = try Program(withPacks: true)
    #expect(try await program.run("settings", "set", "tier", "free").status == 0)
    let talk = try Talk(program, [])
    for run in 0..<5 {
      let one = try await talk.ask(Self.short)
      #expect(one.provider == (run < 3 ? "local" : "templates"))
      if run >= 3 { #expect(one.reasons.contains("preview runs")) }
    }
    #expect(try await talk.running.outcome().status == 0)
    #expect(try await program.run("settings", "set", "tier", "pro").status == 0)
    let codes = try await program.run("log", "show", "--json").objects.compactMap { $0["code"] as? String }
    #expect(codes.filter { $0 == "preview_model_used" }.count == 3)
    for event in ["preview_exhausted", "preview_gate_triggered", "preview_to_paid"] { #expect(codes.contains(event)) }
  }

  @Test("A provider is chosen for good or for one question, and the answer says who gave it")
  func pinned() async throws {
    let program = try Program(withPacks: true)
    #expect(try await program.run("settings", "set", "provider", "templates").status == 0)
    let pinned = Governed(record: try #require(try await program.run("ask", Self.short, "--json").objects.first))
    #expect(pinned.provider == "templates" && pinned.answer.contains("What to try"))
    let asked = try await program.run("ask", Self.short, "--provider", "local", "--json")
    #expect(Governed(record: try #require(try asked.objects.first)).provider == "local")
    let chain = try await program.run("providers", "--json").objects
    #expect(chain.compactMap { $0["provider"] as? String } == ["platform", "local", "extractive", "templates"])
    #expect(chain.first { $0["answers"] as? Bool == true }?["provider"] as? String == "templates")
    for one in chain { #expect((one["reason"] as? String)?.isEmpty == false) }
    #expect(chain.first?["remedy"] is String)
  }

  @Test(
    "Another program that takes the memory costs a pack its place and no question its answer",
    .enabled(if: MemoryGroup.isPossible, "memory control groups cannot be made here"))
  func squeeze() async throws {
    let program = try Program(withPacks: true)
    let group = try MemoryGroup(megabytes: 1536)
    let talk = try Talk(program, [], through: group.inside)
    #expect(try await talk.ask(Self.short).provider == "local")
    let greedy = try group.allocate(leaving: 120)
    #expect(try await eventually { Processes.workers("chat", of: talk.running.identifier).isEmpty })
    let squeezed = try await talk.ask(Self.short)
    #expect(squeezed.provider == "templates" && squeezed.reasons.contains("memory"), "\(squeezed.record)")
    try await group.release(greedy)
    var free = try await talk.ask(Self.short)
    for _ in 0..<600 where free.provider != "local" {
      try await Task.sleep(for: .milliseconds(100))
      free = try await talk.ask(Self.short)
    }
    #expect(free.provider == "local" && (free.loadMs ?? 0) > 0)
    #expect(try await talk.running.outcome().status == 0)
    try group.remove()
  }

  @Test(
    "A question that nothing but a pack can answer waits for memory that soon comes back, and says so",
    .enabled(if: MemoryGroup.isPossible, "memory control groups cannot be made here"))
  func patience() async throws {
    let program = try Program(withPacks: true)
    let group = try MemoryGroup(megabytes: 1536)
    let greedy = try group.allocate(leaving: 120)
    #expect(try await eventually { try group.used() > 1_300 << 20 })
    let asking = try program.start(["ask", Self.short], through: group.inside)
    let waits = try await asking.waitForErrors { $0.contains("waiting for memory") }
    let told = try asking.errorText
    #expect(waits, "\(told)")
    try await group.release(greedy)
    let outcome = try await asking.outcome()
    #expect(outcome.status == 0 && !outcome.output.isEmpty && !outcome.output.contains("cannot be answered"))
    try group.remove()
  }

  @Test(
    "When the system itself runs out of memory everything is unloaded, the program lives and answers again",
    .enabled(if: MemoryGroup.isPossible, "memory control groups cannot be made here"))
  func systemWarning() async throws {
    let program = try Program(withPacks: true)
    let group = try MemoryGroup(megabytes: 1536)
    let talk = try Talk(program, [], through: group.inside)
    #expect(try await talk.ask(Self.short).provider == "local")
    let greedy = try group.allocate(leaving: -400)
    #expect(try await eventually { Processes.workers("chat", of: talk.running.identifier).isEmpty })
    try await group.release(greedy)
    var again = try await talk.ask(Self.short)
    for _ in 0..<600 where again.provider != "local" {
      try await Task.sleep(for: .milliseconds(100))
      again = try await talk.ask(Self.short)
    }
    #expect(again.provider == "local")
    #expect(try await talk.running.outcome().status == 0)
    try group.remove()
  }
}
