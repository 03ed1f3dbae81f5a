package import Foundation

/// Where each word of a block's text stands on its page, packed to about three bytes per word.
///
/// Rows are stretches of words with one common height. A word covers a byte range of the block's text; bytes between words
/// (spaces, a removed hyphen) belong to none. Coordinates are quarter points.
package enum Geometry {
  package struct Word: Equatable, Sendable {
    /// UTF-8 bytes within the block's text.
    package var range: Range<Int>
    package var box: Box
    package init(range: Range<Int>, box: Box) {
      self.range = range
      self.box = box
    }
  }

  private static let unit = 4.0

  package static func encode(_ words: [Word]) -> Data? {
    guard !words.isEmpty else { return nil }
    var out = Packing()
    var index = 0
    var end = 0
    while index < words.count {
      let y0 = quantise(words[index].box.y0)
      let y1 = quantise(words[index].box.y1)
      var stop = index + 1
      while stop < words.count, quantise(words[stop].box.y0) == y0, quantise(words[stop].box.y1) == y1 { stop += 1 }
      out.add(stop - index)
      out.addSigned(y0)
      out.addSigned(y1 - y0)
      var x = 0
      for word in words[index..<stop] {
        out.add(max(0, word.range.lowerBound - end))
        out.add(word.range.count)
        let left = quantise(word.box.x0)
        let right = quantise(word.box.x1)
        out.addSigned(left - x)
        out.addSigned(right - left)
        x = right
        end = word.range.upperBound
      }
      index = stop
    }
    return out.data
  }

  /// Damaged data yields the words read so far: a passage then lacks some of its marks, nothing else.
  package static func decode(_ data: Data) -> [Word] {
    var words: [Word] = []
    var input = Unpacking(data)
    var end = 0
    while let count = input.next(), let y0 = input.nextSigned(), let height = input.nextSigned() {
      var x = 0
      for _ in 0..<min(count, data.count) {
        guard let gap = input.next(), let length = input.next(), let dx = input.nextSigned(),
          let width = input.nextSigned()
        else { return words }
        let left = x &+ dx
        let right = left &+ width
        let start = end &+ gap
        guard start >= end, start &+ length >= start else { return words }
        end = start &+ length
        x = right
        let box = Box(
          Double(left) / unit, Double(y0) / unit, Double(right) / unit, Double(y0 &+ height) / unit)
        words.append(Word(range: start..<end, box: box))
      }
    }
    return words
  }

  /// One box per line for a byte range of the block's text. A word covered in part is cut in proportion.
  package static func boxes(_ data: Data, for range: Range<Int>) -> [Box] {
    var boxes: [Box] = []
    for word in decode(data) where word.range.overlaps(range) {
      var box = word.box
      let length = Double(word.range.count)
      if box.width >= box.height {
        let from = Double(max(range.lowerBound, word.range.lowerBound) - word.range.lowerBound) / length
        let to = Double(min(range.upperBound, word.range.upperBound) - word.range.lowerBound) / length
        (box.x0, box.x1) = (box.x0 + box.width * from, box.x0 + box.width * to)
      }
      if let last = boxes.last, last.y0 == box.y0, last.y1 == box.y1, box.x0 >= last.x0 {
        boxes[boxes.count - 1] = last.union(box)
      } else {
        boxes.append(box)
      }
    }
    return boxes
  }

  private static func quantise(_ value: Double) -> Int {
    value.isFinite ? Int((min(max(value, -100_000), 100_000) * unit).rounded()) : 0
  }
}

/// Variable-length integers, seven bits a byte.
private struct Packing {
  var data = Data()

  mutating func add(_ value: Int) {
    var rest = UInt(bitPattern: value)
    while rest > 0x7F {
      data.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    data.append(UInt8(rest))
  }

  mutating func addSigned(_ value: Int) { add((value << 1) ^ (value >> 63)) }
}

private struct Unpacking {
  private let bytes: [UInt8]
  private var position = 0

  init(_ data: Data) { bytes = [UInt8](data) }

  mutating func next() -> Int? {
    var value: UInt = 0
    var shift: UInt = 0
    while position < bytes.count, shift < 63 {
      let byte = bytes[position]
      position += 1
      value |= UInt(byte & 0x7F) << shift
      if byte < 0x80 { return Int(exactly: value) }
      shift += 7
    }
    return nil
  }

  mutating func nextSigned() -> Int? {
    guard let value = next() else { return nil }
    return (value >> 1) ^ -(value & 1)
  }
}
