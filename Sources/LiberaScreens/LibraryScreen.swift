public import Foundation
public import LiberaKit
public import Observation

/// One file that is, or was, being taken in.
public struct ImportLine: Sendable, Equatable, Identifiable {
  public enum Stage: Sendable, Equatable {
    case reading(ImportProgress)
    case done(passages: Int, note: String?)
    case skipped(String)
    case failed(String)
  }
  public var id: String { document }
  public var document: String
  public var stage: Stage

  var isOver: Bool {
    if case .reading = stage { false } else { true }
  }

  /// 0 to 1, where the pages are known.
  public var share: Double? {
    guard case .reading(let progress) = stage, let pages = progress.pages, pages > 0 else { return nil }
    return min(1, Double(progress.pagesRead ?? 0) / Double(pages))
  }
}

/// Lines of an import, and how it ended.
public struct ImportLines: Sendable, Equatable {
  public private(set) var lines: [ImportLine] = []
  public private(set) var summary: (imported: Int, skipped: Int, failed: Int)?

  public init() {}

  public mutating func take(_ event: ImportEvent) {
    switch event {
    case .progress(let progress): put(progress.document, .reading(progress))
    case .done(let document, let passages, let note): put(document, .done(passages: passages, note: note))
    case .skipped(let document, let reason): put(document, .skipped(reason))
    case .failed(let document, let reason): put(document, .failed(reason))
    case .finished(let imported, let skipped, let failed, _): summary = (imported, skipped, failed)
    }
  }

  private mutating func put(_ document: String, _ stage: ImportLine.Stage) {
    if let place = lines.firstIndex(where: { $0.document == document }) {
      // Progress that comes late does not undo how a file ended.
      if case .reading = stage, lines[place].isOver { return }
      lines[place].stage = stage
    } else {
      lines.append(ImportLine(document: document, stage: stage))
    }
  }

  public static func == (left: ImportLines, right: ImportLines) -> Bool {
    left.lines == right.lines
      && left.summary.map { [$0.imported, $0.skipped, $0.failed] }
        == right.summary.map { [$0.imported, $0.skipped, $0.failed] }
  }
}

/// The library: its documents, and what is being taken in.
@MainActor @Observable
public final class LibraryScreen {
  private let libera: Libera
  public private(set) var documents: [Document] = []
  public private(set) var imports = ImportLines()
  public private(set) var isImporting = false
  public private(set) var problem: LiberaError?
  @ObservationIgnored private var importing: Task<Void, Never>?

  public init(_ libera: Libera) { self.libera = libera }

  public func refresh() async {
    do { documents = try await libera.documents() } catch { problem = LiberaError(telling: error) }
  }

  /// Takes files in; one import at a time.
  public func take(_ files: [URL], into collection: String? = nil) {
    guard !isImporting else { return }
    isImporting = true
    imports = ImportLines()
    importing = Task { [libera] in
      do {
        for try await event in libera.import(files, into: collection) { self.imports.take(event) }
      } catch { self.problem = LiberaError(telling: error) }
      await self.refresh()
      self.isImporting = false
    }
  }

  /// Stops; what was read stays, and the next import of the same files goes on there.
  public func stop() { importing?.cancel() }

  public func remove(_ ids: [Document.ID]) async {
    do { try await libera.remove(documents: ids) } catch { problem = LiberaError(telling: error) }
    await refresh()
  }

  public func dismissProblem() { problem = nil }
  public func settled() async { await importing?.value }
}
