import Core
import Foundation
import Inference
import Testing

@testable import Assistant

/// The way of a turn, with packs whose workers die wherever they can.
@Suite("The way of an answer")
struct PipelineTests {
  private let gone = "the pack left memory"

  /// A house whose library holds the two papers, for its vault alone.
  private func library() async throws -> OpenHouse {
    let home = try OpenHouse()
    let files = [
      try home.write(EvidenceTests.lease, to: "lease.txt"), try home.write(EvidenceTests.boiler, to: "boiler.txt"),
    ]
    _ = try await home.all(Import.self, .init(paths: files.map(\.path)))
    return home
  }

  private func desk(
    _ home: OpenHouse, _ replies: ScriptedModel.Reply..., parameters: Int64 = 8_000_000_000, says: Double = 0.95
  ) async -> TestDesk {
    TestDesk(vault: home.house.vault, model: ScriptedModel(replies, says: says), parameters: parameters)
  }

  @Test(
    "A verdict ends what it denies and lifts what it affirms; what it is not sure of stays as the ranking has it",
    arguments: [
      (0.39, Finding.found, Finding.notThere), (0.39, .probably, .notThere), (0.41, .found, .found),
      (0.69, .probably, .probably), (0.71, .probably, .found), (0.99, .found, .found),
    ])
  func verdict(yes: Double, ranked: Finding, finding: Finding) {
    let scores = Verdict.replies.map { Score(logprob: Float(log(max(1e-9, $0.isYes ? yes : 1 - yes))), tokens: 1) }
    let verdict = Verdict(scores)
    #expect(abs(verdict.yes - yes) < 1e-6)
    #expect(verdict.finding(ranked) == finding)
  }

  @Test(
    "What a pack is asked of passages depends on its size: nothing, its verdict, or an answer",
    arguments: [
      (135_000_000, 0.1, ProviderKind.extractive, Finding.found, 0), (1_500_000_000, 0.95, .extractive, .found, 0),
      (1_500_000_000, 0.6, .extractive, .found, 0), (1_500_000_000, 0.3, .templates, .notThere, 0),
      (8_000_000_000, 0.95, .local, .found, 1), (8_000_000_000, 0.3, .templates, .notThere, 0),
    ] as [(Int64, Double, ProviderKind, Finding, Int)])
  func bySize(parameters: Int64, says: Double, provider: ProviderKind, finding: Finding, written: Int) async throws {
    let home = try await library()
    let desk = await desk(home, .text("The rent is 850 euros a month."), parameters: parameters, says: says)
    let (record, seen) = try await desk.run(.init(question: "How much is the rent?", task: .documents))
    #expect(record.provider == provider.rawValue && record.finding == finding, "\(record)")
    #expect(desk.model?.requests.count == written && seen == record.answer)
    #expect(record.answer.contains("850 euros") && record.abstained == (finding == .notThere))
    #expect(record.signals?["verdict"] == (parameters < 1_000_000_000 ? nil : says))
    #expect(record.sentences.isEmpty == record.abstained)
  }

  @Test(
    "A pack that is lost before its first word gives way to the next provider, in every kind of turn, with the reason",
    arguments: [
      ("How much is the rent?", TurnKind.documents, ProviderKind.extractive, "850 euros"),
      ("Turn this into a list: Buy bread. Call Anna.", .transform, .extractive, "- Buy bread.\n- Call Anna."),
      ("Translate this: Good morning.", .transform, .templates, "cannot be answered"),
      ("Hello", .talk, .templates, "cannot be answered"),
    ])
  func lostAtOnce(question: String, kind: TurnKind, provider: ProviderKind, answer: String) async throws {
    let home = try await library()
    let desk = await desk(home, .dies(after: ""))
    let (record, seen) = try await desk.run(.init(question: question, task: kind))
    #expect(record.provider == provider.rawValue && record.answer.contains(answer), "\(record.answer)")
    #expect(seen == record.answer)
    #expect(record.limits.contains(LimitNote(what: "provider", value: "not local", reason: gone)))
    #expect(desk.model?.requests.count == 1)
  }

  @Test("What a pack thinks is no part of its answer, and thoughts or nothing alone give way to the next provider")
  func thoughts() async throws {
    let home = try await library()
    let question = Ask.Input(question: "How much is the rent?", task: .documents)
    let thinking = await desk(home, .thinks("Rent, rent.", then: "The rent is 850 euros a month."))
    let (record, seen) = try await thinking.run(question)
    #expect(record.provider == "local" && seen == record.answer && !record.answer.contains("Rent, rent"))
    for (reply, reason) in [
      (ScriptedModel.Reply.thinks("Rent?", then: " \n"), "came to no answer"), (.text(""), "wrote nothing"),
    ] {
      let (record, seen) = try await desk(home, reply).run(question)
      #expect(record.provider == "extractive" && record.answer.contains("850 euros") && seen == record.answer)
      #expect(record.limits.contains { $0.what == "provider" && $0.reason.contains(reason) }, "\(record.limits)")
    }
  }

  @Test("Of two things asked for at once, the one that nothing was found for is told beside what a pack writes")
  func oneOfTwo() async throws {
    let home = try await library()
    let desk = await desk(home, .text("The rent is 850 euros a month."))
    let (record, _) = try await desk.run(
      .init(question: "How much is the rent, and who composed the opera about the flying Dutchman?", task: .documents))
    #expect(record.provider == "local" && record.answer.contains("850 euros"), "\(record)")
    let told = DropNote(
      what: "an answer to \"who composed the opera about the flying Dutchman?\"", reason: "nothing was found for it")
    #expect(record.dropped.contains(told), "\(record.dropped)")
  }

