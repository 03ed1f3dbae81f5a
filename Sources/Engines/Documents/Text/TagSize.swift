/// libxml2 compares every attribute of a tag with all before it: a hundred thousand of them in one tag take a minute.
enum TagSize {
  private static let mostAttributes = 2000

  /// Whether some tag has more attributes than anybody writes. What looks like a tag in a comment or a script counts as one.
  static func isTooLarge(_ bytes: [UInt8]) -> Bool {
    var (isInside, quote, attributes, isSpace) = (false, UInt8(0), 0, false)
    var (before, solid) = (UInt8(0), UInt8(0))
    for byte in bytes {
      defer {
        before = byte
        if byte > 32 { solid = byte }
      }
      if quote != 0 {
        if byte == quote { quote = 0 }
        continue
      }
      switch byte {
      case UInt8(ascii: ">"): isInside = false
      case UInt8(ascii: "<"): (isInside, attributes, isSpace) = (false, 0, false)
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        // Only a value is quoted; elsewhere the mark is an apostrophe.
        if isInside, solid == UInt8(ascii: "=") { quote = byte }
      default:
        if !isInside, before == UInt8(ascii: "<"), (65...90).contains(byte & 0xDF) { isInside = true }
        let wasSpace = isSpace
        isSpace = byte <= 32 || byte == UInt8(ascii: "/")
        guard isInside, wasSpace, !isSpace else { continue }
        attributes += 1
        if attributes > mostAttributes { return true }
      }
    }
    return false
  }
}
