import Documents
import Foundation

/// A book: its chapters in the order of the spine, each read like a web page.
struct EPUB: FlowingDocument {
  let archive: Archive
  private let package: Markup
  private let folder: String

  static func wanted(_ path: String) -> Bool {
    let suffix = path.split(separator: ".").last?.lowercased() ?? ""
    return ["xml", "opf", "xhtml", "html", "htm"].contains(suffix)
  }

  init(_ archive: Archive) throws {
    self.archive = archive
    guard let container = try archive.markup("META-INF/container.xml"),
      let path = container.root?.first(where: { $0.name == "rootfile" })?.attribute("full-path"),
      let package = try archive.markup(path)
    else { throw DocumentError.damaged("the book's table of parts is missing") }
    self.package = package
    folder = path.contains("/") ? String(path[..<path.lastIndex(of: "/")!]) : ""
    if let rights = archive.entries["META-INF/encryption.xml"] {
      let text = String(decoding: rights, as: UTF8.self)
      // Hidden fonts are common and harmless; hidden chapters are copy protection.
      if text.contains(".xhtml") || text.contains(".html") || archive.names.contains("META-INF/rights.xml") {
        throw DocumentError.protected("its chapters are encrypted by the seller")
      }
    }
  }

  func info() -> DocumentInfo {
    var info = DocumentInfo(kind: .epub)
    info.take(package.root?.first { $0.name == "metadata" })
    return info
  }

  func blocks(_ output: ParseOutput) throws -> [Block] {
    guard let root = package.root else { return [] }
    var items: [String: String] = [:]
    for item in root.all({ $0.name == "item" }) where item.attribute("properties")?.contains("nav") != true {
      if let id = item.attribute("id"), let path = item.attribute("href") { items[id] = path }
    }
    var blocks: [Block] = []
    var read: Set<String> = []
    for reference in root.all({ $0.name == "itemref" }) {
      try output.checkCancelled()
      guard let path = reference.attribute("idref").flatMap({ items[$0] }).map(resolved), read.insert(path).inserted,
        let bytes = archive.entries[path]
      else { continue }
      if let markup = Markup(xml: bytes) ?? TextDecoding.decode(bytes).flatMap({ Markup(html: Self.closed($0.text)) }) {
        blocks += HTMLText.read(markup).blocks
      }
    }
    return blocks
  }

  private func resolved(_ path: String) -> String {
    let plain = (path.split(separator: "#").first.map(String.init) ?? path).removingPercentEncoding ?? path
    var parts = folder.split(separator: "/").map(String.init)
    for part in plain.split(separator: "/") {
      if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(String(part)) }
    }
    return parts.joined(separator: "/")
  }

  /// In XHTML `<title/>` is a whole element; an HTML parser would take all that follows for the title.
  private static func closed(_ text: String) -> String {
    text.replacingOccurrences(
      of: "<(title|script|style|a|div|p|span|i|b|em|td|th)(\\s[^<>]*)?/>", with: "<$1$2></$1>",
      options: .regularExpression)
  }
}
