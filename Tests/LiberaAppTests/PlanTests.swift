import Foundation
import LiberaDoors
import LiberaKit
import LiberaScreens
import SwiftUI
import Synchronization
import Testing

@testable import LiberaApp
@testable import StoreKit

@Suite("What may be used, and buying more", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct PlanTests {
  private static let products = Products(pro: "pro", lifetime: "lifetime")

  init() { StoreRoom.shared.state.withLock { $0 = StoreRoom.State(offers: ["pro": "5 €", "lifetime": "50 €"]) } }

  private func doors(_ products: Products? = PlanTests.products) -> Doors {
    Doors(store: AppleStore(), products: products)
  }

  @Test(
    "What is owned says what may be used",
    arguments: [
      ([String](), Allowance.free), (["pro"], .pro), (["lifetime"], .lifetime), (["pro", "lifetime"], .lifetime),
      (["something else"], .free),
    ])
  func allowance(owned: [String], allowance: Allowance) {
    #expect(Self.products.allowance(owning: Set(owned)) == allowance)
  }

  @Test(
    "Products are named both or not at all",
    arguments: [
      ([:], false), (["pro": "a"], false), (["pro": "a", "lifetime": ""], false),
      (["pro": "a", "lifetime": "a"], false),
      (["pro": "a", "lifetime": "b"], true),
    ])
  func named(names: [String: String], isSold: Bool) { #expect((Products(names) != nil) == isSold) }

  private func open(_ visit: Visit) async throws {
    try await visit.enter()
    try visit.stage.tap("tab.more")
    try visit.stage.tap("more.plan")
    try await visit.until("plan.allowance")
  }

  @Test("A build that is not sold says so and gives everything", arguments: Words.languages)
  func notSold(language: String) async throws {
    try await KitHome(withPacks: false).during { libera in
      let visit = Visit(libera, language: language)
      try await open(visit)
      visit.check("a build that is not sold")
      #expect(visit.stage.has("plan.notSold") && !visit.stage.has("plan.restore") && !visit.stage.has("plan.preview"))
      try await #expect(libera.settings.current().tier == .lifetime)
      let half = PlanScreen(libera, store: AppleStore(), products: nil)
      await half.follow()
      #expect(!half.isSold && half.wanted.isEmpty)
      try await #expect(libera.settings.current().tier == .lifetime)
      visit.stage.leave()
    }
  }

  @Test("Offers are shown with their price; a purchase unlocks, one that is left or not signed by the store does not")
  func buying() async throws {
    try await KitHome(withPacks: false).during { libera in
      let visit = Visit(libera, doors: doors())
      let stage = visit.stage
      try await open(visit)
      try await visit.until("plan.buy.lifetime")
      visit.check("without a purchase")
      #expect(
        try stage.find("plan.preview").words
          == stage.words(.previewLeft).replacing("{0}", with: "3").replacing("{1}", with: "3"))
      try #expect(stage.find("plan.buy.pro").spoken.contains("5 €"))
      for (answer, problem) in [(StoreRoom.Answer.leaves, false), (.fails, true), (.forged, true)] {
        StoreRoom.shared.state.withLock { $0.answer = answer }
        try stage.tap("plan.buy.pro")
        try await visit.until { visit.rooms?.plan.stage == .idle && stage.has("problem") == problem }
        if problem { try stage.tap("problem.dismiss") }
        #expect(visit.rooms?.plan.allowance == .free && stage.has("plan.buy.pro"))
      }
      StoreRoom.shared.state.withLock { $0.answer = .buys }
      try stage.tap("plan.buy.pro")
      try await visit.until { !stage.has("plan.buy.pro") && visit.rooms?.plan.stage == .idle }
      visit.check("with a purchase")
      #expect(!stage.has("plan.preview") && stage.has("plan.buy.lifetime"))
      try await #expect(libera.settings.current().tier == .pro)
      #expect(StoreRoom.shared.state.withLock(\.finished).count == 1)
      stage.leave()
    }
  }

  @Test("A purchase that somebody else must allow waits; what the store takes back is taken back here")
  func updates() async throws {
    try await KitHome(withPacks: false).during { libera in
      StoreRoom.shared.state.withLock { $0.answer = .waits }
      let visit = Visit(libera, doors: doors())
      let stage = visit.stage
      try await open(visit)
      try await visit.until("plan.buy.lifetime")
      try stage.tap("plan.buy.lifetime")
      try await visit.until("plan.waiting")
      visit.check("a purchase that waits")
      let bought = Transaction(id: 7, productID: "lifetime")
      StoreRoom.shared.update(.verified(bought))
      try await visit.until { !stage.has("plan.waiting") && visit.rooms?.plan.allowance == .lifetime }
      visit.check("everything")
      #expect(visit.rooms?.plan.wanted.isEmpty == true)
      #expect(StoreRoom.shared.state.withLock(\.finished) == [7])
      StoreRoom.shared.update(.verified(Transaction(id: 7, productID: "lifetime", revocationDate: Date())))
      try await visit.until { visit.rooms?.plan.allowance == .free }
      StoreRoom.shared.update(.unverified(bought, .invalidSignature))
      StoreRoom.shared.update(.verified(Transaction(id: 8, productID: "pro")))
      try await visit.until { visit.rooms?.plan.allowance == .pro }
      stage.leave()
    }
  }

  @Test("Without a network what is owned stays, and the store's silence is said; restoring asks it")
  func offline() async throws {
    try await KitHome(withPacks: false).during { libera in
      StoreRoom.shared.state.withLock { state in
        state.isOffline = true
        state.owned = [.verified(Transaction(id: 1, productID: "pro"))]
      }
      let visit = Visit(libera, doors: doors())
      let stage = visit.stage
      try await open(visit)
      try await visit.until("problem")
      visit.check("a store that is silent")
      #expect(visit.rooms?.plan.allowance == .pro)
      try stage.tap("problem.dismiss")
      StoreRoom.shared.state.withLock { $0.isOffline = false }
      try stage.tap("plan.restore")
      try await visit.until { StoreRoom.shared.state.withLock(\.synced) == 1 && visit.rooms?.plan.stage == .idle }
      #expect(!stage.has("problem"))
      stage.leave()
    }
  }

  @Test(
    "Each answer by a model counts once, quotes do not, and what is told to be left is what the library lets through",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
  func counted() async throws {
    try await KitHome().during { libera in
      try await libera.settings.change { $0.tier = .free }
      let options = AskOptions(task: .talk)
      var runs = try await libera.previewRuns()
      #expect(runs.used == 0 && runs.left == runs.all)
      _ = try await libera.answer("How long is the notice period?", AskOptions(provider: .extractive))
      try await #expect(libera.previewRuns() == runs)
      for _ in 0..<runs.all {
        try await #expect(libera.answer("What is the capital of France?", options).provider == "local")
        let now = try await libera.previewRuns()
        #expect(now.left == runs.left - 1)
        runs = now
      }
      #expect(runs.left == 0)
      try await #expect(libera.answer("What is the capital of France?", options).provider != "local")
    }
  }
}
