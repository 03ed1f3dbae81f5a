import Core
import Testing

@testable import Assistant

@Suite("The chain of providers")
struct ProviderTests {
  static func chain(_ available: ProviderKind...) -> [Availability] {
    ProviderKind.allCases.map {
      var state = Availability(
        $0, available: available.contains($0), reason: available.contains($0) ? "ready" : "because \($0)")
      state.isAbsent = $0 == .platform && !state.available
      return state
    }
  }

  @Test("The first available provider answers")
  func order() {
    #expect(ProviderChoice.choose(Self.chain(.local, .extractive, .templates), pinned: nil).provider == .local)
    #expect(ProviderChoice.choose(Self.chain(.platform, .local), pinned: nil).provider == .platform)
    #expect(ProviderChoice.choose(Self.chain(), pinned: nil).provider == .templates)
  }

  @Test("A provider that is passed over is named with its reason")
  func fallbackIsSaid() {
    let choice = ProviderChoice.choose(Self.chain(.extractive, .templates), pinned: nil)
    #expect(choice.provider == .extractive)
    #expect(choice.notes == [LimitNote(what: "provider", value: "not local", reason: "because local")])
  }

  @Test("A system's model that is there and cannot write is named; that there is none needs no words")
  func systemModel() {
    var chain = Self.chain(.local)
    #expect(ProviderChoice.choose(chain, pinned: nil).notes.isEmpty)
    chain[0].isAbsent = false
    #expect(
      ProviderChoice.choose(chain, pinned: nil).notes
        == [LimitNote(what: "provider", value: "not platform", reason: "because platform")])
  }

  @Test("A pinned provider is used if it can, and said if it cannot")
  func pinned() {
    #expect(
      ProviderChoice.choose(Self.chain(.local, .extractive, .templates), pinned: .extractive).provider == .extractive)
    let refused = ProviderChoice.choose(Self.chain(.local, .templates), pinned: .platform)
    #expect(refused.provider == .local)
    #expect(refused.notes == [LimitNote(what: "provider", value: "not platform", reason: "because platform")])
    // Who asked for quotations gets no model's words.
    let quoting = ProviderChoice.choose(Self.chain(.local, .templates), pinned: .extractive)
    #expect(quoting.provider == .templates)
    #expect(quoting.notes == [LimitNote(what: "provider", value: "not extractive", reason: "because extractive")])
  }
}
