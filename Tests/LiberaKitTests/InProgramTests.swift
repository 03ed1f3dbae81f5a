import Foundation
import Testing

@testable import LiberaKit

/// The journeys a second time, with every engine in this very program: no worker, no server, no other process.
@Suite(
  "Everything in one program", .serialized,
  .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
struct InProgramTests {
  @Test(
    "A document is imported, found in words and meaning, asked with evidence, and its page opened with the passage marked"
  )
  func ask() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let told = try await collected(libera.import([home.lease()]))
      guard case .finished(let imported, _, let failed, _) = told.last else { return _ = Issue.record("\(told)") }
      #expect(imported == 1 && failed == 0, "\(told)")
      #expect(try await libera.documents().map(\.isReady) == [true])

      let events = try await collected(libera.ask("How long is the notice period?"))
      guard case .done(let answer) = events.last else { return _ = Issue.record("\(events)") }
      #expect(answer.retrievalUsed && answer.answer.contains("three months"), "\(answer)")
      let evidence = try #require(answer.citations.first { $0.text.contains("three months") })
      #expect(evidence.page == 2 && evidence.document == "lease.pdf")
      #expect(events.contains { if case .piece = $0 { true } else { false } })
      // What was found is shown before anything is written.
      let shown = events.firstIndex { if case .evidence = $0 { true } else { false } }
      let written = events.firstIndex { if case .piece = $0 { true } else { false } }
      #expect(try #require(shown) < #require(written))

      let page = try await libera.page(of: evidence, scale: 1)
      #expect(page.picture?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true && page.width == 595)
      let again = try await collected(libera.import([home.base.appending(path: "lease.pdf")]))
      #expect(again.contains { if case .skipped = $0 { true } else { false } }, "\(again)")
    }
  }

  @Test("What the documents do not hold is said so, with nothing made up")
  func abstain() async throws {
    try await KitHome().during(leased: true) { libera in
      let answer = try await libera.answer(
        "Which bird lays the largest egg?", AskOptions(task: .documents, provider: .extractive))
      #expect(answer.abstained, "\(answer)")
    }
  }

  @Test("A conversation goes on, is kept, found, and gone when it is deleted")
  func conversation() async throws {
    try await KitHome().during { libera in
      let id = UUID()
      let options = AskOptions(conversation: id, task: .talk)
      _ = try await libera.answer("What is the capital of France?", options)
      let second = try await libera.answer("And of Italy?", options)
      #expect(second.timings.reusedTokens > 0, "the first turn is not read again")
      #expect(try await libera.conversations.list().map(\.id) == [id])
      let shown = try await libera.conversations.show(id)
      #expect(shown.turns.map(\.question) == ["What is the capital of France?", "And of Italy?"])
      #expect(try await Set(libera.conversations.search("Italy").map(\.conversation)) == [id])
      #expect(try await libera.conversations.markdown([id]).contains("And of Italy?"))
      try await libera.conversations.delete([id])
      #expect(try await libera.conversations.list().isEmpty)
    }
  }

  @Test("An answer that nobody waits for any more stops, is kept as far as it came, and the next question is answered")
  func cancel() async throws {
    try await KitHome().during { libera in
      let id = UUID()
      let options = AskOptions(mode: .deep, conversation: id, task: .talk)
      var pieces = 0
      for try await event in libera.ask("Tell me a very long story about the sea.", options) {
        if case .piece = event { pieces += 1 }
        if pieces == 2 { break }
      }
      #expect(pieces == 2)
      let next = try await libera.answer("What is the capital of France?", options)
      #expect(!next.answer.isEmpty && !next.stopped)
      let turns = try await libera.conversations.show(id).turns
      #expect(turns.count == 2 && turns.first?.answer?.stopped == true, "\(turns)")
    }
  }

  @Test("Unloading gives the models' memory back, and the next question loads them again")
  func unload() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let options = AskOptions(task: .talk)
      try await home.load(libera, options)
      #expect(try await libera.governor.state().loaded.map(\.id) == ["smollm2-135m-instruct-q4_1"])
      await libera.unload()
      #expect(try await libera.governor.state().loaded.isEmpty)
      #expect(try home.mappedWeights() == 0)
      #expect(try await !libera.answer("What is the capital of France?", options).answer.isEmpty)
      await libera.memoryWarning()
      #expect(try home.mappedWeights() == 0)
    }
  }

  @Test("A command in words is understood, shown, done, listed and taken back")
  func command() async throws {
    try await KitHome().during { libera in
      let words = "remind me tomorrow at nine to call John"
      let understood = try await libera.understand(words)
      #expect(understood.card.kind == .addReminder && understood.card.title == "call John")
      let shown = try await libera.perform(words, onlyShow: true)
      #expect(shown.action == nil && shown.card.start?.hasSuffix("09:00:00") == true, "\(shown)")
      var edits = CommandEdits()
      edits.title = "call Joan"
      let action = try #require(try await libera.perform(words, confirmed: true, edits: edits).action)
      #expect(action.state == .done && action.summary.contains("call Joan"))
      #expect(try await libera.actions().map(\.id) == [action.id])
      #expect(try await libera.undo(action.id).state == .undone)
    }
  }

  @Test("A spoken command is heard and done", .enabled(if: KitHome.hasRecordings, "no recordings beside the checkout"))
  func speech() async throws {
    try await KitHome().during { libera in
      let heard = try await libera.transcribe(KitHome.reminder)
      #expect(heard.text.lowercased().contains("call john") && heard.words.count >= 8, "\(heard)")

      let dictation = libera.listen(rate: try SoundFile(KitHome.reminder).rate)
      let sound = try SoundFile(KitHome.reminder).samples
      let feeding = Task {
        for start in stride(from: 0, to: sound.count, by: 8_000) {
          try await dictation.hear(Data(sound[start..<min(start + 8_000, sound.count)]))
        }
        try await dictation.finish()
      }
      let events = try await collected(dictation.events)
      try await feeding.value
      let said = events.compactMap { if case .final(let said) = $0 { said } else { nil } }
      #expect(said.map(\.text).joined(separator: " ").lowercased().contains("call john"), "\(events)")
      #expect(events.last == .done)

      let performed = try await libera.perform(heard.text, confirmed: true, recognition: heard.allRight)
      #expect(performed.action?.kind == .addReminder, "\(performed)")
    }
  }

  @Test("A broken PDF and a hostile model are refused, one error each, and the program goes on")
  func hostile() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let whole = PlainPDF(pages: [["A page."]]).data
      let broken = try home.write(whole.prefix(60) + Data(repeating: 0xEE, count: 900), to: "broken.pdf")
      let told = try await collected(libera.import([broken, home.lease()]))
      #expect(told.contains { if case .failed("broken.pdf", _) = $0 { true } else { false } }, "\(told)")
      #expect(try await libera.documents().map(\.name) == ["lease.pdf"])

      var noise = Data("GGUF".utf8) + Data([3, 0, 0, 0])
      noise += Data((0..<4_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
      let model = try home.write(noise, to: "hostile.gguf")
      await #expect { try await collected(libera.packs.install(model: model)) } throws: {
        ["pack_malformed", "pack_unsupported"].contains(($0 as? LiberaError)?.code)
      }
      // One whose header is right and whose weights are not comes as far as an engine.
      let packs = try #require(KitHome.preparedPacks).appending(path: "smollm2-135m-instruct-q4_1")
      let names = try FileManager.default.contentsOfDirectory(atPath: packs.path)
      let weights = try #require(names.filter { $0.hasSuffix(".gguf") }.min { $0.count < $1.count })
      var data = try Data(contentsOf: packs.appending(path: weights))
      for place in stride(from: data.count / 2, to: data.count, by: 7) { data[place] = 0xFF }
      let spoiled = try home.write(data, to: "noise.gguf")
      let installed = try await collected(libera.packs.install(model: spoiled))
      guard case .done(let pack) = installed.last else { return _ = Issue.record("\(installed)") }
      // Whatever it says or refuses to say, it says it as an answer or an error.
      do { _ = try await libera.answer("Hello?", AskOptions(task: .talk, pack: pack.id)) } catch is LiberaError {}
      try await libera.packs.remove(pack.id)
      #expect(try await !libera.answer("What is the capital of France?", AskOptions(task: .talk)).answer.isEmpty)
    }
  }
}

extension KitHome {
  /// Has a question answered by a model, and weights of it in memory afterwards: a machine whose memory is short at that moment takes
  /// them out again by itself.
  func load(_ libera: Libera, _ options: AskOptions) async throws {
    var mapped = 0
    for _ in 0..<5 where mapped == 0 {
      _ = try await libera.answer("What is the capital of France?", options)
      mapped = try mappedWeights()
    }
    let state = try await libera.governor.state()
    #expect(mapped > 0, "\(state)")
  }

  /// How often weights of this home are mapped into this program.
  func mappedWeights() throws -> Int {
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    return maps.split(separator: "\n").count { $0.contains(base.lastPathComponent) && $0.hasSuffix(".gguf") }
  }
}

/// The samples of a wave file of one channel and 16 bits.
struct SoundFile {
  var rate: Int
  var samples: Data

  init(_ file: URL) throws {
    let bytes = try Data(contentsOf: file)
    rate = bytes[24..<28].enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    samples = Data(bytes.dropFirst(44))
  }
}
