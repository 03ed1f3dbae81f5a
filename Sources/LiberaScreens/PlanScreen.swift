public import LiberaKit
public import Observation

/// The store's names of what is sold.
public struct Products: Sendable, Equatable {
  public var pro: String
  public var lifetime: String

  public init(pro: String, lifetime: String) { (self.pro, self.lifetime) = (pro, lifetime) }

  /// nil where one is not named.
  public init?(_ names: [String: String]) {
    guard let pro = names["pro"], let lifetime = names["lifetime"], !pro.isEmpty, !lifetime.isEmpty, pro != lifetime
    else { return nil }
    self.init(pro: pro, lifetime: lifetime)
  }

  var ids: [String] { [pro, lifetime] }

  /// What somebody may use who owns these.
  public func allowance(owning owned: Set<String>) -> Allowance {
    if owned.contains(lifetime) { return .lifetime }
    return owned.contains(pro) ? .pro : .free
  }
}

/// What may be used, what is left of the preview, and buying more. Nothing of it is told to anybody but the store.
@MainActor @Observable
public final class PlanScreen: Fallible {
  public enum Stage: Sendable, Equatable {
    case idle, buying, restoring
    /// Somebody else must allow it, as a parent does.
    case waiting
  }

  private let libera: Libera
  private let store: (any Store)?
  private let products: Products?
  public private(set) var stage = Stage.idle
  /// nil until it was read.
  public private(set) var allowance: Allowance?
  public private(set) var preview: PreviewRuns?
  public private(set) var offers: [StoreOffer] = []

  public init(_ libera: Libera, store: (any Store)? = nil, products: Products? = nil) {
    (self.libera, self.store, self.products) = (libera, store, products)
  }

  /// Whether this build is sold at all; others give everything.
  public var isSold: Bool { store != nil && products != nil }

  /// What more can be bought.
  public var wanted: [StoreOffer] {
    guard let products, let allowance else { return [] }
    return offers.filter { offer in
      switch allowance {
      case .free: products.ids.contains(offer.id)
      case .pro: offer.id == products.lifetime
      case .lifetime: false
      }
    }
  }

  /// What is owned decides; the store's answer of an earlier day holds without a network.
  public func read() async {
    do {
      if let store, let products {
        let owned = products.allowance(owning: try await store.owned())
        if try await libera.settings.current().tier != owned { try await libera.settings.change { $0.tier = owned } }
      }
      allowance = try await libera.settings.current().tier
      preview = try await libera.previewRuns()
    } catch { failed(error) }
  }

  public func readOffers() async {
    guard let store, let products else { return }
    await read()
    do { offers = try await store.offers(products.ids) } catch { failed(error) }
  }

  public func buy(_ offer: StoreOffer) async {
    guard let store, stage == .idle || stage == .waiting else { return }
    stage = .buying
    var after = Stage.idle
    do {
      if try await store.buy(offer.id) == .waiting { after = .waiting }
    } catch { failed(error) }
    await read()
    stage = after
  }

  public func restore() async {
    guard let store, stage == .idle || stage == .waiting else { return }
    stage = .restoring
    do { try await store.restore() } catch { failed(error) }
    await read()
    stage = .idle
  }

  /// Follows what the store tells of its own accord, for as long as whoever calls it waits.
  public func follow() async {
    guard let store, isSold else { return }
    await read()
    for await _ in store.changes() {
      await read()
      if stage == .waiting { stage = .idle }
    }
  }
}
