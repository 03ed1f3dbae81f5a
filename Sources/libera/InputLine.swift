import Foundation

/// Standard input line by line, none longer than what anybody types or says.
enum InputLine {
  static let longest = 64 << 10

  /// The next line without its end, nil when there are no more. A longer one is read past and refused.
  static func next() throws -> String? {
    guard let line = bytes(upTo: longest) else { return nil }
    guard line.length <= longest else { throw UsageError.tooLong(line.length, longest) }
    return String(decoding: line.bytes, as: UTF8.self)
  }

  /// The next line's first bytes, and how long it is in all. One thread of the program reads at a time.
  static func bytes(upTo most: Int) -> (bytes: [UInt8], length: Int)? {
    var (bytes, length) = ([UInt8](), 0)
    while true {
      let next = getchar_unlocked()
      if next == EOF { return length == 0 ? nil : (bytes, length) }
      if next == 10 {
        if bytes.last == 13, length == bytes.count { bytes.removeLast() }
        return (bytes, length)
      }
      length += 1
      if length <= most { bytes.append(UInt8(truncatingIfNeeded: next)) }
    }
  }
}
