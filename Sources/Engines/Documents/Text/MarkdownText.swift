import CMarkdown
import Documents
import Foundation

/// Markdown with GitHub's tables and tasks: blocks with their source lines, inline marks resolved to plain words.
enum MarkdownText {
  /// Once, because the library's own check is not safe between threads.
  static let registered: Void = cmark_gfm_core_extensions_ensure_registered()

  static func blocks(_ text: String) -> [Block] {
    Self.registered
    guard MarkdownReferences.fit(text) else { return PlainText.blocks(text) }
    guard let parser = cmark_parser_new(CMARK_OPT_DEFAULT) else { return PlainText.blocks(text) }
    defer { cmark_parser_free(parser) }
    for name in ["table", "strikethrough", "autolink", "tasklist"] where name != "table" || MarkdownTables.fit(text) {
      if let plugin = cmark_find_syntax_extension(name) { cmark_parser_attach_syntax_extension(parser, plugin) }
    }
    let text = NoteMarks.split(text)
    let formulas = Formulas(in: text.rest)
    var marked = formulas.text
    marked.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { cmark_parser_feed(parser, $0.baseAddress, $0.count) }
    }
    guard let root = cmark_parser_finish(parser) else { return [] }
    defer { cmark_node_free(root) }
    var walk = Walk(skipped: text.skipped, lines: lines(of: text.rest), formulas: formulas)
    walk.read(root)
    return NoteMarks.blocks(of: text.head) + walk.blocks
  }

  /// Follows cmark's iterator, which needs no recursion however deep the text is nested.
  private struct Walk {
    let skipped: Int
    private let lines: [Substring]
    private let ends: LineEnds
    private let formulas: Formulas
    var blocks: [Block] = []
    private var inline = ""
    /// Where the words of a link begin; links hold no links.
    private var linked = 0
    /// What addresses may still add to the text: many links may name one that stands in it once.
    private var room: Int
    private var lists = 0
    private var firstInItem = false
    private var task = ""
    private var markers: [Int?] = []
    private var cells: [String] = []
    private var headers: [String]?

    /// A line end within a paragraph until it is known whether the line goes on; the library leaves none in any text.
    private static let softBreak: Character = "\0"

    init(skipped: Int, lines: [Substring], formulas: Formulas) {
      (self.skipped, self.lines, ends, self.formulas) = (skipped, lines, LineEnds(lines), formulas)
      room = lines.reduce(0) { $0 + $1.utf8.count }
    }

    mutating func read(_ root: OpaquePointer) {
      guard let iterator = cmark_iter_new(root) else { return }
      defer { cmark_iter_free(iterator) }
      while true {
        let event = cmark_iter_next(iterator)
        if event == CMARK_EVENT_DONE { return }
        guard let node = cmark_iter_get_node(iterator) else { return }
        step(node, entering: event == CMARK_EVENT_ENTER)
      }
    }

    private mutating func step(_ node: OpaquePointer, entering: Bool) {
      let name = String(cString: cmark_node_get_type_string(node))
      switch (name, entering) {
      case ("list", true):
        lists += 1
        markers.append(
          cmark_node_get_list_type(node) == CMARK_ORDERED_LIST ? Int(cmark_node_get_list_start(node)) : nil)
      case ("list", false):
        lists -= 1
        markers.removeLast()
      case ("item", true): firstInItem = true
      case ("tasklist", true):
        firstInItem = true
        task = cmark_gfm_extensions_get_tasklist_item_checked(node) ? "[x] " : "[ ] "
      case ("paragraph", true), ("heading", true), ("table_cell", true): inline = ""
      case ("paragraph", false): paragraph(node)
      case ("heading", false):
        add(.heading(level: Int(cmark_node_get_heading_level(node))), inline.replacing("\0", with: " "), node)
      case ("code_block", true):
        add(.code, literal(node).trimmingCharacters(in: .newlines), node)
      case ("html_block", true):
        for block in HTMLText.fragment(literal(node)) { add(block.kind, block.text, node) }
      case ("table", true): headers = nil
      case ("table_row", true), ("table_header", true): cells = []
      case ("table_cell", false): cells.append(inline)
      case ("table_header", false):
        add(.row(header: true), TableText.row(cells, headers: nil), node)
        headers = TableText.names(cells)
      case ("table_row", false): add(.row(header: false), TableText.row(cells, headers: headers), node)
      case ("text", true), ("code", true): inline += literal(node)
      case ("link", true): linked = inline.utf8.count
      case ("link", false): inline += address(of: node)
      case ("softbreak", true): inline.append(Self.softBreak)
      case ("linebreak", true): inline += "\n"
      default: break
      }
    }

    /// What a link leads to elsewhere, behind its words, where they do not say it themselves: it may be what somebody looks for.
    private mutating func address(of node: OpaquePointer) -> String {
      let address = cmark_node_get_url(node).map { String(cString: $0) } ?? ""
      guard address.utf8.count <= Self.longestAddress, let kind = Self.kinds.first(where: { address.hasPrefix($0) })
      else { return "" }
      let words = String(decoding: inline.utf8.dropFirst(linked), as: UTF8.self)
      let plain = kind == "mailto:" ? String(address.dropFirst(kind.count)) : address
      guard ![address, plain, String(address.dropFirst(kind.count))].contains(words), plain.utf8.count <= room
      else { return "" }
      room -= plain.utf8.count
      return " (\(plain))"
    }
    private static let kinds = ["https://", "http://", "mailto:"]
    private static let longestAddress = 200

    /// Lines that a fixed width broke are joined; others, as people write them below each other, stay lines.
    private func settled(_ inline: String, _ node: OpaquePointer) -> String {
      let parts = inline.split(separator: Self.softBreak, omittingEmptySubsequences: false)
      let first = Int(cmark_node_get_start_line(node)) - 1
      var text = String(parts[0])
      for (place, next) in parts.enumerated().dropFirst() {
        let source = first + place - 1
        let bytes = lines.indices.contains(source) ? lines[source].utf8.count : parts[place - 1].utf8.count
        text += (ends.goesOn(parts[place - 1], bytes: bytes, in: next) ? " " : "\n") + next
      }
      return text
    }

    private mutating func paragraph(_ node: OpaquePointer) {
      let inline = settled(inline, node)
      guard lists > 0, firstInItem else {
        add(lists > 0 ? .listItem(level: lists) : .paragraph, inline, node)
        return
      }
      firstInItem = false
      var marker = "- "
      if let last = markers.indices.last, let number = markers[last] {
        marker = "\(number). "
        markers[last] = number + 1
      }
      add(.listItem(level: lists), marker + task + inline, node)
      task = ""
    }

    private mutating func add(_ kind: Block.Kind, _ text: String, _ node: OpaquePointer) {
      let written = formulas.settled(text, isCode: kind == .code)
      let text = kind == .code ? written : NoteMarks.plain(written).trimmed()
      guard !text.isEmpty else { return }
      blocks.append(Block(kind, text, line: Int(cmark_node_get_start_line(node)) + skipped))
    }

    private func literal(_ node: OpaquePointer) -> String {
      cmark_node_get_literal(node).map { String(cString: $0) } ?? ""
    }
  }
}
