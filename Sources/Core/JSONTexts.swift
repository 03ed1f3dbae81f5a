/// Follows JSON byte by byte and tells what belongs to its texts, where brackets and commas mean nothing.
package struct JSONTexts {
  private var isQuoted = false
  private var isEscaped = false

  package init() {}

  /// Whether the next byte belongs to a text or is one of its quotation marks.
  package mutating func holds(_ byte: UInt8) -> Bool {
    guard !isEscaped else {
      isEscaped = false
      return true
    }
    guard byte != UInt8(ascii: "\"") else {
      isQuoted.toggle()
      return true
    }
    isEscaped = isQuoted && byte == UInt8(ascii: "\\")
    return isQuoted
  }
}
