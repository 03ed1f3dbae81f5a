public import Assistant
import Core
public import Foundation
import Storage

/// How far an import is with one document.
public struct ImportProgress: Sendable, Codable, Equatable {
  public var document: String
  public var pagesRead: Int?
  public var pages: Int?
  public var passages: Int?
  /// Of the passages, those that are found by meaning already.
  public var passagesIndexed: Int?
  public var secondsLeft: Double?
}

/// What an import tells. Every file ends as done, skipped or failed; one file's failure is never another's.
public enum ImportEvent: Sendable, Codable, Equatable {
  case progress(ImportProgress)
  /// It can be asked. `note`: what is missing or was left out.
  case done(document: String, passages: Int, note: String?)
  case skipped(document: String, reason: String)
  case failed(document: String, reason: String)
  case finished(imported: Int, skipped: Int, failed: Int, seconds: Double)

  init?(_ event: Assistant.ImportStep) {
    let document = event.document ?? ""
    switch event.event {
    case .progress:
      self = .progress(
        ImportProgress(
          document: document, pagesRead: event.pagesDone, pages: event.pages, passages: event.chunks,
          passagesIndexed: event.chunksDone, secondsLeft: event.etaSeconds))
    case .done: self = .done(document: document, passages: event.chunks ?? 0, note: event.reason)
    case .skipped: self = .skipped(document: document, reason: event.reason ?? "")
    case .failed: self = .failed(document: document, reason: event.reason ?? "")
    case .summary:
      self = .finished(
        imported: event.imported ?? 0, skipped: event.skipped ?? 0, failed: event.failed ?? 0,
        seconds: event.seconds ?? 0)
    }
  }
}

/// One document of the library.
public struct Document: Sendable, Codable, Equatable, Identifiable {
  public var id: String
  /// The name that answers cite it by.
  public var name: String
  public var title: String
  public var collection: String
  /// What it is, by its content: "pdf", "markdown".
  public var kind: String
  /// Whether it is found by meaning; by its words it is found before.
  public var isReady: Bool
  public var pages: Int?
  public var bytes: Int
  public var source: String?
  /// The file it came from is gone. It is asked all the same.
  public var sourceIsMissing: Bool
  public var error: String?
  public var created: Date
}

/// A rectangle on a page, in shares of its width and height, from its upper left corner.
public struct PagePlace: Sendable, Codable, Equatable {
  public var left: Double
  public var top: Double
  public var right: Double
  public var bottom: Double
}

/// A passage in its place: the page with the passage marked, or the text around it.
public struct PageView: Sendable, Codable, Equatable {
  public var citation: Citation
  /// A PNG; nil for documents without pages.
  public var picture: Data?
  public var width: Int?
  public var height: Int?
  /// Where the marks are in the picture; nil where there is no picture or nothing is marked.
  public var passage: PagePlace?
  public var before: String
  public var after: String
}

extension Libera {
  /// Takes files and folders into the library: PDF (scans are read too), pictures, Word, OpenDocument, EPUB, HTML, Markdown, CSV, text
  /// and code, by content and not by name. What is there already is skipped, what was interrupted goes on where it was.
  public func `import`(
    _ files: [URL], into collection: String? = nil
  ) -> AsyncThrowingStream<ImportEvent, any Error> {
    importing(Import.Input(paths: files.map(\.standardizedFileURL.path), collection: collection))
  }

  /// Attaches files to a conversation: questions in it are answered from them, and they go with it.
  public func attach(_ files: [URL], to conversation: UUID) -> AsyncThrowingStream<ImportEvent, any Error> {
    importing(
      Import.Input(
        paths: files.map(\.standardizedFileURL.path), conversation: conversation.uuidString.lowercased()))
  }

  private func importing(_ input: Import.Input) -> AsyncThrowingStream<ImportEvent, any Error> {
    events(Import.self, input) { ImportEvent($0) }
  }

  /// The documents of the library, or of one collection.
  public func documents(in collection: String? = nil) async throws -> [Document] {
    try await all(ListDocuments.self, ListDocuments.Input(collection: collection)).map { entry in
      Document(
        id: entry.id, name: entry.document, title: entry.title, collection: entry.collection, kind: entry.kind,
        isReady: entry.state == .ready, pages: entry.pages, bytes: entry.bytes, source: entry.source,
        sourceIsMissing: entry.missing, error: entry.error, created: entry.created)
    }
  }

  /// Removes documents by their ids; when it returns nothing of them is left in the files.
  public func remove(documents ids: [Document.ID]) async throws {
    _ = try await one(RemoveDocuments.self, RemoveDocuments.Input(documents: [], ids: ids))
  }

  /// The page of a citation with the passage marked.
  /// - Parameters:
  ///   - citation: As an answer has it.
  ///   - scale: Pixels for each point of the page.
  public func page(of citation: Citation, scale: Double = 2) async throws -> PageView {
    let event = try await one(Open.self, Open.Input(id: citation.id, scale: scale))
    return PageView(
      citation: event.citation, picture: event.picture, width: event.width, height: event.height,
      passage: PagePlace(event), before: event.before, after: event.after)
  }
}

extension PagePlace {
  /// Everything that is marked.
  init?(_ event: Open.Event) {
    guard let width = event.width, let height = event.height, let scale = event.scale,
      let first = event.citation.boxes.first
    else { return nil }
    let all = event.citation.boxes.dropFirst().reduce(first) {
      [min($0[0], $1[0]), min($0[1], $1[1]), max($0[2], $1[2]), max($0[3], $1[3])]
    }
    func share(_ points: Double, of pixels: Int) -> Double { min(1, max(0, points * scale / Double(max(1, pixels)))) }
    (left, top) = (share(all[0], of: width), share(all[1], of: height))
    (right, bottom) = (share(all[2], of: width), share(all[3], of: height))
  }
}
