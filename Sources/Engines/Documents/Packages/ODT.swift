import Documents
import Foundation

/// OpenDocument text, sheets and slides: headings, paragraphs, nested lists, tables row by row, notes.
struct ODT: FlowingDocument {
  let archive: Archive
  let kind: DocumentKind

  static func wanted(_ path: String) -> Bool { ["content.xml", "meta.xml", "META-INF/manifest.xml"].contains(path) }

  init(_ archive: Archive, type: String) throws {
    self.archive = archive
    kind = type.contains("spreadsheet") ? .ods : type.contains("presentation") ? .odp : .odt
    if let manifest = archive.entries["META-INF/manifest.xml"],
      String(decoding: manifest, as: UTF8.self).contains("encryption-data")
    {
      throw DocumentError.needsPassword
    }
  }

  func info() throws -> DocumentInfo {
    var info = DocumentInfo(kind: kind)
    info.take(try archive.markup("meta.xml")?.root)
    return info
  }

  private static let structure: Set<String> = [
    "text", "note", "note-body", "list", "list-item", "list-header", "section", "frame", "text-box", "table",
    "table-row", "table-cell", "table-header-rows",
  ]

  func blocks(_ output: ParseOutput) throws -> [Block] {
    guard let content = try archive.markup("content.xml"), let root = content.root else {
      throw DocumentError.damaged("content.xml is missing")
    }
    var flow = OfficeFlow(of: archive.entries["content.xml"]?.count ?? 0)
    var lists = 0
    var notes = 0
    var headerRows = 0
    try (root.first { $0.name == "body" } ?? root).walk(
      enter: { node in
        if node.isText {
          // Between elements, line ends are layout of the XML.
          if let parent = node.parent?.name, !Self.structure.contains(parent) {
            flow.append(node.content.replacingOccurrences(of: "\n", with: " "))
          }
          return .into
        }
        guard node.isElement else { return .over }
        switch node.name {
        case "h":
          let level = node.attribute("outline-level").flatMap { Int($0) } ?? 1
          flow.beginParagraph(.heading(level: min(6, max(1, level))))
        case "p": flow.beginParagraph(notes > 0 ? .footnote : lists > 0 ? .listItem(level: lists) : .paragraph)
        case "list": lists += 1
        case "note": notes += 1
        case "s": flow.append(" ")
        case "tab": flow.append(" ")
        case "line-break": flow.append("\n")
        case "table":
          if kind == .ods, let name = node.attribute("name") {
            flow.beginParagraph(.heading(level: 2))
            flow.append(name)
            flow.endParagraph()
          }
          flow.beginTable()
        case "table-header-rows": headerRows += 1
        case "table-row": flow.beginRow()
        case "table-cell", "covered-table-cell": flow.beginCell()
        case "annotation", "tracked-changes", "note-citation", "forms", "sequence-decls", "automatic-styles":
          return .over
        default: break
        }
        return .into
      },
      leave: { node in
        guard node.isElement else { return }
        switch node.name {
        case "h", "p": flow.endParagraph()
        case "list": lists -= 1
        case "note": notes -= 1
        case "table": flow.endTable()
        case "table-header-rows": headerRows -= 1
        case "table-row": flow.endRow(header: headerRows > 0)
        case "table-cell", "covered-table-cell":
          try flow.endCell(repeated: max(1, node.attribute("number-columns-repeated").flatMap { Int($0) } ?? 1))
        default: break
        }
      })
    return flow.blocks
  }
}
