import Core
import Foundation
import Resources
import Safety
import TestSupport
import Workers

@testable import Assistant

/// A house with a real vault in folders of its own, without packs, and without a launcher unless one is asked for.
final class OpenHouse: Sendable {
  private let scratch: Scratch?
  let folders: Folders
  let house: House

  init(in known: Folders? = nil, launching: Bool = false) throws {
    if let known {
      (scratch, folders) = (nil, known)
    } else {
      let made = try Scratch("house")
      let base = made.folder
      scratch = made
      folders = Folders(
        home: base.appending(path: "home", directoryHint: .isDirectory),
        environment: ["HOME": base.path, "XDG_CACHE_HOME": base.appending(path: "cache").path])
    }
    let launcher = launching ? try Launcher(folders, offline: Settings(over: folders.settings).offline) : nil
    house = try House(folders: folders, sensors: LinuxSensors(), launcher: launcher, seal: .unsealed("this is a test"))
  }

  /// Everything of the house that lies on the disk.
  var base: URL { folders.data.deletingLastPathComponent() }

  func events<Of: Assistant.Operation>(_ type: Of.Type, _ input: Of.Input) -> AsyncThrowingStream<Of.Event, any Error> {
    streaming { [house] emit in try await type.run(input, in: house, emit: emit) }
  }

  func all<Of: Assistant.Operation>(_ type: Of.Type, _ input: Of.Input) async throws -> [Of.Event] {
    var events: [Of.Event] = []
    for try await event in self.events(type, input) { events.append(event) }
    return events
  }

  /// The answer's record, in a conversation.
  @discardableResult
  func ask(_ question: String, in conversation: String, after parent: String? = nil) async throws -> AnswerRecord {
    var input = Ask.Input(question: question, conversation: conversation)
    input.parent = parent
    input.provider = .templates
    return try await all(Ask.self, input).compactMap(\.done).last!
  }

  func write(_ text: String, to name: String) throws -> URL {
    let file = base.appending(path: "papers/\(name)")
    try Folders.make(file.deletingLastPathComponent())
    try Data(text.utf8).write(to: file, options: .atomic)
    return file
  }

  /// The files of the home and the cache that hold these bytes, whatever their letters' case.
  func files(containing word: String) throws -> [String] {
    let needle = Data(word.lowercased().utf8)
    return try [folders.data, folders.cache].flatMap { folder -> [String] in
      guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
        if path.lowercased().contains(word.lowercased()) { return true }
        guard let data = FileManager.default.contents(atPath: folder.appending(path: path).path) else { return false }
        return Data(data.map { (65...90).contains($0) ? $0 + 32 : $0 }).range(of: needle) != nil
      }
    }
  }

  /// The names of what is kept of files as they were.
  func originals() throws -> Set<String> {
    let all = try FileManager.default.subpathsOfDirectory(atPath: folders.data.appending(path: "blobs").path)
    return Set(all.map { ($0 as NSString).lastPathComponent }.filter { $0.count > 2 })
  }
}
