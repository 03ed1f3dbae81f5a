import Foundation
public import LiberaKit

/// What waits in a library for time in which nobody needs the device.
public struct WaitingWork: Sendable, Equatable {
  /// Documents that are not wholly read, or are found by their words only.
  public var documents: Int
  /// Whether there is a model that finds by meaning; without one nothing can be done for them.
  public var hasEmbedder: Bool

  public init(documents: Int, hasEmbedder: Bool) { (self.documents, self.hasEmbedder) = (documents, hasEmbedder) }

  public init(_ documents: [Document], _ packs: [ModelPack]) {
    self.documents = documents.count { !$0.isReady && $0.error == nil }
    hasEmbedder = packs.contains { $0.kind == .embed && $0.isInstalled && $0.fits }
  }

  /// How time that was given has ended.
  public enum Ended: Sendable, CaseIterable { case done, expired, failed }

  /// Whether time is to be asked for when the app leaves the screen.
  public var needsTime: Bool { documents > 0 && hasEmbedder }

  /// Whether it is to be asked for again. What ended by itself and came no further would come no further every night.
  public func needsMore(than before: WaitingWork, _ ended: Ended) -> Bool {
    switch ended {
    case .expired: needsTime
    case .done, .failed: needsTime && documents < before.documents
    }
  }
}

/// Indexing while the device lies at its charger: asks the system for time, uses it until it is over, and asks again.
@MainActor
final class NightShift {
  private let time: any PowerTime
  /// Why the system gave no time, or why it was of no use.
  private(set) var problem: LiberaError?

  init(_ time: any PowerTime) { self.time = time }

  /// - Parameter rooms: Opens the home where the system has started the app without a screen; nil: the app is ending.
  func begin(_ rooms: @escaping @MainActor @Sendable () async throws -> Rooms?) {
    time.whenGiven { [weak self] in
      do {
        guard let self, let rooms = try await rooms() else { return false }
        return await self.work(in: rooms)
      } catch {
        await self?.failed(error)
        return false
      }
    }
  }

  private func failed(_ error: any Error) { problem = LiberaError(telling: error) }

  /// The app leaves the screen.
  func hides(_ rooms: Rooms) async {
    do { try decide(try await waiting(in: rooms).needsTime) } catch { failed(error) }
  }

  private func decide(_ asks: Bool) throws {
    if asks { try time.ask() } else { time.withdraw() }
  }

  private func waiting(in rooms: Rooms) async throws -> WaitingWork {
    WaitingWork(try await rooms.libera.documents(), try await rooms.libera.packs.list())
  }

  /// - Returns: Whether it came to its end.
  func work(in rooms: Rooms) async -> Bool {
    var ended = WaitingWork.Ended.done
    // What the system has ended is told in its own words, and what is decided afterwards must not be ended with it.
    do {
      let before = try await Task { try await self.waiting(in: rooms) }.value
      do {
        try Task.checkCancellation()
        await rooms.library.settled()
        try await index(rooms)
        if Task.isCancelled { ended = .expired }
      } catch is CancellationError { ended = .expired } catch {
        ended = Task.isCancelled ? .expired : .failed
        if ended == .failed { failed(error) }
      }
      let after = try await Task { try await self.waiting(in: rooms) }.value
      try decide(after.needsMore(than: before, ended))
    } catch {
      failed(error)
      ended = .failed
    }
    await rooms.library.refresh()
    // Nobody looks: what was loaded for this goes again.
    if !rooms.life.isSeen || rooms.life.phase == .background { await rooms.libera.background(true) }
    return ended == .done
  }

  /// Reads on where reading was interrupted and the file is still there; an import of no file makes the vectors that are missing.
  private func index(_ rooms: Rooms) async throws {
    let waiting = try await rooms.libera.documents().filter { !$0.isReady && $0.error == nil && !$0.sourceIsMissing }
    var files: [String: [URL]] = [:]
    for document in waiting {
      guard let source = document.source.map({ URL(filePath: $0) }), source.lastPathComponent == document.name else {
        continue
      }
      files[document.collection, default: []].append(source)
    }
    for (collection, files) in files {
      for try await _ in rooms.libera.import(files, into: collection) { try Task.checkCancellation() }
    }
    for try await _ in rooms.libera.import([]) { try Task.checkCancellation() }
  }
}
