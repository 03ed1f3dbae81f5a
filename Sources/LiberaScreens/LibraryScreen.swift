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
public final class LibraryScreen: Fallible {
  private let libera: Libera
  private let pictures: PictureFolder
  public private(set) var documents: [Document] = []
  public private(set) var imports = ImportLines()
  public private(set) var isImporting = false
  @ObservationIgnored private var importing: Task<Void, Never>?

  /// - Parameter place: A folder of the app's own, for pictures on their way in.
  public init(_ libera: Libera, place: URL = FileManager.default.temporaryDirectory) {
    (self.libera, pictures) = (libera, PictureFolder(in: place))
  }

  public func refresh() async {
    do { documents = try await libera.documents() } catch { failed(error) }
  }

  /// Takes files in; one import at a time.
  public func take(_ files: [URL], into collection: String? = nil) {
    begin { try await self.read(files, into: collection) }
  }

  /// Takes photos in, each as a document of its own.
  /// - Parameter name: What the documents are called, before the moment and their number.
  public func take(photos: [any ChosenPicture], called name: String, at moment: Date = Date()) {
    guard !photos.isEmpty else { return }
    begin { [pictures] in
      let (files, missing) = try await pictures.keep(photos, called: name, at: moment)
      if let reason = missing.first { self.problem = .pictures(missing.count, of: photos.count, reason) }
      try await self.read(files)
    }
  }

  /// Takes the pages of a scan in, as one document.
  public func take(scan: [ScannedPage], called name: String, at moment: Date = Date()) {
    guard !scan.isEmpty else { return }
    begin { [pictures] in
      try await self.read([try pictures.keep(scan, called: name, at: moment)])
    }
  }

  /// Takes in what was shared with the app while it did not run.
  public func takeShared(from folder: URL?) {
    guard let folder, !isImporting else { return }
    do {
      let (files, refused) = try SharedFiles(folder: folder).move(into: pictures.folder)
      if let reason = refused.first {
        problem = LiberaError(
          code: "shared_refused", message: "\(refused.count) shared files were not taken in: \(reason)")
      }
      if !files.isEmpty { take(files) } else if !refused.isEmpty { clear() }
    } catch { failed(error) }
  }

  /// Takes in the pictures of an import that was ended together with the app.
  public func resume() {
    guard !isImporting else { return }
    do {
      if let left = try pictures.leftOver() { begin { try await self.read([left]) } }
    } catch { failed(error) }
  }

  private func clear() {
    do { try pictures.clear() } catch { failed(error) }
  }

  /// Whether the person misses the file of a document: a picture's was ours.
  public func missesFile(of document: Document) -> Bool { document.sourceIsMissing && !PictureFolder.held(document) }

  private func begin(_ work: @escaping @MainActor () async throws -> Void) {
    guard !isImporting else { return }
    isImporting = true
    imports = ImportLines()
    importing = Task {
      do { try await work() } catch { self.failed(error) }
      self.clear()
      await self.refresh()
      self.isImporting = false
    }
  }

  private func read(_ files: [URL], into collection: String? = nil) async throws {
    guard !files.isEmpty else { return }
    for try await event in libera.import(files, into: collection) { imports.take(event) }
  }

  /// Stops; what was read stays, and the next import of the same files goes on there.
  public func stop() { importing?.cancel() }

  public func remove(_ ids: [Document.ID]) async {
    do { try await libera.remove(documents: ids) } catch { failed(error) }
    await refresh()
  }

  public func settled() async { await importing?.value }
}
