import Foundation

/// The tools of servers as they were last listed for a person, each with a hash over all that the server says of it. What a person
/// then lets act unasked is that tool: one that has become another is asked about again.
package struct ShownTools: Codable, Sendable, Equatable {
  /// The server's name, the tool's, and the hash.
  private var tools: [String: [String: String]] = [:]

  package init() {}

  private static let mostBytes = 1 << 20
  private static func file(_ folders: Folders) -> URL { folders.data.appending(path: "shown-tools.json") }

  /// Nothing where there is no file, or none that can be read: a person then looks at the tools once more.
  package static func read(_ folders: Folders) -> ShownTools {
    do {
      return try JSON.decode(ShownTools.self, from: RegularFile.whole(file(folders).path, limit: mostBytes))
    } catch { return ShownTools() }
  }

  package mutating func show(_ hashes: [String: String], of server: String) { tools[server] = hashes }

  package func write(_ folders: Folders) throws { try DurableFile.write(JSON.encode(self), to: Self.file(folders)) }

  package func hash(of tool: String, _ server: String) -> String? { tools[server]?[tool] }
}
