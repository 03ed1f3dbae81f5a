import Documents
import Foundation

/// Word's format: paragraphs by style, lists with their numbers, tables row by row, footnotes; deleted and hidden text stays out.
struct DOCX: FlowingDocument {
  let archive: Archive
  private let main: String
  private var levels: [String: Int] = [:]
  private var lists: [String: Numbering.Place] = [:]
  private var numbering = Numbering()

  static func wanted(_ path: String) -> Bool {
    path == "_rels/.rels" || path == "docProps/core.xml"
      || path.hasSuffix(".xml")
        && ["word/document", "word/styles", "word/numbering", "word/footnotes", "word/endnotes"].contains(
          where: path.hasPrefix)
  }

  init(_ archive: Archive, main: String) throws {
    (self.archive, self.main) = (archive, main)
    if let styles = try archive.markup("word/styles.xml"), let root = styles.root {
      let parents = Self.parents(root)
      levels = Self.inherited(Self.headingLevels(root), by: parents)
      lists = Self.inherited(Self.listStyles(root), by: parents)
    }
    if let markup = try archive.markup("word/numbering.xml"), let root = markup.root { numbering = Numbering(root) }
  }

  func info() throws -> DocumentInfo { try OfficeParts.info(archive, .docx) }

  func blocks(_ output: ParseOutput) throws -> [Block] {
    guard let document = try archive.markup(main), let root = document.root else {
      throw DocumentError.damaged("\(main) is missing")
    }
    var blocks = read(root, as: .paragraph)
    for notes in ["word/footnotes.xml", "word/endnotes.xml"] {
      guard let markup = try archive.markup(notes), let root = markup.root else { continue }
      for note in root.all({ ["footnote", "endnote"].contains($0.name) }) where note.attribute("type") == nil {
        blocks += read(note, as: .footnote)
      }
    }
    return blocks
  }

  private func read(_ root: Markup.Node, as usual: Block.Kind) -> [Block] {
    var flow = OfficeFlow()
    var numbering = numbering
    var headerRow = false
    root.walk(
      enter: { node in
        guard node.isElement else { return .over }
        switch node.name {
        case "p": flow.beginParagraph(usual)
        case "ppr":
          if let kind = kind(node) { flow.setKind(kind) }
          if let place = place(node), let number = numbering.next(place) { flow.setMarker(number) }
          return .over
        case "r": return Self.isHidden(node) ? .over : .into
        case "t":
          flow.append(node.text)
          return .over
        case "tab": flow.append(" ")
        case "br", "cr": flow.append("\n")
        case "nobreakhyphen": flow.append("-")
        case "tbl": flow.beginTable()
        case "tr":
          headerRow = node.first { $0.name == "tblheader" } != nil
          flow.beginRow()
        case "tc": flow.beginCell()
        // Word repeats a drawing's text for older programs in a fallback.
        case "del", "movefrom", "instrtext", "deltext", "fallback", "sectpr", "rpr", "tblpr", "tblgrid", "tcpr":
          return .over
        default: break
        }
        return .into
      },
      leave: { node in
        switch node.name {
        case "p": flow.endParagraph()
        case "tc": flow.endCell()
        case "tr": flow.endRow(header: headerRow)
        case "tbl": flow.endTable()
        default: break
        }
      })
    return flow.blocks
  }

  private func kind(_ properties: Markup.Node) -> Block.Kind? {
    let style = properties.first { $0.name == "pstyle" }?.attribute("val")
    if let level = Self.outline(properties) { return .heading(level: level) }
    if let style, let level = levels[style] { return .heading(level: level) }
    if let style, style.lowercased().hasPrefix("caption") || style == "Beschriftung" { return .caption }
    if let numbering = properties.first(where: { $0.name == "numpr" }) {
      let level = Int(numbering.first { $0.name == "ilvl" }?.attribute("val") ?? "") ?? 0
      return .listItem(level: min(9, max(0, level)) + 1)
    }
    if let style, style.lowercased().hasPrefix("list") { return .listItem(level: 1) }
    return nil
  }

  /// Where a paragraph stands among lists, by itself or by its style.
  private func place(_ properties: Markup.Node) -> Numbering.Place? {
    let style = properties.first { $0.name == "pstyle" }?.attribute("val").flatMap { lists[$0] }
    guard var place = Numbering.Place(properties) ?? style else { return nil }
    place.list = place.list ?? style?.list
    place.level = place.level ?? style?.level
    return place
  }

  private static func outline(_ node: Markup.Node) -> Int? {
    guard let value = node.first(where: { $0.name == "outlinelvl" })?.attribute("val"), let level = Int(value),
      level >= 0, level < 9
    else { return nil }
    return min(6, level + 1)
  }

  private static func isHidden(_ run: Markup.Node) -> Bool {
    guard let vanish = run.first(where: { $0.name == "vanish" }) else { return false }
    return !["0", "false", "off"].contains(vanish.attribute("val") ?? "")
  }

  /// Which styles are headings: by outline level or by their English name, which Word writes in every language.
  private static func headingLevels(_ root: Markup.Node) -> [String: Int] {
    var levels: [String: Int] = [:]
    for style in root.all({ $0.name == "style" }) {
      guard let id = style.attribute("styleId") else { continue }
      let name = style.first { $0.name == "name" }?.attribute("val")?.lowercased() ?? ""
      if let level = outline(style) {
        levels[id] = level
      } else if name.hasPrefix("heading "), let level = Int(name.dropFirst(8)) {
        levels[id] = min(6, max(1, level))
      } else if name == "title" {
        levels[id] = 1
      } else if name == "subtitle" {
        levels[id] = 2
      }
    }
    return levels
  }

  private static func listStyles(_ root: Markup.Node) -> [String: Numbering.Place] {
    root.all { $0.name == "style" }.reduce(into: [:]) { lists, style in
      if let id = style.attribute("styleId"), let place = Numbering.Place(style) { lists[id] = place }
    }
  }

  private static func parents(_ root: Markup.Node) -> [String: String] {
    root.all { $0.name == "style" }.reduce(into: [:]) { parents, style in
      guard let id = style.attribute("styleId") else { return }
      parents[id] = style.first { $0.name == "basedon" }?.attribute("val")
    }
  }

  /// What a style does not say itself it has from the one it is based on.
  private static func inherited<Value>(_ own: [String: Value], by parents: [String: String]) -> [String: Value] {
    var all = own
    for id in parents.keys where own[id] == nil {
      var at = id
      for _ in 0..<10 {
        guard let parent = parents[at] else { break }
        if let value = own[parent] {
          all[id] = value
          break
        }
        at = parent
      }
    }
    return all
  }
}
