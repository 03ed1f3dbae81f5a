import Core
package import Foundation

/// Where Python packages are listed, in which some models are published too. No index is named in this project: it is the one that a
/// person has set for pip, or the one that pip asks by itself, as it was written down where the program was made. So neither pip nor
/// Python is needed where it runs.
package enum PackageIndex {
  package static let variable = "PIP_INDEX_URL"
  /// Beside the catalogue.
  static let written = "index"

  /// nil where none is known: then those models come from elsewhere. `installed`: the folder of the catalogue.
  package static func locate(
    environment: [String: String], home: URL, installed: URL?, system: URL = URL(filePath: "/etc")
  ) -> String? {
    if let set = environment[variable], !set.isEmpty { return set }
    for file in settings(environment, home, system) {
      // A file that is not there or cannot be read sets nothing.
      guard let text = try? String(contentsOf: file, encoding: .utf8), let set = setting(in: text) else { continue }
      return set
    }
    let file = installed?.appending(path: written)
    // Without it none is known.
    guard let text = file.flatMap({ try? String(contentsOf: $0, encoding: .utf8) }) else { return nil }
    let address = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return address.hasPrefix("https://") ? address : nil
  }

  /// pip's own places, the one that counts most first. A file that is named by variable stands for the person's own; the device of
  /// nothing means none at all.
  private static func settings(_ environment: [String: String], _ home: URL, _ system: URL) -> [URL] {
    let everyone = [system.appending(path: "xdg/pip/pip.conf"), system.appending(path: "pip.conf")].reversed()
    let named = environment["PIP_CONFIG_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    if named == "/dev/null" { return [] }
    if let named, FileManager.default.fileExists(atPath: named) { return [URL(filePath: named)] + everyone }
    let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
    let own = (folder ?? home.appending(path: ".config")).appending(path: "pip/pip.conf")
    return [own, home.appending(path: ".pip/pip.conf")] + everyone
  }

  /// `index-url` below `[global]`.
  static func setting(in text: String) -> String? {
    var isGlobal = false
    for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
      if line.hasPrefix("[") { isGlobal = line == "[global]" }
      let halves = line.split(separator: /[=:]/, maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if isGlobal, halves.count == 2, ["index-url", "index_url"].contains(halves[0].lowercased()) { return halves[1] }
    }
    return nil
  }

  /// The page that lists a package's files; names are spelled in one way only there.
  package static func page(of package: String, on index: String) -> String {
    let words = package.lowercased().split { "-_.".contains($0) }
    return index.trimmingCharacters(in: CharacterSet(charactersIn: "/")) + "/" + words.joined(separator: "-") + "/"
  }

  /// Both forms in which such a page is written.
  package static let accepted = "application/vnd.pypi.simple.v1+json, text/html;q=0.5, */*;q=0.1"

  /// The address that such a page gives for a file, without what follows a number sign. `page`: where it was read.
  package static func address(of file: String, in text: String, at page: String) -> String? {
    func whole(_ reference: String) -> URL? {
      URL(string: String(reference.prefix { $0 != "#" }), relativeTo: URL(string: page))?.absoluteURL
    }
    if let listed = listed(text) {
      return listed.first { $0.filename == file }.flatMap { whole($0.url)?.absoluteString }
    }
    return links(text).lazy.compactMap(whole).first { $0.lastPathComponent == file }?.absoluteString
  }

  private struct Listing: Decodable {
    struct File: Decodable {
      var filename: String
      var url: String
    }
    var files: [File]
  }

  /// What a page in JSON lists; nil for one that is none.
  private static func listed(_ text: String) -> [Listing.File]? {
    guard text.drop(while: \.isWhitespace).first == "{" else { return nil }
    // One that is damaged lists nothing, which is what the person is told.
    return (try? JSON.decode(Listing.self, from: Data(text.utf8)))?.files ?? []
  }

  private static func links(_ html: String) -> [String] {
    html.components(separatedBy: "href=").dropFirst().compactMap { piece in
      guard let quote = piece.first, quote == "\"" || quote == "'" else { return nil }
      return piece.dropFirst().prefix { $0 != quote }.replacingOccurrences(of: "&amp;", with: "&")
    }
  }
}
