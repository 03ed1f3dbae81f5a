import Foundation

/// The page's files, read once at the start, its modules joined (`PageScripts`). A path is looked up, never joined to a folder.
struct PageFiles: Sendable {
  private struct File: Sendable {
    var data: Data
    /// The same with fewer bytes, for browsers that take it so.
    var gzip: Data?
    var type: String
    var tag: String
  }

  private let files: [String: File]
  private static let scripts = "/js/"

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml", "png": "image/png", "json": "application/json", "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
  ]

  init(folder: URL) throws {
    var read: [String: Data] = [:]
    let root = folder.resolvingSymlinksInPath().path
    guard let walk = FileManager.default.enumerator(atPath: root) else { throw ServerError.pageMissing }
    for case let name as String in walk where Self.types[(name as NSString).pathExtension] != nil {
      read["/" + name] = try Data(contentsOf: URL(filePath: root).appending(path: name))
    }
    let scripts = read.filter { $0.key.hasPrefix(Self.scripts) }
    let joined = try PageScripts.joined(
      scripts.reduce(into: [:]) {
        $0[String($1.key.dropFirst(Self.scripts.count))] = String(decoding: $1.value, as: UTF8.self)
      })
    for (name, text) in joined { read[Self.scripts + name] = Data(text.utf8) }
    let others = read.filter { $0.key.hasSuffix(".css") || $0.key.hasPrefix("/words/") }
    let whole = PageScripts.whole(others.mapValues { String(decoding: $0, as: UTF8.self) })
    for (name, text) in whole { read[name] = Data(text.utf8) }
    var files: [String: File] = [:]
    for (name, data) in read {
      guard let type = Self.types[(name as NSString).pathExtension] else { continue }
      files[name] = File(data: data, gzip: Gzip.smaller(data), type: type, tag: Self.tag(data))
    }
    guard let index = files["/index.html"] else { throw ServerError.pageMissing }
    files["/"] = index
    self.files = files
  }

  var routes: [Route] {
    files.map { path, file in
      Route("GET", path, needs: .nothing, .now { Self.answer($0, file) })
    }
  }

  private static func answer(_ request: Request, _ file: File) -> Response {
    let fresh = request.headers["if-none-match"].map { matches($0, file.tag) } ?? false
    let zipped = Gzip.isTaken(by: request) ? file.gzip : nil
    // A browser asks for an icon again and again, also while it shows one page.
    let cache = file.type == types["svg"] ? "max-age=86400" : "no-cache"
    var response = Response(
      status: fresh ? 304 : 200, type: file.type, cache: cache, .data(fresh ? Data() : zipped ?? file.data))
    response.headers += [("ETag", file.tag), ("Vary", "Accept-Encoding")]
    if zipped != nil, !fresh { response.headers.append(("Content-Encoding", "gzip")) }
    return response
  }

  private static func matches(_ header: String, _ tag: String) -> Bool {
    header.split(separator: ",").contains { item in
      let item = item.trimmingCharacters(in: .whitespaces)
      return item == "*" || item == tag || item == "W/" + tag
    }
  }

  /// FNV-1a: it tells versions apart; nothing rests on it being hard to forge.
  private static func tag(_ data: Data) -> String {
    let hash = data.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "\"\(String(hash, radix: 36))\""
  }
}
