/// Whether a text's tables may be read as tables.
///
/// cmark fills every row up to its header's columns, so that a few hundred thousand bytes with as many columns as rows become
/// thousands of millions of cells. And for every line that could be a table's second it reads the whole paragraph above again,
/// with work that grows with the square of its lines.
enum MarkdownTables {
  private static let most = (cells: 300_000, columns: 1_000, squaredLines: 20_000_000, bytes: 64 << 20)

  static func fit(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var (cells, squaredLines, reread) = (0, 0, 0)
      // Of the paragraph or table at hand.
      var (columns, lines, above) = (0, 0, 0)
      for line in bytes.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 10 || $0 == 13 }) {
        guard line.contains(where: { $0 != 32 && $0 != 9 && $0 != UInt8(ascii: ">") }) else {
          (columns, lines, above) = (0, 0, 0)
          continue
        }
        if isDelimiter(line) {
          columns = max(columns, line.count { $0 == UInt8(ascii: "|") } + 1)
          squaredLines += lines * lines
          reread += above
        }
        lines += 1
        above += line.count
        cells += columns
        if cells > most.cells || columns > most.columns || squaredLines > most.squaredLines || reread > most.bytes {
          return false
        }
      }
      return true
    }
  }

  /// Dashes with what may stand around them: a table's second line, also within quotations and lists.
  private static func isDelimiter(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var dashes = false
    for byte in line {
      switch byte {
      case UInt8(ascii: "-"): dashes = true
      case UInt8(ascii: "|"), UInt8(ascii: ":"), UInt8(ascii: ">"), UInt8(ascii: "*"), UInt8(ascii: "+"),
        UInt8(ascii: "."), UInt8(ascii: ")"), UInt8(ascii: "0")...UInt8(ascii: "9"), 32, 9, 11, 12:
        continue
      default: return false
      }
    }
    return dashes
  }
}
