import Core
import Documents
package import Foundation
import Resources
import Storage

/// What there is of a document to turn over: its pages or parts with their sizes, its headings, and where a citation stands in it.
/// The id is a document's own, or that of a citation in it.
package enum OutlineDocument: Operation {
  package struct Sheet: Codable, Sendable {
    package var number: Int
    /// Its first byte in the document's text.
    package var start: Int
    /// In points; absent where there is only text.
    package var width: Double?
    package var height: Double?
  }

  package struct Heading: Codable, Sendable, Equatable {
    package var title: String
    /// From 1 on.
    package var level: Int
    package var page: Int?
    package var start: Int
  }

  package struct Event: Codable, Sendable {
    package var document: DocumentEntry
    package var sheets: [Sheet]
    package var headings: [Heading]
    /// Where the citation stands that was asked for.
    package var citation: Citation?
    /// Of a message: all messages of its thread, oldest first; absent where it is the only one.
    package var thread: [DocumentEntry]?
  }

  package static let name = "documents-outline"
  package static func run(_ input: ItemInput, in house: House, emit: @escaping Emit<Event>) async throws {
    let shelf = house.vault.documents
    let document = try await ReadDocument.document(.init(id: input.id), on: shelf)
    let sheets = try await shelf.sheets(of: document.id).map {
      Sheet(number: $0.number, start: $0.start, width: $0.width, height: $0.height)
    }
    // They are read with all that stands below them, and a citation may be of all of it.
    var event = try await house.texts.run("headings", .person, cores: 1) { _ in
      var event = Event(
        document: DocumentEntry(document, missing: house.isMissing(document)), sheets: sheets,
        headings: Self.headings(try await shelf.chunks(of: document.id).map(\.content), title: document.title))
      if let place = CitationPlace(id: input.id) {
        event.citation = try await Citing(shelf: shelf).citation(place, of: document, score: 1)
      }
      return event
    }
    let thread = try await ShowThread.messages(with: document, in: house)
    if thread.count > 1 { event.thread = Array(thread.prefix(ShowThread.most)) }
    emit(event)
  }

  /// Each heading where it first stands above a passage.
  static func headings(_ chunks: [ChunkText], title: String) -> [Heading] {
    var found: [Heading] = []
    var above: [String] = []
    for chunk in chunks {
      var path = chunk.heading.components(separatedBy: " › ").filter { !$0.isEmpty }
      if path.first == title { path.removeFirst() }
      let same = zip(path, above).prefix { $0 == $1 }.count
      for level in same..<max(same, path.count) {
        found.append(Heading(title: path[level], level: level + 1, page: chunk.pageFrom, start: chunk.start))
      }
      above = path
    }
    return found
  }
}

/// One page of a document: its picture, and its text with where each word stands.
package enum ShowSheet: Operation {
  package struct Input: Codable, Sendable {
    /// A document's own, or that of a citation in it.
    package var id: String
    package var page: Int
    /// Pixels per point; absent: no picture is wanted.
    package var scale: Double?
    package init(id: String, page: Int, scale: Double? = nil) { (self.id, self.page, self.scale) = (id, page, scale) }
  }

  package struct Event: Codable, Sendable {
    package var page: Int
    /// Its first byte in the document's text.
    package var start: Int
    package var text: String
    /// Of the page, in points.
    package var width: Double?
    package var height: Double?
    /// For each word its first byte in the page's text, the byte after its last, and its box in points: x0, y0, x1, y1.
    package var words: [[Double]]
    /// A PNG; absent for documents without pages.
    package var picture: Data?
  }

  package static let name = "documents-page"
  package static var numbers: [NumberField<Input>] {
    [
      .whole("page", 1...Int(Int32.max)) { $0.page },
      // No screen shows a page sharper.
      .real("scale", 0.25...4) { $0.scale },
    ]
  }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let shelf = house.vault.documents
    let document = try await ReadDocument.document(.init(id: input.id), on: shelf)
    guard let page = try await shelf.page(input.page, of: document.id) else {
      throw StorageError.missing(kind: "page", id: "\(input.page)")
    }
    let words = page.boxes.map { Page.words(in: $0) } ?? []
    var event = Event(
      page: page.number, start: page.start, text: page.text, width: page.width, height: page.height,
      words: words.map {
        [Double($0.range.lowerBound), Double($0.range.upperBound), $0.box.x0, $0.box.y0, $0.box.x1, $0.box.y1]
      })
    if let scale = input.scale, document.pages != nil {
      let request = RenderRequest(page: input.page, scale: scale)
      let drawn = try await house.drawing.render(house.vault.blobs.url(document.hash), request)
      event.picture = drawn.picture
      event.width = event.width ?? Double(drawn.page.width) / drawn.page.scale
      event.height = event.height ?? Double(drawn.page.height) / drawn.page.scale
    }
    emit(event)
  }
}