  @Test("A change of a text that ends in the middle is not shown as whole")
  func halfChange() async throws {
    let home = try OpenHouse()
    let desk = await desk(home, .dies(after: "Guten Morgen, lieber"))
    let (record, seen) = try await desk.run(
      .init(question: "Translate this into German: Good morning, dear neighbour.", task: .transform))
    #expect(record.answer == "Guten Morgen, lieber" && seen == record.answer)
    #expect(record.dropped == [DropNote(what: DropNote.rest, reason: gone)])
  }

  @Test("Where a change needs no model, half of one gives way to the text's own words")
  func halfList() async throws {
    let home = try OpenHouse()
    let desk = await desk(home, .dies(after: "- Buy bread.\n- Call"))
    let (record, seen) = try await desk.run(
      .init(question: "Turn this into a list: Buy bread. Call Anna. Pay the rent.", task: .transform))
    #expect(record.answer == "- Buy bread.\n- Call Anna.\n- Pay the rent." && seen == record.answer)
    #expect(record.provider == "extractive" && record.dropped.map(\.reason).contains { $0.hasPrefix(gone) })
    #expect(!record.dropped.contains { $0.what == DropNote.rest })
  }

  @Test("An answer that ends in the middle keeps what was written and says so")
  func halfAnswer() async throws {
    let home = try await library()
    let desk = await desk(home, .dies(after: "The rent is 850 euros a month. It is"))
    let (record, _) = try await desk.run(.init(question: "How much is the rent?", task: .documents))
    #expect(record.provider == "local" && record.answer.hasPrefix("The rent is 850 euros a month."))
    #expect(record.dropped.contains(DropNote(what: DropNote.rest, reason: gone)))
  }

  @Test("The points of a whole that a lost pack did not come to are quoted, and that is said")
  func halfWhole() async throws {
    let home = try await library()
    let desk = await desk(home, .text("The rent is 850 euros a month."), .dies(after: "It is"), .text("never asked"))
    let (record, _) = try await desk.run(.init(question: "Summarise lease.txt", task: .wholeDocument))
    #expect(record.provider == "local" && record.citations.count >= 3)
    #expect(record.answer.split(separator: "\n").count == 6, "\(record.answer)")
    #expect(record.dropped.contains { $0.reason == "\(gone); they are quoted instead" })
    #expect(desk.model?.requests.count == 2)
  }

  @Test("Of a whole too, a pack that cannot be had is passed over")
  func wholeWithout() async throws {
    let home = try await library()
    let desk = TestDesk(vault: home.house.vault)
    let (record, seen) = try await desk.run(.init(question: "Summarise lease.txt", task: .wholeDocument))
    #expect(record.provider == "extractive" && record.answer.contains("850 euros") && seen == record.answer)
    #expect(record.limits.map(\.value) == ["not local"])
  }

  @Test("A sentence is written again when its turn has come, and a pack lost there costs no finished answer")
  func repair() async throws {
    let home = try await library()
    let answer = "The rent is 850 euros a month. The landlord sings in the opera of Oslo every single night."
    for end in [ScriptedModel.Reply.text("The landlord repairs the heating within 48 hours."), .dies(after: "")] {
      let desk = await desk(home, .text(answer), end)
      let (record, _) = try await desk.run(.init(question: "How much is the rent?", mode: .deep, task: .documents))
      #expect(desk.model?.requests.count == 2 && desk.model?.allHadTurns == true)
      #expect(record.provider == "local" && record.answer.hasPrefix("The rent is 850 euros a month."))
      #expect(!record.answer.contains("opera"))
      if case .dies = end {
        #expect(record.dropped.contains(DropNote(what: "what was to be written again", reason: gone)))
      } else {
        #expect(record.answer.contains("48 hours"))
      }
    }
  }

  @Test("A list is the documents' own words, whatever pack there is")
  func list() async throws {
    let home = try await library()
    let desk = await desk(home, .text("never asked"))
    let (record, _) = try await desk.run(
      .init(question: "List all deadlines in lease.txt", task: .wholeDocument))
    #expect(desk.model?.requests.isEmpty == true && record.provider != "local")
  }

  @Test("Who asks for quotations gets no model's words, also where there is nothing to quote")
  func quotationsOnly() async throws {
    let home = try OpenHouse()
    let desk = await desk(home, .text("Hello to you."))
    let (record, _) = try await desk.run(.init(question: "Hello", task: .talk, provider: .extractive))
    #expect(record.provider == "templates" && desk.model?.requests.isEmpty == true)
  }

  @Test("What is read for the next question is kept as of the moment at which its conversation was looked up")
  func moment() async throws {
    let home = try OpenHouse()
    var desk = await desk(home, .text("Good morning."), .text("Good morning."), .text("Good morning."))
    var input = Ask.Input(question: "Hello", task: .talk)
    for (conversation, moment) in [(nil, 7), (UUID().uuidString, 7), (UUID().uuidString, nil)] as [(String?, Int?)] {
      (input.conversation, desk.moment) = (conversation, moment)
      _ = try await desk.run(input)
    }
    #expect(desk.model?.readAhead == [7, nil])
  }
}
