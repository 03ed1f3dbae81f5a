import Documents

/// A whole document in memory, to look at.
struct ParsedDocument: Sendable, Equatable {
  struct Mark: Sendable, Equatable {
    var page: Int
    var boxes: [Box]
  }

  var info: DocumentInfo
  var pages: [Page] = []

  var text: String { pages.map(\.text).filter { !$0.isEmpty }.joined(separator: DocumentText.pageSeparator) }

  /// The bytes of `text` that each page covers; empty for a page without text.
  var pageRanges: [Range<Int>] {
    var total = 0
    return pages.map { page in
      let count = page.text.utf8.count
      guard count > 0 else { return total..<total }
      let start = DocumentText.start(after: total)
      total = start + count
      return start..<total
    }
  }

  /// Where a byte range of `text` stands, page by page.
  func marks(for range: Range<Int>) -> [Mark] {
    zip(pages, pageRanges).compactMap { page, bytes in
      guard bytes.overlaps(range) else { return nil }
      let from = max(range.lowerBound, bytes.lowerBound) - bytes.lowerBound
      let to = min(range.upperBound, bytes.upperBound) - bytes.lowerBound
      return Mark(page: page.number, boxes: page.boxes(for: from..<to))
    }
  }
}

extension Page {
  /// The boxes, one per line, of a byte range of `text`.
  func boxes(for range: Range<Int>) -> [Box] {
    zip(blocks, blockRanges).flatMap { block, bytes -> [Box] in
      guard let geometry = block.geometry, bytes.overlaps(range) else { return [] }
      let from = max(range.lowerBound, bytes.lowerBound) - bytes.lowerBound
      let to = min(range.upperBound, bytes.upperBound) - bytes.lowerBound
      return Geometry.boxes(geometry, for: from..<to)
    }
  }
}
