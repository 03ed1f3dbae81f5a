public import LiberaKit
public import Observation

/// The first three steps: what is promised, the models, the first document. Each can be left for later.
@MainActor @Observable
public final class FirstRunScreen: Fallible {
  public enum Step: Int, Sendable, CaseIterable { case promise, models, documents }

  private let libera: Libera
  private let packs: PacksScreen
  private let library: LibraryScreen
  /// nil: it is over, or was never needed.
  public private(set) var step: Step?

  public init(_ libera: Libera, packs: PacksScreen, library: LibraryScreen) {
    (self.libera, self.packs, self.library) = (libera, packs, library)
  }

  /// Begins in a home that has neither a conversation nor a document.
  public func begin() async {
    await packs.refresh()
    await library.refresh()
    do {
      let isNew = try await libera.conversations.list().isEmpty && library.documents.isEmpty
      step = isNew ? .promise : nil
    } catch { failed(error) }
  }

  /// Whether somebody can write answers; without, the best passages are quoted.
  public var hasChatModel: Bool { packs.installed.contains { $0.kind == .chat } }
  /// Whether documents are found by meaning; without, by their words.
  public var hasEmbedder: Bool { packs.installed.contains { $0.kind == .embed } }

  public func goOn() {
    guard let now = step else { return }
    step = Step(rawValue: now.rawValue + 1)
  }

  public func goBack() {
    guard let now = step, let before = Step(rawValue: now.rawValue - 1) else { return }
    step = before
  }

  public func leave() { step = nil }
}
