import Documents
import Retrieval
import Storage

/// From what a parser read to what the vault keeps: offsets, chunks' raw material, and where the words stand.
struct PageMapping {
  /// UTF-8 bytes of the document's text so far.
  private(set) var textBytes: Int
  let hasPages: Bool

  init(after textBytes: Int, hasPages: Bool) {
    self.textBytes = textBytes
    self.hasPages = hasPages
  }

  mutating func map(_ page: Page) -> (page: StoredPage, blocks: [TextBlock]) {
    let text = page.text
    let start = text.isEmpty ? textBytes : DocumentText.start(after: textBytes)
    if !text.isEmpty { textBytes = start + text.utf8.count }
    let blocks = zip(page.blocks, page.blockRanges).compactMap { block, range -> TextBlock? in
      guard let kind = Self.kind(block.kind) else { return nil }
      return TextBlock(
        kind.kind, block.text, page: hasPages ? page.number : nil, start: start + range.lowerBound, level: kind.level)
    }
    let stored = StoredPage(
      number: page.number, start: start, text: text, width: hasPages ? page.width : nil,
      height: hasPages ? page.height : nil, boxes: page.packedGeometry)
    return (stored, blocks)
  }

  private static func kind(_ kind: Block.Kind) -> (kind: TextBlock.Kind, level: Int)? {
    switch kind {
    case .heading(let level): (.heading, level)
    case .paragraph, .caption, .footnote: (.paragraph, 1)
    case .listItem(let level): (.listItem, level)
    case .row(let header): (header ? .tableHeader : .tableRow, 1)
    case .code: (.code, 1)
    case .furniture: nil  // running headers would put the same words into every chunk
    }
  }
}
