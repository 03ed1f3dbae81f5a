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
}
