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
    stretches(of: packed).filter { $0.range.overlaps(wanted) }.flatMap { range, geometry in
      let from = max(wanted.lowerBound, range.lowerBound) - range.lowerBound
      let to = min(wanted.upperBound, range.upperBound) - range.lowerBound
      return Geometry.boxes(geometry, for: from..<to)
    }
  }

  /// Every word with its box, by the bytes of the page's text, from what `packedGeometry` made.
  package static func words(in packed: Data) -> [Geometry.Word] {
    stretches(of: packed).flatMap { range, geometry in
      Geometry.decode(geometry).filter { $0.range.upperBound <= range.count }.map { word in
        let from = range.lowerBound + word.range.lowerBound
        return Geometry.Word(range: from..<from + word.range.count, box: word.box)
      }
    }
  }

  /// The blocks that have geometry: where each stands in the page's text, and where its words stand.
  private static func stretches(of packed: Data) -> [(range: Range<Int>, geometry: Data)] {
    var found: [(range: Range<Int>, geometry: Data)] = []
    var rest = Data(packed)[...]
    func number() -> Int? {
      guard rest.count >= 4 else { return nil }
      let value = rest.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      rest = rest.dropFirst(4)
      return Int(value)
    }
    while let start = number(), let count = number(), let bytes = number(), rest.count >= bytes {
      found.append((start..<(start + count), Data(rest.prefix(bytes))))
      rest = rest.dropFirst(bytes)
    }
    return found
  }
}
