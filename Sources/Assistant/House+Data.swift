import Commands
import Core
import Foundation
import Storage

/// What the house keeps about a person, measured and destroyed kind by kind.
extension House {
  func measure(_ kind: KeptData) async throws -> DataMeasure {
    var measure = DataMeasure(kind: kind, goes: [], stays: [])
    switch kind {
    case .conversations:
      let all = try await vault.conversations.list()
      measure.goes = [
        .init("conversation", "conversations", count: all.count),
        .init("message", "messages", count: all.map(\.messages).reduce(0, +)),
        .init("attached file", "attached files", count: try await vault.documents.attachedCount()),
        .init("line typed into chat", "lines typed into chat", count: try lines(of: folders.chatHistory)),
      ]
    case .documents:
      let all = try await vault.documents.list()
      measure.goes = [
        .init("document", "documents", count: all.count),
        .init("passage", "passages", count: try await vault.documents.counts().chunks),
        .init("byte of originals", "bytes of originals", count: all.map(\.bytes).reduce(0, +)),
        .init("watched folder", "watched folders", count: try await vault.watched.list().count),
      ]
      measure.stays = ["the files they were imported from", "what answers in conversations quote from them"]
    case .logs:
      measure.goes = [
        .init("log entry", "log entries", count: try await errors.entries().count),
        .init("traced answer", "traced answers", count: try await traces.entries().count),
      ]
    case .settings:
      let defaults = Dictionary(uniqueKeysWithValues: Settings().entries.map { ($0.name, $0.value) })
      measure.goes = [
        .init(
          "changed setting", "changed settings", count: settings.entries.filter { defaults[$0.name] != $0.value }.count)
      ]
    case .actions:
      measure.goes = [
        .init("recorded action", "recorded actions", count: try await recordedActions()),
        .init(
          "file of calendar, tasks, notes and mail", "files of calendar, tasks, notes and mail",
          count: try Vault.files(under: folders.actions).count),
      ]
      measure.stays = ["what other programs have taken over from them"]
    case .everything:
      for kind in KeptData.single { measure.goes += try await self.measure(kind).goes }
      measure.goes.append(
        .init(
          "backup in the data folder", "backups in the data folder",
          count: try Vault.files(under: folders.backups).count))
      measure.stays = ["packs", "the key of the API", "the files that documents were imported from"]
      // What such a server runs lies there too, so that this process may not write there.
      let files = FileManager.default
      if files.fileExists(atPath: folders.toolHomes.path),
        try !files.contentsOfDirectory(atPath: folders.toolHomes.path).isEmpty
      {
        measure.stays.append("what tool servers keep for themselves")
      }
    }
    return measure
  }

  /// Returns when nothing of the kind is left in the files.
  func destroy(_ kind: KeptData) async throws {
    switch kind {
    case .conversations:
      // A loaded model still holds what it has read.
      await models.unloadAll(keeping: false)
      try await vault.destroy(.conversations)
      try actions.history.forget(saidIn: nil)
      try await forgetTraces(ofConversations: true)
    case .documents:
      await models.unloadAll(keeping: false)
      await watching.stop()
      try await vault.destroy(.documents)
      try await forgetTraces(ofConversations: false)
    case .logs:
      try await errors.clear()
      try await traces.clear()
    case .settings: try await forgetSettings()
    case .actions:
      try FileManager.default.removeIfThere(folders.actions)
    case .everything:
      for kind in KeptData.single { try await destroy(kind) }
      try FileManager.default.removeIfThere(folders.backups)
    }
  }

  /// Prompts hold evidence and earlier turns: what was saved of them goes, and so does what was typed, and what killed processes were
  /// handed.
  func forgetTraces(ofConversations: Bool) async throws {
    await library.forget()
    try await models.forgetPrompts()
    try Handed.removeLeft(folders)
    if ofConversations { try FileManager.default.removeIfThere(folders.chatHistory) }
  }

  func isMissing(_ document: StoredDocument) -> Bool {
    guard let source = document.source else { return false }
    // What was handed over lies in the cache only until it is imported.
    return !source.hasPrefix(folders.cache.path) && !RegularFile.exists(source)
  }

  private func lines(of file: URL) throws -> Int {
    guard FileManager.default.fileExists(atPath: file.path) else { return 0 }
    // The first line is the history's own.
    return max(0, try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).count - 1)
  }

  /// A journal that cannot be read is counted by its lines: what is damaged can be destroyed too.
  private func recordedActions() async throws -> Int {
    do { return try await actions.doer.actions().count } catch CommandError.lineUnreadable(let file, _) {
      return try Data(contentsOf: URL(filePath: file)).split(separator: UInt8(ascii: "\n")).count
    }
  }
}

extension KeptData {
  static let single = KeptData.allCases.filter { $0 != .everything }
}
