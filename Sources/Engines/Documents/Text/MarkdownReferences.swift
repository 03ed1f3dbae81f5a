/// Whether the links of a text that name an address defined elsewhere in it (`[words][name]`, `[name]: address "title"`) may be read
/// as links.
///
/// cmark copies address and title into every one of them, so that a long address and a hundred thousand links become gigabytes.
/// What is counted here is never less than what would be copied.
enum MarkdownReferences {
  private static let mostBytes = 32 << 20
  /// What is shorter cannot become much.
  private static let short = 128
  /// Of a name, as CommonMark has it.
  private static let longestName = 1000

  static func fit(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var sizes: [String: Int] = [:]
      var address = Address(bytes)
      names(bytes) { name, end in
        guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return true }
        let size = address.size(from: end + 1)
        if size > short { sizes[plain(name), default: 0] = max(sizes[plain(name)] ?? 0, size) }
        return true
      }
      guard !sizes.isEmpty else { return true }
      var copied = 0
      // The definition's own mention copies nothing.
      for size in sizes.values { copied -= size }
      names(bytes) { name, _ in
        copied += sizes[plain(name)] ?? 0
        return copied <= mostBytes + bytes.count
      }
      return copied <= mostBytes + bytes.count
    }
  }

  /// Everything in brackets that could be a name, with the place after it, until `see` has seen enough.
  private static func names(
    _ bytes: UnsafeBufferPointer<UInt8>, _ see: (_ name: Slice<UnsafeBufferPointer<UInt8>>, _ end: Int) -> Bool
  ) {
    var open: Int?
    var at = 0
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\\"): at += 1
      case UInt8(ascii: "["): open = at + 1
      case UInt8(ascii: "]"):
        if let begin = open, at - begin <= longestName, !see(bytes[begin..<at], at + 1) { return }
        open = nil
      default: break
      }
      at += 1
    }
  }

  /// A name as names are compared: case and white space do not count, nor do the marks of a quotation that its lines begin with.
  private static func plain(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: name, as: UTF8.self).lowercased().uppercased().replacing(">", with: " ").collapsed()
  }

  /// How long what is defined is, found in a time that grows with the text alone.
  private struct Address {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The end of the word that was looked at last.
    private var word = 0..<0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func size(from colon: Int) -> Int {
      let begin = next(colon)
      let end = address(begin)
      let title = next(end)
      guard title > end, title < bytes.count, let closing = Self.closing(bytes[title]) else { return end - begin }
      var at = title + 1
      while at < bytes.count, bytes[at] != closing {
        // A title in parentheses holds none.
        if closing == UInt8(ascii: ")"), bytes[at] == UInt8(ascii: "(") { return end - begin }
        at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
      }
      return min(at, bytes.count) - begin
    }

    private func next(_ start: Int) -> Int {
      var at = start
      while at < bytes.count, Self.isSpace(bytes[at]) || bytes[at] == UInt8(ascii: ">") { at += 1 }
      return at
    }

    private mutating func address(_ begin: Int) -> Int {
      var at = begin
      if at < bytes.count, bytes[at] == UInt8(ascii: "<") {
        at += 1
        while at < bytes.count, ![10, 13, UInt8(ascii: "<"), UInt8(ascii: ">")].contains(bytes[at]) {
          at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        at = min(at + 1, bytes.count)
      }
      if word.contains(at) { return word.upperBound }
      word = at..<at
      while at < bytes.count, !Self.isSpace(bytes[at]) { at += 1 }
      word = word.lowerBound..<at
      return at
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func closing(_ byte: UInt8) -> UInt8? {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): byte
      case UInt8(ascii: "("): UInt8(ascii: ")")
      default: nil
      }
    }
  }
}
