public import LiberaKit
public import Observation

/// What is kept, and destroying it: asked first with what goes and what stays.
@MainActor @Observable
public final class DataScreen: Fallible {
  public struct Question: Sendable, Equatable {
    public var kind: KeptData
    public var measured: DataMeasured
  }

  private let libera: Libera
  public private(set) var question: Question?
  public private(set) var isDestroying = false
  /// What was destroyed last.
  public private(set) var destroyed: KeptData?
  public private(set) var licences: String?
  /// What everything takes; nil until it was read.
  public private(set) var storage: StorageUse?

  public init(_ libera: Libera) { self.libera = libera }

  public func ask(_ kind: KeptData) async {
    destroyed = nil
    do { question = Question(kind: kind, measured: try await libera.measure(kind)) } catch { failed(error) }
  }

  public func dismiss() { question = nil }

  /// The person has read what goes and says yes.
  public func destroy(_ kind: KeptData) async {
    (question, isDestroying) = (nil, true)
    do {
      try await libera.destroy(kind)
      destroyed = kind
      await readStorage()
    } catch { failed(error) }
    isDestroying = false
  }

  public func readLicences() async {
    do { licences = try await libera.licences() } catch { failed(error) }
  }

  public func readStorage() async {
    do { storage = try await libera.storage() } catch { failed(error) }
  }
}
