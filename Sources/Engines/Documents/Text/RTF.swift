import Documents
import Foundation

/// Rich text as word processors exchange it: paragraphs, headings by style or outline, lists, tables row by row, footnotes; deleted
/// and hidden text stays out.
struct RTF: FlowingDocument {
  private let reader: RTFReader

  init(_ bytes: [UInt8]) throws {
    var reader = RTFReader(bytes)
    try reader.read()
    self.reader = reader
  }

  func info() -> DocumentInfo { reader.info }
  func blocks(_ output: ParseOutput) -> [Block] { reader.blocks }
}
