public import Foundation
public import LiberaKit
public import Observation

/// The models: which are here, which fit, and what is being taken in.
@MainActor @Observable
public final class PacksScreen: Fallible {
  public struct Work: Sendable, Equatable {
    public var step: String
    /// 0 to 1; nil while nothing is known.
    public var share: Double?
  }

  private let libera: Libera
  public private(set) var packs: [ModelPack] = []
  public private(set) var work: Work?
  public private(set) var notes: [String] = []
  /// The model that is being tried, or was tried last.
  public let trial: TrialScreen
  @ObservationIgnored private var working: Task<Void, Never>?

  public init(_ libera: Libera) {
    self.libera = libera
    trial = TrialScreen(libera)
  }

  public var installed: [ModelPack] { packs.filter(\.isInstalled) }

  public func refresh() async {
    do { packs = try await libera.packs.list() } catch { failed(error) }
  }

  /// What somebody chose: a bundle of models, or one model.
  public func install(_ file: URL) {
    if file.pathExtension.lowercased() == "tar" { install(bundle: file) } else { install(model: file) }
  }
  public func install(bundle: URL) { follow(libera.packs.install(bundle: bundle)) }
  public func install(model: URL) { follow(libera.packs.install(model: model)) }
  public func verify(_ id: ModelPack.ID) { follow(libera.packs.verify(id)) }

  public func remove(_ id: ModelPack.ID) async {
    do { try await libera.packs.remove(id) } catch { failed(error) }
    await refresh()
  }

  public func stop() { working?.cancel() }

  private func follow(_ events: AsyncThrowingStream<PackEvent, any Error>) {
    guard work == nil else { return }
    (work, notes, problem) = (Work(step: "beginning"), [], nil)
    working = Task {
      do { for try await event in events { self.take(event) } } catch { self.failed(error) }
      await self.refresh()
      self.work = nil
    }
  }

  private func take(_ event: PackEvent) {
    switch event {
    case .progress(let step, let share): work = Work(step: step, share: share)
    case .note(let words): notes.append(words)
    case .done: break
    }
  }

  public func settled() async { await working?.value }
}
