import Core
import Documents
import Foundation
import Retrieval
import Storage

/// A place in a document that can be shown again in any later process: "12.3400.3655" is bytes 3400 to 3655 of document 12.
struct CitationPlace: Equatable {
  var document: Int64
  var range: Range<Int>

  var id: String { "\(document).\(range.lowerBound).\(range.upperBound)" }

  init(document: Int64, range: Range<Int>) {
    self.document = document
    self.range = range
  }

  init?(id: String) {
    let parts = id.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let document = Int64(parts[0]), let start = Int(parts[1]), let end = Int(parts[2]),
      // No text is longer, and what lies around a place is still counted without overflowing.
      start >= 0, end > start, end <= 1 << 50
    else { return nil }
    self.init(document: document, range: start..<end)
  }
}

/// Turns places into citations: the exact text, the page, the boxes to mark.
struct Citing: Sendable {
  let shelf: DocumentShelf

  func citation(_ place: CitationPlace, of document: Document, score: Double) async throws -> Citation {
    let pages = try await shelf.pages(of: place.document, holding: place.range)
    guard let first = pages.first else { throw CitationError.gone(place.id) }
    let text = Self.slice(place.range, of: pages)
    let isPaged = document.pages != nil
    let local = Self.local(place.range, in: first)
    let boxes = first.boxes.map { Documents.Page.boxes(in: $0, for: local) } ?? []
    return Citation(
      id: place.id, document: document.name, title: document.title, page: isPaged ? first.number : nil, text: text,
      score: (score * 1000).rounded() / 1000, start: place.range.lowerBound, end: place.range.upperBound,
      boxes: boxes.map { [$0.x0, $0.y0, $0.x1, $0.y1] })
  }

  /// Exactly the bytes of the document's text, across pages.
  static func slice(_ range: Range<Int>, of pages: [Storage.Page]) -> String {
    var bytes: [UInt8] = []
    for page in pages {
      if !bytes.isEmpty { bytes += Array(DocumentText.pageSeparator.utf8) }
      let local = local(range, in: page)
      bytes += Array(page.text.utf8)[local]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func local(_ range: Range<Int>, in page: Storage.Page) -> Range<Int> {
    let count = page.text.utf8.count
    let from = min(max(range.lowerBound - page.start, 0), count)
    return from..<min(max(range.upperBound - page.start, from), count)
  }
}

package enum CitationError: Explained {
  case malformed(String)
  case gone(String)

  package var code: String {
    switch self {
    case .malformed: "usage"
    case .gone: "citation_not_found"
    }
  }
  package var message: String {
    switch self {
    case .malformed(let id): "\"\(id)\" is not a citation's id."
    case .gone(let id): "What \(id) pointed to is no longer in the library."
    }
  }
  package var remedy: String? {
    switch self {
    case .malformed: "Ids stand in the citations of an answer, as in 12.3400.3655."
    case .gone:
      "It was removed since. The answer keeps the words it quotes; import the document again to see its pages."
    }
  }
}
