/// Whether HTML holds nothing but what Markdown comes to. The worker that makes it reads what strangers wrote, so it is checked as what
/// comes from a stranger: a page would follow `<meta http-equiv="refresh">`, and ask for the name of a server that a link names.
enum PageHTML {
  private static let elements = [
    "p", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th",
    "td", "span", "h3", "h4", "h5", "h6",
  ]
  private static let plain = Set(elements + elements.map { "/" + $0 } + ["br /", "hr /"])

  static func isHarmless(_ html: String) -> Bool {
    let pieces = html.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
    return pieces.dropFirst().allSatisfy { piece in
      guard let end = piece.firstIndex(of: UInt8(ascii: ">")) else { return false }
      let tag = String(decoding: piece[..<end], as: UTF8.self)
      return plain.contains(tag) || isKnown(tag)
    }
  }

  private static let told = Set(
    ["th", "td"].flatMap { cell in ["left", "center", "right"].map { "\(cell) align=\"\($0)\"" } }
      + ["", "checked=\"\" "].map { "input type=\"checkbox\" \($0)disabled=\"\" /" })

  /// What says something of itself: a sentence's number, a language, a list's first number, a column's side, a box that is ticked. By
  /// bytes: to Swift a quote and an accent behind it are one letter, which is no quote; and there may be a million of them.
  private static func isKnown(_ tag: String) -> Bool {
    if told.contains(tag) { return true }
    func value(of start: String) -> Substring.UTF8View? {
      tag.utf8.starts(with: start.utf8) && tag.utf8.last == UInt8(ascii: "\"")
        ? tag.utf8.dropFirst(start.utf8.count).dropLast() : nil
    }
    if let number = value(of: "span data-s=\"") ?? value(of: "ol start=\"") {
      return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
    }
    return value(of: "code class=\"language-")?.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") } ?? false
  }
}
