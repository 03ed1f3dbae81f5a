import Core
import Foundation
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

  private func desk(_ home: OpenHouse, _ replies: ScriptedModel.Reply..., parameters: Int64 = 8_000_000_000) async
    -> TestDesk
  {
    TestDesk(vault: await home.house.vault, model: ScriptedModel(replies), parameters: parameters)
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
    try home.remove()
  }

  @Test("A change of a text that ends in the middle is not shown as whole")
  func halfChange() async throws {
    let home = try OpenHouse()
    let desk = await desk(home, .dies(after: "Guten Morgen, lieber"))
    let (record, seen) = try await desk.run(
      .init(question: "Translate this into German: Good morning, dear neighbour.", task: .transform))
    #expect(record.answer == "Guten Morgen, lieber" && seen == record.answer)
    #expect(record.dropped == [DropNote(what: DropNote.rest, reason: gone)])
    try home.remove()
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
    try home.remove()
  }

  @Test("An answer that ends in the middle keeps what was written and says so")
  func halfAnswer() async throws {
    let home = try await library()
    let desk = await desk(home, .dies(after: "The rent is 850 euros a month. It is"))
    let (record, _) = try await desk.run(.init(question: "How much is the rent?", task: .documents))
    #expect(record.provider == "local" && record.answer.hasPrefix("The rent is 850 euros a month."))
    #expect(record.dropped.contains(DropNote(what: DropNote.rest, reason: gone)))
    try home.remove()
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
    try home.remove()
  }

  @Test("Of a whole too, a pack that cannot be had is passed over")
  func wholeWithout() async throws {
    let home = try await library()
    let desk = TestDesk(vault: await home.house.vault)
    let (record, seen) = try await desk.run(.init(question: "Summarise lease.txt", task: .wholeDocument))
    #expect(record.provider == "extractive" && record.answer.contains("850 euros") && seen == record.answer)
    #expect(record.limits.map(\.value) == ["not local"])
    try home.remove()
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
    try home.remove()
  }

  @Test("A list is the documents' own words, whatever pack there is")
  func list() async throws {
    let home = try await library()
    let desk = await desk(home, .text("never asked"))
    let (record, _) = try await desk.run(
      .init(question: "List all deadlines in lease.txt", task: .wholeDocument))
    #expect(desk.model?.requests.isEmpty == true && record.provider != "local")
    try home.remove()
  }

  @Test("Who asks for quotations gets no model's words, also where there is nothing to quote")
  func quotationsOnly() async throws {
    let home = try OpenHouse()
    let desk = await desk(home, .text("Hello to you."))
    let (record, _) = try await desk.run(.init(question: "Hello", task: .talk, provider: .extractive))
    #expect(record.provider == "templates" && desk.model?.requests.isEmpty == true)
    try home.remove()
  }
}
