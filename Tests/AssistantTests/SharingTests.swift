import Core
import Foundation
import Inference
import Resources
import Testing

@testable import Assistant

@Suite("Beside others")
struct SharingTests {
  @Test("An answer and a dictation together have no more threads than there are cores; alone each has all")
  func cores() {
    for cores in 2...16 {
      let both = CoreShare(cores: cores, listens: true, writes: true)
      #expect(both.answer + both.speech == cores && both.answer >= 1 && both.speech >= 1)
      #expect(CoreShare(cores: cores, listens: true, writes: false).speech == cores)
      #expect(CoreShare(cores: cores, listens: false, writes: true).answer == 0)
    }
    // One core cannot be shared otherwise than in time.
    #expect(CoreShare(cores: 1, listens: true, writes: true).answer == 1)
    #expect(CoreShare(cores: 8, listens: true, writes: false, crowded: true).speech == 1)
    #expect(!Crowd.isDense(nil) && !Crowd.isDense(35) && Crowd.isDense(75))
  }

  @Test("What was measured beside others is doubted, with the reason; where nobody counts it is believed")
  func doubt() {
    #expect(Crowd.doubt(before: 0, after: 3) == nil)
    #expect(Crowd.doubt(before: nil, after: nil) == nil)
    #expect(Crowd.doubt(before: 40, after: 3)?.contains("40 %") == true)
    #expect(Crowd.doubt(before: nil, after: 25)?.contains("25 %") == true)
  }

  @Test("A doubtful measurement is kept for now and survives a restart")
  func provisional() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "tuning-\(UUID().uuidString).json")
    var tuning = Tuning(file)
    try tuning.keep(for: "pack") {
      $0.best = TuneRow(threads: 2, microBatch: 512, kvType: .f16)
      $0.isProvisional = true
    }
    #expect(Tuning(file)["pack"].isProvisional == true && Tuning(file)["pack"].best?.threads == 2)
    try tuning.keep(for: "pack") { $0.isProvisional = nil }
    #expect(Tuning(file)["pack"].isProvisional == nil)
    try FileManager.default.removeItem(at: file)
  }

  @Test("Slower reading counts at once, faster reading by and by")
  func reading() {
    var entry = Tuning.Entry()
    entry.read(at: 400)
    #expect(entry.promptSpeed == 400)
    entry.read(at: 30)
    #expect(entry.promptSpeed == 30)
    entry.read(at: 400)
    #expect(entry.promptSpeed == 141)
    for _ in 0..<20 { entry.read(at: 400) }
    #expect((entry.promptSpeed ?? 0) > 390)
  }

  @Test("Memory is waited for where it alone is missing")
  func patience() {
    func tiers(_ memory: Memory, _ heat: Heat = .nominal) -> Tiers {
      Tiers(heat: Tier(heat, reason: "script"), memory: Tier(memory, reason: "script"))
    }
    #expect(Patience.isWorthIt(tiers(.critical)) && Patience.isWorthIt(tiers(.warning, .serious)))
    #expect(!Patience.isWorthIt(tiers(.normal)) && !Patience.isWorthIt(tiers(.critical, .critical)))
  }
}
