import Documents
import Foundation

/// The readable part of an HTML page: headings, paragraphs, lists and tables, without navigation and what is not shown.
enum HTMLText {
  struct Readable {
    var title: String?
    var author: String?
    var language: String?
    var blocks: [Block] = []
  }

  static func read(_ text: String) -> Readable { Markup(html: text).map(read) ?? Readable() }

  static func read(_ markup: Markup) -> Readable {
    guard let root = markup.root else { return Readable() }
    var readable = Readable()
    readable.language = LanguageGuess.code(root.attribute("lang"))
    readable.title = root.first { $0.name == "title" && $0.parent?.name != "svg" }.flatMap { Title.cleaned($0.text) }
    readable.author = root.first { $0.name == "meta" && $0.attribute("name")?.lowercased() == "author" }?.attribute(
      "content")
    let body = root.first { $0.name == "body" } ?? root
    let main = body.first { $0.name == "main" || $0.attribute("role") == "main" } ?? onlyArticle(body)
    // A main part that holds next to nothing is a mistake of the page, not its content.
    if let main {
      readable.blocks = blocks(main, drop: true)
      if length(readable.blocks) >= 200 { return readable }
    }
    let whole = blocks(body, drop: true)
    readable.blocks = length(whole) >= 80 || main == nil ? whole : readable.blocks
    if length(readable.blocks) < 20 { readable.blocks = blocks(body, drop: false) }
    return readable
  }

  /// A piece of HTML inside another format.
  static func fragment(_ text: String) -> [Block] { Markup(html: text)?.root.map { blocks($0, drop: true) } ?? [] }

  /// What a document says its encoding is, read from its first bytes.
  static func declaredEncoding(_ bytes: [UInt8]) -> String? {
    let head = String(decoding: bytes.prefix(2048), as: UTF8.self).lowercased()
    for key in ["charset=", "encoding="] {
      guard let range = head.range(of: key) else { continue }
      let name = head[range.upperBound...].drop { "\"' ".contains($0) }.prefix {
        $0.isLetter || $0.isNumber || "-_".contains($0)
      }
      if !name.isEmpty { return String(name) }
    }
    return nil
  }

  private static func onlyArticle(_ body: Markup.Node) -> Markup.Node? {
    let articles = body.all { $0.name == "article" }
    return articles.count == 1 ? articles[0] : nil
  }

  private static func length(_ blocks: [Block]) -> Int { blocks.reduce(0) { $0 + $1.text.utf8.count } }

  static func blocks(_ root: Markup.Node, drop: Bool) -> [Block] {
    var flow = Flow(keepsAddresses: Bookmarks.hold(root))
    let titled = drop ? titled(below: root) : []
    root.walk(
      enter: { node in
        if !node.isElement {
          flow.text(node.content)
          return .into
        }
        if Skipped.always.contains(node.name) || Skipped.hidden(node) || (drop && Skipped.boilerplate(node, titled)) {
          return .over
        }
        flow.open(node)
        return .into
      },
      leave: { node in if node.isElement { flow.close(node.name) } })
    flow.flush()
    return flow.blocks
  }

  /// What has a title below it; each element is looked at once, however deep they lie in each other.
  private static func titled(below root: Markup.Node) -> Set<UnsafeMutableRawPointer> {
    var titled: Set<UnsafeMutableRawPointer> = []
    for title in root.all({ $0.name == "h1" }) {
      var above = title.parent
      while let node = above, titled.insert(node.pointer).inserted { above = node.parent }
    }
    return titled
  }

  private enum Skipped {
    static let always: Set<String> = [
      "script", "style", "noscript", "template", "iframe", "svg", "math", "object", "canvas", "audio", "video",
      "select", "head",
      "button", "datalist", "map", "embed", "title",
    ]

    static func hidden(_ node: Markup.Node) -> Bool {
      if node.attribute("hidden") != nil || node.attribute("aria-hidden") == "true" { return true }
      guard let style = node.attribute("style")?.lowercased().filter({ !$0.isWhitespace }) else { return false }
      return style.contains("display:none") || style.contains("visibility:hidden") || style.contains("font-size:0")
        || style.contains("opacity:0;") || style.hasSuffix("opacity:0")
    }

