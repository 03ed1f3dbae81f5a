package import Foundation

/// Where the words of one page stand, as one piece of data beside the page's text.
extension Page {
  /// The geometry of all blocks: for each its first byte in the page's text, its length, and its words. nil without layout.
  package var packedGeometry: Data? {
    var out = Data()
    for (block, range) in zip(blocks, blockRanges) {
      guard let geometry = block.geometry else { continue }
      for value in [range.lowerBound, range.count, geometry.count] {
        withUnsafeBytes(of: UInt32(clamping: value).littleEndian) { out.append(contentsOf: $0) }
      }
      out += geometry
    }
    return out.isEmpty ? nil : out
  }

  /// The boxes, one per line, of a byte range of the page's text, from what `packedGeometry` made.
  package static func boxes(in packed: Data, for wanted: Range<Int>) -> [Box] {
    var boxes: [Box] = []
    var rest = Data(packed)[...]
    func number() -> Int? {
      guard rest.count >= 4 else { return nil }
      let value = rest.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      rest = rest.dropFirst(4)
      return Int(value)
    }
    while let start = number(), let count = number(), let bytes = number(), rest.count >= bytes {
      let geometry = Data(rest.prefix(bytes))
      rest = rest.dropFirst(bytes)
      let range = start..<(start + count)
      guard range.overlaps(wanted) else { continue }
      let from = max(wanted.lowerBound, range.lowerBound) - start
      let to = min(wanted.upperBound, range.upperBound) - start
      boxes += Geometry.boxes(geometry, for: from..<to)
    }
    return boxes
  }
}
