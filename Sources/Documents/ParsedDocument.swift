/// The rule that turns blocks into the text of a document. Offsets everywhere are UTF-8 bytes into this text.
package enum DocumentText {
  /// Between two pages that both hold text; a page without text adds nothing.
  package static let pageSeparator = "\n\n"

  /// Rows of a table and items of a list stand on lines of their own, everything else is set apart by an empty line.
  package static func separator(_ first: Block.Kind, _ second: Block.Kind) -> String {
    switch (first, second) {
    case (.row, .row), (.listItem, .listItem): "\n"
    default: "\n\n"
    }
  }

  /// The byte at which a page's text begins, after `bytes` of text before it.
  package static func start(after bytes: Int) -> Int { bytes == 0 ? 0 : bytes + pageSeparator.utf8.count }
}

extension Page {
  package var text: String {
    var text = ""
    for (index, block) in blocks.enumerated() {
      if index > 0 { text += DocumentText.separator(blocks[index - 1].kind, block.kind) }
      text += block.text
    }
    return text
  }

  /// The bytes of `text` that each block covers.
  package var blockRanges: [Range<Int>] {
    var ranges: [Range<Int>] = []
    var end = 0
    for (index, block) in blocks.enumerated() {
      let start = end + (index == 0 ? 0 : DocumentText.separator(blocks[index - 1].kind, block.kind).utf8.count)
      end = start + block.text.utf8.count
      ranges.append(start..<end)
    }
    return ranges
  }

  /// The boxes, one per line, of a byte range of `text`.
  package func boxes(for range: Range<Int>) -> [Box] {
    zip(blocks, blockRanges).flatMap { block, bytes -> [Box] in
      guard let geometry = block.geometry, bytes.overlaps(range) else { return [] }
      let from = max(range.lowerBound, bytes.lowerBound) - bytes.lowerBound
      let to = min(range.upperBound, bytes.upperBound) - bytes.lowerBound
      return Geometry.boxes(geometry, for: from..<to)
    }
  }
}

/// A whole document in memory: for tests, for small files and for showing one.
package struct ParsedDocument: Sendable, Equatable {
  package struct Mark: Sendable, Equatable {
    package var page: Int
    package var boxes: [Box]
  }

  package var info: DocumentInfo
  package var pages: [Page] = []

  package init(info: DocumentInfo, pages: [Page] = []) {
    self.info = info
    self.pages = pages
  }

  package var text: String { pages.map(\.text).filter { !$0.isEmpty }.joined(separator: DocumentText.pageSeparator) }

  /// The bytes of `text` that each page covers; empty for a page without text.
  package var pageRanges: [Range<Int>] {
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
  package func marks(for range: Range<Int>) -> [Mark] {
    zip(pages, pageRanges).compactMap { page, bytes in
      guard bytes.overlaps(range) else { return nil }
      let from = max(range.lowerBound, bytes.lowerBound) - bytes.lowerBound
      let to = min(range.upperBound, bytes.upperBound) - bytes.lowerBound
      return Mark(page: page.number, boxes: page.boxes(for: from..<to))
    }
  }
}