    static func boilerplate(_ node: Markup.Node, _ titled: Set<UnsafeMutableRawPointer>) -> Bool {
      if ["nav", "aside", "footer", "form", "menu", "dialog"].contains(node.name) { return true }
      // The header of an article holds its title; that of a page holds its navigation.
      if node.name == "header" { return !titled.contains(node.pointer) }
      if let role = node.attribute("role"),
        ["navigation", "banner", "contentinfo", "complementary", "search", "dialog"].contains(role)
      {
        return true
      }
      let names = "\(node.attribute("class") ?? "") \(node.attribute("id") ?? "")".lowercased()
        .split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }
      return names.contains { name in
        exact.contains(String(name)) || name.hasPrefix("cookie") || name.hasPrefix("breadcrumb")
          || name.hasPrefix("gdpr")
      }
    }

    private static let exact: Set<String> = [
      "nav", "navbar", "navigation", "menu", "sidebar", "side-bar", "footer", "site-footer", "site-header", "advert",
      "advertisement", "ads", "social", "share", "sharing", "related", "newsletter", "popup", "skip-link", "pagination",
      "comments", "mw-editsection", "headerlink", "sphinxsidebar", "noprint",
    ]
  }
}

/// Collects text into blocks while the tree is walked.
private struct Flow {
  private(set) var blocks: [Block] = []
  private var text = ""
  private var kinds: [(name: String, kind: Block.Kind)] = []
  private var lists: [Int?] = []
  private var marker = ""
  private var preformatted = 0
  private var tables: [Table] = []
  /// Tables that lie in so many others that they are read as words of their cell: each level copies all that stands in it.
  private var deeper = 0
  private static let mostTables = 20
  private let keepsAddresses: Bool
  private var address = ""

  init(keepsAddresses: Bool) { self.keepsAddresses = keepsAddresses }

  private struct Table {
    var row: [String] = []
    var headerCells = 0
    var headers: [String]?
    var cellText: String?
  }

  private static let blockNames: Set<String> = [
    "p", "div", "section", "article", "main", "body", "blockquote", "address", "dl", "fieldset", "figure", "hr",
    "header",
    "footer", "details", "summary", "center", "tbody", "thead", "tfoot", "form", "nav", "aside", "html",
  ]

  mutating func text(_ content: String) {
    guard !content.isEmpty else { return }
    if let last = tables.indices.last {
      // Space between cells and rows is layout.
      if tables[last].cellText != nil { tables[last].cellText! += content }
    } else {
      text += content
    }
  }

  private static let tableNames: Set<String> = ["table", "tr", "td", "th", "caption"]

  mutating func open(_ node: Markup.Node) {
    if tables.count == Self.mostTables, Self.tableNames.contains(node.name), node.name == "table" || deeper > 0 {
      if node.name == "table" { deeper += 1 }
      return text(" ")
    }
    switch node.name {
    case "br": text(preformatted > 0 ? "\n" : "\u{2028}")
    case "img":
      if tables.isEmpty, let alt = node.attribute("alt"), alt.count > 20 { text(" \(alt) ") }
    case "h1", "h2", "h3", "h4", "h5", "h6": begin(node.name, .heading(level: Int(String(node.name.last!))!))
    case "ul", "ol", "menu":
      flush()
      lists.append(node.name == "ol" ? Int(node.attribute("start") ?? "") ?? 1 : nil)
    case "li": beginItem()
    case "dt", "dd": begin(node.name, .listItem(level: max(1, lists.count)))
    case "pre":
      begin(node.name, .code)
      preformatted += 1
    case "a": if keepsAddresses { address = Bookmarks.address(node) ?? "" }
    case "figcaption": begin(node.name, .caption)
    case "caption": if !tables.isEmpty { tables[tables.count - 1].cellText = "" }
    case "table":
      if tables.isEmpty { flush() }
      tables.append(Table())
    case "tr": if !tables.isEmpty { (tables[tables.count - 1].row, tables[tables.count - 1].headerCells) = ([], 0) }
    case "td", "th":
      guard let last = tables.indices.last else { break }
      if node.name == "th" { tables[last].headerCells += 1 }
      tables[last].cellText = ""
    case let name where Self.blockNames.contains(name): if tables.isEmpty { flush() } else { text(" ") }
    default: break
    }
  }

