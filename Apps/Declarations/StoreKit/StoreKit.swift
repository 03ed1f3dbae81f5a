public import Foundation
package import Synchronization

/// What stands here for the App Store: what it offers, what the person answers, and what they own.
package final class StoreRoom: Sendable {
  package enum Answer: Sendable { case buys, leaves, waits, fails, forged }
  package struct State: Sendable {
    package var offers: [String: String] = [:]
    package var answer = Answer.buys
    package var owned: [VerificationResult<Transaction>] = []
    package var finished: Set<UInt64> = []
    package var synced = 0
    package var isOffline = false
    var listeners: [UUID: AsyncStream<VerificationResult<Transaction>>.Continuation] = [:]
  }
  package static let shared = StoreRoom()
  package let state = Mutex(State())

  /// A purchase that another device made, or that somebody has allowed or taken back meanwhile.
  package func update(_ transaction: VerificationResult<Transaction>, owned: Bool = true) {
    let listeners = state.withLock { state in
      state.owned.removeAll { $0.unsafePayloadValue.productID == transaction.unsafePayloadValue.productID }
      if owned { state.owned.append(transaction) }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(transaction) }
  }
}

/// https://developer.apple.com/documentation/storekit/verificationresult
public enum VerificationResult<SignedType: Sendable>: Sendable {
  /// https://developer.apple.com/documentation/storekit/verificationresult/verificationerror
  public enum VerificationError: Error, Sendable { case invalidSignature }
  case unverified(SignedType, VerificationError)
  case verified(SignedType)

  public var unsafePayloadValue: SignedType {
    switch self {
    case .unverified(let value, _), .verified(let value): value
    }
  }
}

/// https://developer.apple.com/documentation/storekit/storekiterror
public enum StoreKitError: Error, Sendable { case unknown, userCancelled, notAvailableInStorefront }

/// https://developer.apple.com/documentation/storekit/transaction
public struct Transaction: Sendable, Identifiable, Equatable {
  public let id: UInt64
  public let productID: String
  public var revocationDate: Date?

  package init(id: UInt64, productID: String, revocationDate: Date? = nil) {
    (self.id, self.productID, self.revocationDate) = (id, productID, revocationDate)
  }

  /// https://developer.apple.com/documentation/storekit/transaction/transactions
  public struct Transactions: AsyncSequence, Sendable {
    public typealias Element = VerificationResult<Transaction>
    let stream: AsyncStream<Element>
    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }
  }

  /// Ends when all were told. https://developer.apple.com/documentation/storekit/transaction/currententitlements
  public static var currentEntitlements: Transactions {
    let owned = StoreRoom.shared.state.withLock(\.owned)
    return Transactions(
      stream: AsyncStream { continuation in
        for transaction in owned { continuation.yield(transaction) }
        continuation.finish()
      })
  }

  /// Never ends. https://developer.apple.com/documentation/storekit/transaction/updates
  public static var updates: Transactions {
    let (stream, continuation) = AsyncStream.makeStream(of: VerificationResult<Transaction>.self)
    let name = UUID()
    StoreRoom.shared.state.withLock { $0.listeners[name] = continuation }
    continuation.onTermination = { _ in _ = StoreRoom.shared.state.withLock { $0.listeners.removeValue(forKey: name) } }
    return Transactions(stream: stream)
  }

  public func finish() async { _ = StoreRoom.shared.state.withLock { $0.finished.insert(id) } }
}

/// https://developer.apple.com/documentation/storekit/product
public struct Product: Sendable, Identifiable {
  /// https://developer.apple.com/documentation/storekit/product/purchaseoption
  public struct PurchaseOption: Hashable, Sendable {}
  /// https://developer.apple.com/documentation/storekit/product/purchaseresult
  public enum PurchaseResult: Sendable {
    case success(VerificationResult<Transaction>)
    case userCancelled, pending
  }
  public let id: String
  public let displayName: String
  public let displayPrice: String

  public static func products(for identifiers: some Collection<String>) async throws -> [Product] {
    try StoreRoom.shared.state.withLock { state in
      guard !state.isOffline else { throw StoreKitError.unknown }
      return identifiers.compactMap { id in
        state.offers[id].map { Product(id: id, displayName: "The \(id)", displayPrice: $0) }
      }
    }
  }

  @MainActor public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
    let transaction = Transaction(id: UInt64.random(in: 1...UInt64.max), productID: id)
    switch StoreRoom.shared.state.withLock(\.answer) {
    case .buys:
      StoreRoom.shared.state.withLock { $0.owned.append(.verified(transaction)) }
      return .success(.verified(transaction))
    case .forged: return .success(.unverified(transaction, .invalidSignature))
    case .leaves: return .userCancelled
    case .waits: return .pending
    case .fails: throw StoreKitError.unknown
    }
  }
}

/// https://developer.apple.com/documentation/storekit/appstore
public enum AppStore {
  /// https://developer.apple.com/documentation/storekit/appstore/sync()
  public static func sync() async throws {
    try StoreRoom.shared.state.withLock { state in
      guard !state.isOffline else { throw StoreKitError.unknown }
      state.synced += 1
    }
  }
}
