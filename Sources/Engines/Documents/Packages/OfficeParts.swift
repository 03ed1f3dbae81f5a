import Documents

/// How the parts of an Office file (docx, xlsx, pptx) name each other.
enum OfficeParts {
  /// The part that the file begins with, whatever it is called.
  static func main(_ archive: Archive) throws -> String? {
    let relations = try archive.markup("_rels/.rels")?.root?.all { $0.name == "relationship" } ?? []
    return relations.first { $0.attribute("Type")?.hasSuffix("/officeDocument") == true }?.attribute("Target")
      .map { resolved($0, beside: "") }
  }

  /// What a part refers to, by the names it uses.
  static func targets(of part: String, in archive: Archive) throws -> [String: (type: String, path: String)] {
    let (folder, name) = split(part)
    guard let root = try archive.markup("\(folder)_rels/\(name).rels")?.root else { return [:] }
    var targets: [String: (type: String, path: String)] = [:]
    for relation in root.all({ $0.name == "relationship" }) where relation.attribute("TargetMode") != "External" {
      guard let id = relation.attribute("Id"), let target = relation.attribute("Target") else { continue }
      targets[id] = (relation.attribute("Type") ?? "", resolved(target, beside: folder))
    }
    return targets
  }

  /// What is known of every Office file.
  static func info(_ archive: Archive, _ kind: DocumentKind) throws -> DocumentInfo {
    var info = DocumentInfo(kind: kind)
    info.take(try archive.markup("docProps/core.xml")?.root)
    return info
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[...slash]), String(path[path.index(after: slash)...]))
  }

  private static func resolved(_ target: String, beside folder: String) -> String {
    var parts = target.hasPrefix("/") ? [] : folder.split(separator: "/")
    for part in target.split(separator: "/") {
      if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}

extension DocumentInfo {
  /// What packages of all kinds say of themselves, in the words of Dublin Core.
  mutating func take(_ said: Markup.Node?) {
    guard let said else { return }
    title = said.first { $0.name == "title" }.flatMap { Title.cleaned($0.text) }
    author = said.first { ["creator", "initial-creator"].contains($0.name) }.map { $0.text.trimmed() }
      .flatMap { $0.isEmpty ? nil : $0 }
    language = LanguageGuess.code(said.first { $0.name == "language" }?.text)
  }
}
