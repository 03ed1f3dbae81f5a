import Core
import Foundation
import TestSupport
import Testing

@testable import Storage

/// A vault in a folder of its own, gone after the test.
final class Rig: Sendable {
  let folders: Folders

  init(in base: URL = FileManager.default.temporaryDirectory) {
    folders = Folders(home: base.appending(path: "libera-test-\(UUID().uuidString)", directoryHint: .isDirectory))
  }

  deinit {
    do { try FileManager.default.removeItem(at: folders.data) } catch { print("left behind: \(folders.data.path)") }
  }

  func vault() throws -> Vault { try Vault(folders) }

  /// A vault of version 0.1.0, as it lay on the disk of its owner: vault-0.1.0.sql holds the statements of that version, not those of
  /// this one.
  static func layFirstVersion(in folders: Folders) throws {
    try Folders.make(folders.data)
    try PrivateFile.create(folders.vault)
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "vault-0.1.0.sql")
    try Connection(folders.vault, .write).script(String(contentsOf: script, encoding: .utf8))
  }

  /// A document of one page whose chunks are its lines.
  @discardableResult
  static func add(_ text: String, named name: String, to vault: Vault, collection: String = "documents") async throws
    -> Int64
  {
    let data = Data(text.utf8)
    var new = NewDocument(
      name: name, hash: try vault.blobs.keep(data), title: "Title of \(name)", kind: "text", bytes: data.count)
    new.collection = collection
    guard case .proceed(let document) = try await vault.documents.begin(new) else { return 0 }
    try await vault.documents.append(
      to: document.id, pages: [StoredPage(number: 1, start: 0, text: text)], chunks: lines(of: text, title: new.title),
      pagesDone: 1)
    try await vault.documents.finish(document.id)
    return document.id
  }

  static func lines(of text: String, title: String) -> [ChunkText] {
    var start = 0
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      defer { start += line.utf8.count + 1 }
      return ChunkText(
        pageFrom: 1, pageTo: 1, start: start, end: start + line.utf8.count, heading: title, text: String(line),
        tokens: 5)
    }
  }

  static func embed(_ vault: Vault, _ identity: String = "test", seed: UInt64 = 1) async throws {
    let shelf = vault.vectors(embedder: identity, dimensions: 64)
    let pending = try await shelf.pending(limit: 100_000)
    try await shelf.add(pending.map { ($0.chunk, vector(UInt64($0.chunk) &* 7919 &+ seed)) })
  }

  /// A unit vector, the same for the same seed.
  static func vector(_ seed: UInt64, dimensions: Int = 64) -> [Float] {
    var dice = Dice(seed)
    let values = (0..<dimensions).map { _ in Float(dice.next() >> 40) / Float(1 << 24) - 0.5 }
    let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return values.map { $0 / length }
  }

  /// The files under the data folder that contain these bytes, whatever their letters' case.
  func files(containing word: String) throws -> [String] {
    let needle = Data(word.lowercased().utf8)
    return try FileManager.default.subpathsOfDirectory(atPath: folders.data.path).filter { path in
      let file = folders.data.appending(path: path)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue else {
        return false
      }
      let lowered = Data(try Data(contentsOf: file).map { (65...90).contains($0) ? $0 + 32 : $0 })
      return lowered.range(of: needle) != nil
    }
  }
}

extension Restore.Readers {
  /// For vaults whose actions and records are of no interest.
  static let words = Restore.Readers(isRecord: { _ in true }, isHeadings: { _ in true }, settleActions: { _, _ in [] })
}

extension ConversationShelf {
  /// The branch that is shown, from its first message to its last.
  func shown(_ conversation: String) async throws -> [StoredMessage] {
    let messages = Dictionary(uniqueKeysWithValues: try await all(conversation).map { ($0.id, $0) })
    var branch: [StoredMessage] = []
    var next = try await get(conversation).leaf
    while let id = next {
      let message = try #require(messages[id])
      branch.append(message)
      next = message.parent
    }
    return branch.reversed()
  }

  /// The messages that answer or ask the same, oldest first.
  func alternatives(to message: StoredMessage) async throws -> [String] {
    try await all(message.conversation).filter { $0.parent == message.parent }.map(\.id)
  }
}
