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

  /// What says something of itself: a sentence's number, a language, a list's first number, a column's side, a box that is ticked.
  private static func isKnown(_ tag: String) -> Bool {
    tag.wholeMatch(
      of: /span data-s="\d+"|code class="language-[^"\s]*"|ol start="\d+"|t[dh] align="(?:left|center|right)"/) != nil
      || tag.wholeMatch(of: /input type="checkbox"(?: checked="")? disabled="" \//) != nil
  }
}