  mutating func close(_ name: String) {
    if deeper > 0, Self.tableNames.contains(name) {
      if name == "table" { deeper -= 1 }
      return text(" ")
    }
    switch name {
    case "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "figcaption": end(name)
    case "li": end(name)
    case "a":
      if !address.isEmpty { text(" " + address) }
      address = ""
    case "caption":
      guard let last = tables.indices.last, let caption = tables[last].cellText else { break }
      tables[last].cellText = nil
      if tables.count == 1 { add(.caption, caption.collapsed()) }
    case "pre":
      flush()
      preformatted = max(0, preformatted - 1)
      end(name)
    case "ul", "ol", "menu":
      flush()
      if !lists.isEmpty { lists.removeLast() }
    case "td", "th":
      guard let last = tables.indices.last, let cell = tables[last].cellText else { break }
      tables[last].row.append(cell.collapsed())
      tables[last].cellText = nil
    case "tr": endRow()
    case "table":
      guard let table = tables.popLast(), let outer = tables.indices.last else { break }
      // A table within a cell is layout: its words belong to the cell.
      if tables[outer].cellText != nil { tables[outer].cellText! += " " + table.row.joined(separator: " ") }
    case let name where Self.blockNames.contains(name): if tables.isEmpty { flush() } else { text(" ") }
    default: break
    }
  }

  private mutating func endRow() {
    guard let last = tables.indices.last else { return }
    let table = tables[last]
    guard table.row.contains(where: { !$0.isEmpty }) else { return }
    let isHeader = table.headers == nil && table.headerCells == table.row.count && table.row.count > 1
    if tables.count > 1 {
      if tables[last - 1].cellText != nil { tables[last - 1].cellText! += " " + table.row.joined(separator: " ") }
    } else if table.row.count == 1 {
      // One cell across the page is how old pages place their text.
      add(.paragraph, table.row[0])
    } else {
      add(.row(header: isHeader), TableText.row(table.row, headers: isHeader ? nil : table.headers))
    }
    if isHeader { tables[last].headers = TableText.names(table.row) }
    tables[last].row = []
  }

  private mutating func begin(_ name: String, _ kind: Block.Kind) {
    guard tables.isEmpty else { return }
    flush()
    kinds.append((name, kind))
  }

  private mutating func beginItem() {
    guard tables.isEmpty else { return }
    flush()
    marker = "- "
    if let last = lists.indices.last, let number = lists[last] {
      marker = "\(number). "
      lists[last] = number &+ 1
    }
    kinds.append(("li", .listItem(level: max(1, lists.count))))
  }

  private mutating func end(_ name: String) {
    guard tables.isEmpty else { return }
    flush()
    if let index = kinds.lastIndex(where: { $0.name == name }) { kinds.remove(at: index) }
    if name == "li" { marker = "" }
  }

  mutating func flush() {
    guard tables.isEmpty else { return }
    let raw = text
    text = ""
    if preformatted > 0 {
      let code = raw.trimmingCharacters(in: .newlines)
      if !code.isBlank { blocks.append(Block(.code, code)) }
      return
    }
    let plain = raw.split(separator: "\u{2028}", omittingEmptySubsequences: false).map { $0.collapsed() }
      .joined(separator: "\n").trimmed()
    add(kinds.last?.kind ?? .paragraph, plain)
  }

  private mutating func add(_ kind: Block.Kind, _ plain: String) {
    let plain = Typesetting.plain(plain)
    guard plain.contains(where: { !$0.isWhitespace }) else { return }
    if case .listItem = kind, !marker.isEmpty {
      blocks.append(Block(kind, marker + plain))
      marker = ""
    } else {
      blocks.append(Block(kind, plain))
    }
  }
}
