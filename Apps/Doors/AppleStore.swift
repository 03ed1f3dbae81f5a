import Foundation
import LiberaKit
public import LiberaScreens
import StoreKit

/// The App Store. What is owned is believed only where the store has signed it.
public struct AppleStore: Store {
  public init() {}

  public func offers(_ ids: [String]) async throws -> [StoreOffer] {
    try await Product.products(for: ids).map { StoreOffer(id: $0.id, name: $0.displayName, price: $0.displayPrice) }
  }

  public func buy(_ id: String) async throws -> StorePurchase {
    guard let product = try await Product.products(for: [id]).first else {
      throw LiberaError(code: "store_offer_gone", message: "The store does not offer this any more.")
    }
    switch try await product.purchase() {
    case .success(let result):
      guard case .verified(let transaction) = result else {
        throw LiberaError(
          code: "store_unsigned", message: "The store's answer is not signed by it.",
          remedy: "Nothing was unlocked. Restore purchases, or try again later.")
      }
      await transaction.finish()
      return .bought
    case .userCancelled: return .left
    case .pending: return .waiting
    @unknown default: return .waiting
    }
  }

  public func owned() async -> Set<String> {
    var ids: Set<String> = []
    for await result in Transaction.currentEntitlements {
      if case .verified(let transaction) = result, transaction.revocationDate == nil {
        ids.insert(transaction.productID)
      }
    }
    return ids
  }

  public func restore() async throws { try await AppStore.sync() }

  public func changes() -> AsyncStream<Void> {
    AsyncStream { continuation in
      let listening = Task {
        for await result in Transaction.updates {
          if case .verified(let transaction) = result { await transaction.finish() }
          continuation.yield()
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in listening.cancel() }
    }
  }
}

extension Products {
  /// A build that is sold names its products in Info.plist; one that does not gives everything.
  static var ofThisBuild: Products? {
    let names = Bundle.main.object(forInfoDictionaryKey: "LiberaProducts") as? [String: String]
    return names.flatMap(Products.init)
  }
}
