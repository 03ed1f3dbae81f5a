/// Names of files as the system has them, bytes, and as the rest of the house has them, text.
///
/// A name need not be UTF-8. A byte that is none is written as U+FFFD and its two hexadecimal digits, and so is U+FFFD itself:
/// every name has one text, and every such text leads back to its name.
package enum FileName {
  private static let mark: Unicode.Scalar = "\u{FFFD}"

  package static func text(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(mark) { return text }
    var text = String.UnicodeScalarView()
    func escape(_ byte: UInt8) {
      text.append(mark)
      text.append(contentsOf: [byte].hex.unicodeScalars)
    }
    var rest = Array(bytes)[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
      if let whole = String(validating: rest.prefix(length), as: UTF8.self), rest.count >= length,
        let scalar = whole.unicodeScalars.first, whole.unicodeScalars.count == 1, scalar != mark
      {
        text.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        escape(first)
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }

  /// The bytes that a text of `text(_:)` stands for; any other text stands for its own.
  package static func bytes(_ text: String) -> [UInt8] {
    guard text.unicodeScalars.contains(mark) else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      let digits = String(String.UnicodeScalarView(rest.prefix(2)))
      if scalar == mark, digits.utf8.count == 2, let byte = UInt8(digits, radix: 16), !digits.hasPrefix("+") {
        bytes.append(byte)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(contentsOf: String(scalar).utf8)
      }
    }
    return bytes
  }

  /// The path as the system's calls take it.
  package static func withPath<Result>(_ path: String, _ body: (UnsafePointer<CChar>) throws -> Result) rethrows
    -> Result
  {
    try (bytes(path) + [0]).withUnsafeBufferPointer { bytes in
      try bytes.withMemoryRebound(to: CChar.self) { try body($0.baseAddress!) }
    }
  }
}
