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

  /// `widely`: the text is that of the place with what stands around it; id and boxes stay those of the place.
  func citation(
    _ place: CitationPlace, of document: StoredDocument, score: Double, widely: Bool = false
  ) async throws -> Citation {
    let pages = try await shelf.pages(of: place.document, holding: place.range)
    guard let first = pages.first else { throw CitationError.gone(place.id) }
    var range = place.range
    if widely, pages.count == 1 {
      let wide = Self.surroundings(of: Self.local(range, in: first), in: Array(first.text.utf8))
      range = first.start + wide.lowerBound..<first.start + wide.upperBound
    }
    let text = Self.slice(range, of: pages)
    let isPaged = document.pages != nil
    let local = Self.local(place.range, in: first)
    let boxes = first.boxes.map { Page.boxes(in: $0, for: local) } ?? []
    return Citation(
      id: place.id, document: document.name, title: document.title, page: isPaged ? first.number : nil, text: text,
      score: (score * 1000).rounded() / 1000, start: range.lowerBound, end: range.upperBound,
      boxes: boxes.map { [$0.x0, $0.y0, $0.x1, $0.y1] })
  }

  /// Of documents with one title the names of their files tell which is meant.
  static func tellApart(_ citations: inout [Citation]) {
    for places in Dictionary(grouping: citations.indices, by: { citations[$0].title }).values
    where Set(places.map { citations[$0].document }).count > 1 {
      for place in places {
        citations[place].title += " (\((citations[place].document as NSString).lastPathComponent))"
      }
    }
  }

  /// So much of a page a citation shows at least, where there is so much: about a paragraph.
  private static let least = 700

  /// A place with the whole sentences, lines and rows around it, until there is enough to judge it by. What gives orders to whoever
  /// answers is left out, with all that lies behind it.
  static func surroundings(of place: Range<Int>, in text: [UInt8]) -> Range<Int> {
    let from = max(0, place.lowerBound - least), to = min(text.count, place.upperBound + least)
    let window = Array(text[from..<to])
    let pieces = KeySentences.pieces(of: String(decoding: window.drop { $0 & 0xc0 == 0x80 }, as: UTF8.self))
    let shift = from + window.prefix { $0 & 0xc0 == 0x80 }.count
    // A sentence that the window cuts is not whole.
    let whole = pieces.map { $0.lowerBound + shift..<$0.upperBound + shift }.filter {
      ($0.lowerBound > shift || from == 0) && ($0.upperBound < to || to == text.count)
        && !Instructions.addressesAnswer(String(decoding: text[$0], as: UTF8.self))
    }
    let own = whole.filter { $0.overlaps(place) }
    var range =
      min(place.lowerBound, own.first?.lowerBound ?? .max)..<max(place.upperBound, own.last?.upperBound ?? 0)
    var above = whole.filter { $0.upperBound <= range.lowerBound }
    var below = whole.filter { $0.lowerBound >= range.upperBound }
    func isNext(_ gap: Range<Int>) -> Bool { text[gap].allSatisfy { [9, 10, 13, 32].contains($0) } }
    while range.count < least {
      let grown = range
      if let next = below.first, isNext(range.upperBound..<next.lowerBound) {
        range = range.lowerBound..<below.removeFirst().upperBound
      }
      if range.count < least, let next = above.last, isNext(next.upperBound..<range.lowerBound) {
        range = above.removeLast().lowerBound..<range.upperBound
      }
      if range == grown { break }
    }
    return range
  }

  /// Exactly the bytes of the document's text, across pages.
  static func slice(_ range: Range<Int>, of pages: [StoredPage]) -> String {
    var bytes: [UInt8] = []
    for page in pages {
      // What lies between two pages belongs to neither.
      let gap = min(page.start, range.upperBound) - range.lowerBound - bytes.count
      if gap > 0 { bytes += repeatElement(UInt8(ascii: "\n"), count: gap) }
      bytes += Array(page.text.utf8)[local(range, in: page)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func local(_ range: Range<Int>, in page: StoredPage) -> Range<Int> {
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
