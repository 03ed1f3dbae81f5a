import Core
import Foundation
import Resources
import Testing

@testable import Assistant
@testable import Models

@Suite("Which pack answers")
struct PackChoiceTests {
  private func status(_ parameters: Int64, fits: Bool) throws -> PackStatus {
    var status = try #require(TestDesk.chat)
    status.pack.parameters = parameters
    status.fit.fits = fits
    return status
  }

  @Test("The preferred of those that fit; where none does the smallest, in Fast as in Deep")
  func choice() throws {
    let (small, middle, large) = (try status(1, fits: true), try status(2, fits: true), try status(3, fits: false))
    #expect(PackChoice.best(of: [large, middle, small], .fastest) == small)
    #expect(PackChoice.best(of: [large, middle, small], .strongest) == middle)
    let packs = [large, try status(2, fits: false), try status(4, fits: false)]
    #expect(PackChoice.best(of: packs, .fastest) == packs[1])
    #expect(PackChoice.best(of: packs, .strongest) == packs[1])
    #expect(PackChoice.best(of: [], .strongest) == nil)
  }

  @Test("Evidence is measured by what the pack reads that would answer: in Deep the strongest, in Fast the fastest")
  func readingSpeed() async throws {
    let home = try OpenHouse()
    let packs = home.house.packs
    let ids = ["smollm2-135m-instruct-q4_1", "smollm2-360m-instruct-q8_0"]
    for id in ids {
      let pack = try #require(packs.catalogue.packs.first { $0.id == id })
      try Folders.make(packs.home(of: id))
      let record = PackRecord(
        pack: pack, source: "", file: "weights.gguf", sha256: String(repeating: "0", count: 64), bytes: 0,
        installed: Date())
      try JSON.encode(record).write(to: packs.recordFile(of: id))
    }
    await home.house.measured(readingSpeed: 400, of: ids[0])
    await home.house.measured(readingSpeed: 50, of: ids[1])
    #expect(await home.house.limits(.fast, for: Ask.Input(question: "")).evidenceTokens.value == 600)
    #expect(await home.house.limits(.deep, for: Ask.Input(question: "")).evidenceTokens.value == 300)
    #expect(await home.house.limits(.deep, for: Ask.Input(question: "", pack: ids[0])).evidenceTokens.value == 2400)
    // Beside other programs reading costs more at once.
    await home.house.measured(readingSpeed: 5, of: ids[1])
    #expect(await home.house.limits(.deep, for: Ask.Input(question: "")).evidenceTokens.value == 30)
  }
}
