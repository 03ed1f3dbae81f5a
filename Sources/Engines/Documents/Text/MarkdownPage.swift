import CMarkdown
import Foundation

/// Markdown to HTML that can fetch nothing, run nothing and lead nowhere.
///
/// Raw HTML is shown as the text it is; images become their description; links become their words with the address beside
/// them, because an address a document slipped into an answer must not be one click away.
enum MarkdownPage {
  /// `sentences` are the answer's sentences in order, as they stand in `text`: each is wrapped in
  /// `<span data-s="INDEX">`, in as many pieces as the markup cuts it into.
  static func html(from text: String, sentences: [String] = []) -> String {
    MarkdownText.registered
    let options = CMARK_OPT_VALIDATE_UTF8
    guard let parser = cmark_parser_new(options) else { return "" }
    defer { cmark_parser_free(parser) }
    for name in ["table", "strikethrough", "tasklist"] where name != "table" || MarkdownTables.fit(text) {
      if let found = cmark_find_syntax_extension(name) { cmark_parser_attach_syntax_extension(parser, found) }
    }
    var text = String(
      String.UnicodeScalarView(text.unicodeScalars.filter { $0.value != 0 && !SentenceMarks.marks.contains($0) }))
    // As one block of code: every sign stands for itself.
    let isPlain = !MarkdownReferences.fit(text)
    if isPlain { text = "    " + text.replacing("\r", with: "\n").replacing("\n", with: "\n    ") }
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { cmark_parser_feed(parser, $0.baseAddress, $0.count) }
    }
    guard let root = cmark_parser_finish(parser) else { return "" }
    defer { cmark_node_free(root) }
    disarm(root)
    if !sentences.isEmpty { SentenceMarks(root).mark(sentences) }
    guard let made = cmark_render_html(root, options, cmark_parser_get_syntax_extensions(parser)) else { return "" }
    defer { free(made) }
    return SentenceMarks.spelledOut(String(cString: made))
  }

  static func nodes(of root: OpaquePointer) -> [OpaquePointer] {
    guard let walk = cmark_iter_new(root) else { return [] }
    defer { cmark_iter_free(walk) }
    var found: [OpaquePointer] = []
    while true {
      let event = cmark_iter_next(walk)
      if event == CMARK_EVENT_DONE { return found }
      if event == CMARK_EVENT_ENTER, let node = cmark_iter_get_node(walk) { found.append(node) }
    }
  }

  private static func disarm(_ root: OpaquePointer) {
    for node in nodes(of: root) {
      switch cmark_node_get_type(node) {
      case CMARK_NODE_HTML_BLOCK: replace(node, with: CMARK_NODE_CODE_BLOCK)
      case CMARK_NODE_HTML_INLINE: replace(node, with: CMARK_NODE_TEXT)
      case CMARK_NODE_IMAGE: unwrap(node)
      case CMARK_NODE_LINK:
        let address = String(cString: cmark_node_get_url(node))
        let words = cmark_node_first_child(node).flatMap { cmark_node_get_literal($0) }.map { String(cString: $0) }
        if !address.isEmpty, words != address, "mailto:" + (words ?? "") != address,
          let beside = textNode(" (\(address))")
        {
          cmark_node_insert_after(node, beside)
        }
        unwrap(node)
      // The page has its own first two levels.
      case CMARK_NODE_HEADING: cmark_node_set_heading_level(node, min(6, cmark_node_get_heading_level(node) + 2))
      default: break
      }
    }
  }

  private static func replace(_ node: OpaquePointer, with type: cmark_node_type) {
    guard let plain = cmark_node_new(type) else { return }
    cmark_node_set_literal(plain, cmark_node_get_literal(node))
    cmark_node_replace(node, plain)
    cmark_node_free(node)
  }

  private static func unwrap(_ node: OpaquePointer) {
    while let child = cmark_node_first_child(node) { cmark_node_insert_before(node, child) }
    cmark_node_unlink(node)
    cmark_node_free(node)
  }

  static func textNode(_ text: String) -> OpaquePointer? {
    guard let node = cmark_node_new(CMARK_NODE_TEXT) else { return nil }
    cmark_node_set_literal(node, text)
    return node
  }
}
