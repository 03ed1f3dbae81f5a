import Documents
import Foundation

/// Rich text as word processors exchange it: paragraphs, headings by style or outline, lists, tables row by row, footnotes; deleted
/// and hidden text stays out.
struct RTF: FlowingDocument {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func info() throws -> DocumentInfo {
    var reader = RTFReader(bytes)
    try reader.read()
    return reader.info
  }

  func blocks(_ output: ParseOutput) throws -> [Block] {
    var reader = RTFReader(bytes)
    try reader.read()
    return reader.blocks
  }
}
