import Core
import Foundation
import Resources
import Retrieval
import Testing

@testable import Assistant

/// What a pack is shown of the evidence and what of its writing may stand, with evidence from a real vault.
@Suite("A pack beside its evidence")
struct GateTests {
  private static let lease = """
    Lease of the flat at Mill Lane 4

    The rent is 850 euros a month. It is due on the third working day of each month. The deposit is three months' rent.

    The boiler is inspected every seven years. The tenant pays for the inspection. Notice must be given three months before the
    end of a quarter.
    """

  private func evidence(_ question: String) async throws -> (OpenHouse, Evidence) {
    let home = try OpenHouse()
    let file = try home.write(Self.lease, to: "lease.txt")
    _ = try await home.all(Import.self, .init(paths: [file.path]))
    let limits = await home.house.governor.limits(.fast)
    var evidence = try await Evidence.find(question, in: .everything, limits: limits, house: home.house)
    try await evidence.weigh(with: await home.house.finder(), meaning: false, .fast)
    return (home, evidence)
  }

  @Test("The sentence that answers is shown before what stands around it, and the least budget holds it")
  func shown() async throws {
    let (home, evidence) = try await evidence("How much is the rent?")
    let texts = evidence.nearest.map { evidence.keys.candidates[$0].text }
    #expect(texts.first == "The rent is 850 euros a month.")
    #expect(Set(evidence.nearest).count == texts.count)
    let least = Evidence.fitting(texts.map(\.count), 1).map { evidence.nearest[$0] }
    #expect(evidence.shown(least).map(\.text) == ["The rent is 850 euros a month."])
    #expect(evidence.shown(least).map(\.label) == [evidence.items[0].citation.label])
    // Shown in the order of the document, whatever the order of the answer.
    let all = try #require(evidence.shown(evidence.nearest).first)
    #expect(all.text.contains("850 euros a month. It is due on the third working day"))
    try home.remove()
  }

  @Test(
    "A written sentence stands if it rests on the sentences that answer and says the kind of thing that is asked for",
    arguments: [
      ("How much is the rent?", "The rent is 850 euros a month.", true),
      ("How much is the rent?", "The rent of the flat at Mill Lane is 850 euros a month.", true),
      ("How much is the rent?", "The rent is 950 euros a month.", false),
      ("How much is the rent?", "The rent is paid in gold by the tenant's uncle.", false),
      ("What does the inspection of the boiler cost?", "The inspection of the boiler costs seven years.", false),
      ("How often is the boiler inspected?", "The boiler is inspected every seven years.", true),
    ])
  func gate(question: String, sentence: String, passes: Bool) async throws {
    let (home, evidence) = try await evidence(question)
    let checked = Tying(evidence).check(sentence)
    #expect(Gate(evidence, isStrict: true).passes(checked, isFirst: true) == passes)
    // Many parameters may say more: it stands and is marked.
    #expect(Gate(evidence, isStrict: false).passes(checked, isFirst: true))
    try home.remove()
  }
}
