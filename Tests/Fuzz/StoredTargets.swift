import Core
import Foundation
import Storage

private func home(_ scratch: Scratch, _ name: String) -> Folders {
  let home = scratch.folder.appending(path: name, directoryHint: .isDirectory)
  return Folders(home: home, environment: ["HOME": scratch.folder.path, "XDG_CACHE_HOME": scratch.folder.path])
}

/// Conversation archives, as JSON and as Markdown, into a vault.
final class Archives: Target {
  static let name = "archives"
  private let scratch: Scratch
  private let vault: Vault
  let seeds: [Seed]

  init() async throws {
    scratch = try Scratch()
    vault = try Vault(home(scratch, "home"))
    let conversation = try await vault.conversations.create(title: "A title")
    let first = try await vault.conversations.append(
      to: conversation.id, role: "user", text: "A *question* with\n\n## a heading")
    _ = try await vault.conversations.append(
      to: conversation.id, after: .message(first.id), role: "assistant", text: "An answer [1].")
    _ = try await vault.conversations.append(to: conversation.id, after: .root, role: "user", text: "Another")
    let archive = try await vault.conversations.archive()
    seeds = [Seed(try archive.json()), Seed(try archive.markdown())]
  }

  func feed(_ input: Data) async throws {
    let archive =
      input.first == UInt8(ascii: "{") || input.first == UInt8(ascii: "[")
      ? try ConversationArchive(json: input) : try ConversationArchive(markdown: String(decoding: input, as: UTF8.self))
    let added = try await vault.conversations.add(archive)
    for id in added {
      _ = try await vault.conversations.all(id)
      _ = try await vault.conversations.archive([id]).markdown()
    }
    try await vault.conversations.remove(added)
  }

  func end() async { scratch.remove() }
}

/// Backups without a password: a tar archive of a vault and what belongs to it.
final class Backups: Target {
  static let name = "backups"
  private let scratch: Scratch
  let seeds: [Seed]

  init() async throws {
    scratch = try Scratch()
    let vault = try Vault(home(scratch, "home"))
    _ = try await vault.conversations.create(title: "A title")
    let file = scratch.folder.appending(path: "backup.tar")
    try await vault.backUp(to: file)
    seeds = [Seed(try Data(contentsOf: file))]
  }

  func feed(_ input: Data) async throws {
    let file = try scratch.file("input", input)
    let target = home(scratch, "restored")
    defer {
      do { try FileManager.default.removeItem(at: target.data) } catch {
        // It was refused before there was anything.
      }
    }
    let readers = Restore.Readers(
      isRecord: { $0.hasPrefix("{") }, isHeadings: { $0.hasPrefix("[") }, settleActions: { _, _ in [] })
    try Restore.restore(file, into: target, readers: readers)
    let vault = try Vault(target)
    guard try await vault.integrityFindings().isEmpty else { throw Violation(what: "a restored vault is not whole") }
  }

  func end() async { scratch.remove() }
}

/// Words that come to stand in statements of the database.
final class Searches: Target {
  static let name = "searches"
  private let scratch: Scratch
  private let vault: Vault
  let seeds: [Seed] =
    [
      "water filter", "\"exact words\" AND NOT (other OR more*)", "name:value NEAR(a b, 3)",
      "'; DROP TABLE documents; --",
      "heading : ^first + second", "contract-2024/17.b", "a_b%c", "{column name} : term",
      "O'Neill's \"x\"\"y\" déjà 日本語",
    ].map { Seed($0) }

  init() async throws {
    scratch = try Scratch()
    vault = try Vault(home(scratch, "home"))
    let text = "The water filter of contract-2024/17.b is changed by O'Neill every four months, déjà vu."
    let new = NewDocument(
      name: "paper", hash: try vault.blobs.keep(Data(text.utf8)), title: "Paper", kind: "text", bytes: text.utf8.count)
    guard case .proceed(let document) = try await vault.documents.begin(new) else { return }
    let chunk = ChunkText(
      pageFrom: 1, pageTo: 1, start: 0, end: text.utf8.count, heading: "Paper", text: text, tokens: 20)
    try await vault.documents.append(
      to: document.id, pages: [StoredPage(number: 1, start: 0, text: text)], chunks: [chunk], pagesDone: 1)
  }

  func feed(_ input: Data) async throws {
    let text = String(decoding: input.prefix(4096), as: UTF8.self)
    // Each may refuse; none may change what is there.
    func tried(_ work: () async throws -> Void) async throws {
      do { try await work() } catch let violation as Violation { throw violation } catch { return }
    }
    try await tried { _ = try await vault.words.match(text, headingWeight: 2, limit: 5) }
    try await tried { _ = try await vault.words.match(text, headingWeight: 2, limit: 5, documents: [1, 2]) }
    try await tried { _ = try await vault.words.holding(name: text, limit: 5) }
    try await tried { _ = try await vault.words.telling([text, "filter"]) }
    try await tried { _ = try await vault.words.vocabulary(prefix: text) }
    try await tried { _ = try await vault.words.frequency(of: text) }
    try await tried { _ = try await vault.conversations.search(text) }
    try await tried {
      let conversation = try await vault.conversations.create(title: text)
      let title = try await vault.conversations.get(conversation.id).title
      // A long one is cut.
      let isKept = title == text || (text.unicodeScalars.count > 300 && Array(text.utf8).starts(with: title.utf8))
      guard isKept || text.contains("\0") else { throw Violation(what: "a title came back as another") }
      try await vault.conversations.rename(conversation.id, title: String(text.reversed()))
      _ = try await vault.conversations.search(text)
      try await vault.conversations.remove([conversation.id])
    }
    guard try await vault.words.match("filter", headingWeight: 2, limit: 5).count == 1 else {
      throw Violation(what: "the document is gone")
    }
  }

  func end() async { scratch.remove() }
}

/// Settings files, and single settings as a person types them.
final class Files: Target {
  static let name = "settings"
  private let scratch: Scratch
  let seeds: [Seed]

  init() async throws {
    scratch = try Scratch()
    seeds = [
      Seed(try JSON.encode(Settings(), pretty: true)), Seed(#"{"threads": 4, "offline": true, "mode": "deep"}"#),
      Seed("fast"), Seed("4"), Seed("null"), Seed(#"["a", "b"]"#), Seed("0.5"),
    ]
  }

  func feed(_ input: Data) async throws {
    let text = String(decoding: input, as: UTF8.self)
    let entries = Settings().entries
    do { _ = try Settings().setting(entries[input.count % entries.count].name, to: text) } catch is SettingsError {}
    _ = try Settings(over: try scratch.file("settings.json", input))
  }

  func end() async { scratch.remove() }
}
