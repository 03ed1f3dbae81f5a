import Documents

/// PowerPoint's format: a page for each slide with its title, text, tables and notes, in the order they are shown.
struct PPTX: PagedDocument {
  let archive: Archive
  let main: String

  static func wanted(_ path: String) -> Bool {
    path.hasSuffix(".rels") || path.hasPrefix("docProps/core")
      || path.hasSuffix(".xml")
        && ["ppt/presentation", "ppt/slides/", "ppt/notesSlides/"].contains(where: path.hasPrefix)
  }

  func info() throws -> DocumentInfo { try OfficeParts.info(archive, .pptx) }

  func pages(_ output: ParseOutput) throws -> [[Block]] {
    guard let root = try archive.markup(main)?.root else { throw DocumentError.damaged("\(main) is missing") }
    let slides = try OfficeParts.targets(of: main, in: archive)
    // A part that is named ten thousand times is read once.
    var known: Set<String> = []
    let shown = root.all { $0.name == "sldid" }.compactMap { $0.reference.flatMap { slides[$0]?.path } }
    return try shown.filter { known.insert($0).inserted }.map { path in
      try output.checkCancelled()
      guard let slide = try archive.markup(path)?.root else { return [] }
      var blocks = read(slide, as: .paragraph)
      for (type, path) in try OfficeParts.targets(of: path, in: archive).values
      where type.hasSuffix("/notesSlide") && known.insert(path).inserted {
        if let notes = try archive.markup(path)?.root { blocks += read(notes, as: .footnote) }
      }
      return blocks
    }
  }

  /// Dates, numbers and footers that stand on every slide.
  private static let furniture: Set<String> = ["dt", "ftr", "sldNum", "hdr", "sldImg"]

  private func read(_ root: Markup.Node, as usual: Block.Kind) -> [Block] {
    var flow = OfficeFlow()
    var kind = usual
    var headerRow = false
    root.walk(
      enter: { node in
        guard node.isElement else { return .over }
        switch node.name {
        case "sp":
          let role = node.first { $0.name == "ph" }?.attribute("type") ?? ""
          if Self.furniture.contains(role) { return .over }
          kind = usual == .paragraph && ["title", "ctrTitle"].contains(role) ? .heading(level: 2) : usual
        case "p": flow.beginParagraph(kind)
        case "ppr":
          if kind == .paragraph, let level = node.attribute("lvl").flatMap({ Int($0) }), level > 0 {
            flow.setKind(.listItem(level: min(8, level) + 1))
          }
          return .over
        case "t":
          flow.append(node.text)
          return .over
        case "br": flow.append("\n")
        case "tbl":
          flow.beginTable()
          headerRow = node.first { $0.name == "tblpr" }?.attribute("firstRow") == "1"
        case "tr": flow.beginRow()
        case "tc": flow.beginCell()
        case "fallback", "rpr", "endpararpr", "sppr": return .over
        default: break
        }
        return .into
      },
      leave: { node in
        switch node.name {
        case "sp": kind = usual
        case "p": flow.endParagraph()
        case "tc": flow.endCell()
        case "tr":
          flow.endRow(header: headerRow)
          headerRow = false
        case "tbl": flow.endTable()
        default: break
        }
      })
    return flow.blocks
  }
}
