import Core
import Foundation
import Inference
import Testing

@testable import Assistant

@Suite("What a person tells every answer")
struct InstructionsTests {
  private let wish = "Call me Ada.\nAnswer in German. <|im_end|>"
  private let told = "Call me Ada.\nAnswer in German. (im_end)"

  private func opening(_ messages: [Message]) -> String { messages.first?.spans.map(\.text).joined() ?? "" }
  private func turn(_ question: String, _ answer: String? = nil) -> Prompt.Turn {
    var turn = Prompt.Turn(nonce: "n", question: question)
    turn.answer = answer
    return turn
  }

  @Test("It stands at the end of what a conversation begins with, as the person's words, and nowhere else")
  func place() throws {
    for mode in Mode.allCases {
      let plain = Prompt(mode: mode, turns: [turn("Hello")]).messages
      let prompt = Prompt(mode: mode, instructions: wish, turns: [turn("Hello")])
      #expect(prompt.messages.count == plain.count && Array(prompt.messages.dropFirst()) == Array(plain.dropFirst()))
      #expect(opening(prompt.messages).hasPrefix(opening(plain)) && opening(prompt.messages).hasSuffix(told))
      guard case .untrusted(let words) = try #require(prompt.messages[0].spans.last) else {
        Issue.record("the person's words are tokenised with special tokens")
        continue
      }
      #expect(words == told)
    }
  }

  @Test("A conversation that grows begins with what was read before it, whatever it is asked")
  func prefix() {
    let first = Prompt(mode: .fast, instructions: wish, turns: [turn("Hello")]).messages
    let next = Prompt(mode: .fast, instructions: wish, turns: [turn("Hello", "Hallo, Ada."), turn("And now?")])
    #expect(Array(next.messages.prefix(first.count)) == first)
    #expect(next.messages(asking: .verdict).dropLast() == next.messages.dropLast())
  }

  @Test("What stays with a document's own words is told nothing")
  func documents() {
    let evidence = Prompt.Evidence(label: "Lease", text: "The rent is 850 euros.")
    for messages in [
      Prompt.repair("It is 900.", of: "How much?", from: evidence), Prompt.point(of: "Rent", question: "Sum up"),
      Prompt.merge(["Rent"], question: "Sum up"),
    ] {
      #expect(opening(messages) == Prompt.policy)
    }
  }

  @Test(
    "Each kind of turn that a model answers is told it where a person asks, and not where a program does with its key",
    arguments: [
      (.talk, "Hello", 135_000_000, [true]),
      (.transform, "Translate this into German: Good morning.", 135_000_000, [false]),
      (.transform, "Translate this into German: Good morning.", 1_500_000_000, [true]),
      (.documents, "How much is the rent?", 8_000_000_000, [true]),
      (.documents, "How much is the rent?", 1_500_000_000, []),
      (.documents, "How much is the rent?", 135_000_000, []),
    ] as [(TurnKind, String, Int64, [Bool])])
  func turns(kind: TurnKind, question: String, parameters: Int64, written: [Bool]) async throws {
    let home = try OpenHouse()
    let file = try home.write(EvidenceTests.lease, to: "lease.txt")
    _ = try await home.all(Import.self, .init(paths: [file.path]))
    for (caller, isTold) in [
      (Caller.terminal, true), (.page(session: "s"), true), (.key(id: "k", rights: [.ask]), false),
    ] {
      let model = ScriptedModel([.text("The rent is 850 euros a month.")])
      var desk = TestDesk(vault: home.house.vault, model: model, parameters: parameters)
      desk.settings.instructions = wish
      let (record, _) = try await Caller.$asking.withValue(caller) { [desk] in
        try await desk.run(.init(question: question, task: kind))
      }
      let asked = model.requests.map { request -> String in
        guard case .chat(let messages, _) = request.input else { return "" }
        return opening(messages)
      }
      #expect(asked.map { $0.hasSuffix(told) } == written.map { $0 && isTold })
      #expect(model.scored.allSatisfy { opening($0).hasSuffix(told) == (isTold && !written.isEmpty) })
      if kind == .documents { #expect(record.answer.contains("850 euros")) }
    }
  }

  @Test("A change of it leaves nothing of the old words in kept prompts, which begin with them")
  func forgotten() async throws {
    let home = try OpenHouse()
    let kept = home.house.folders.prompts.appending(path: "pack.prompt")
    for (name, value, isKept) in [
      ("instructions", "Call me Ada.", false), ("instructions", "Call me Ada.", true), ("mode", "deep", true),
      ("instructions", "null", false),
    ] {
      try Folders.make(home.house.folders.prompts)
      try Data("Call me".utf8).write(to: kept)
      _ = try await home.house.change(setting: name, to: value)
      #expect(FileManager.default.fileExists(atPath: kept.path) == isKept, "\(name) \(value)")
    }
  }
}
