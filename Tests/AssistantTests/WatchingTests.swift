import Core
import Foundation
import Storage
import Testing

@testable import Assistant

@Suite("Watched folders")
struct WatchingTests {
  private func until(_ home: OpenHouse, _ condition: ([DocumentEntry]) -> Bool) async throws -> [DocumentEntry] {
    while true {
      let documents = try await home.all(ListDocuments.self, .init())
      if condition(documents) { return documents }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func text(_ home: OpenHouse, _ name: String) async throws -> String {
    try await home.all(ReadDocument.self, .init(document: name)).first?.text ?? ""
  }

  @Test("What is new, changed, moved and in new folders is followed; what disappears is offered, never removed")
  func followed() async throws {
    let home = try OpenHouse()
    await home.house.watching.settle(after: .milliseconds(80))
    let before = try home.write("Was there before.", to: "before.txt")
    let folder = before.deletingLastPathComponent().path
    _ = try await home.all(WatchFolder.self, .init(folder: folder, collection: "papers"))
    #expect(try await home.all(ListDocuments.self, .init()).isEmpty)
    try await home.house.watching.start()
    _ = try await until(home) { $0.map(\.document) == ["before.txt"] && $0[0].state == .indexed }

    // Written beside and renamed over, as editors do.
    let after = try home.write("Is there now.", to: "before.txt")
    while try await text(home, "before.txt") != "Is there now." { try await Task.sleep(for: .milliseconds(20)) }

    _ = try home.write("Deep below.", to: "new/er/deep.txt")
    _ = try await until(home) { $0.map(\.document) == ["before.txt", "new/er/deep.txt"] }
    try FileManager.default.moveItem(atPath: folder + "/new", toPath: folder + "/old")
    let moved = try await until(home) { $0.map(\.document) == ["before.txt", "old/er/deep.txt"] }
    #expect(moved.allSatisfy { !$0.missing && $0.collection == "papers" })

    try FileManager.default.removeItem(at: after)
    _ = try await until(home) { $0.first?.missing == true }
    _ = try home.write("Last.", to: "last.txt")
    #expect(try await until(home) { $0.count == 3 }.map(\.document).first == "before.txt")

    _ = try await home.all(UnwatchFolder.self, .init(folder: folder))
    #expect(try await home.all(ListWatched.self, Nothing()).isEmpty)
    #expect(try await home.all(ListDocuments.self, .init()).count == 3)
    await home.house.close()
  }

  @Test(
    "A watched folder that is removed, or moved elsewhere, and comes back is followed again, and the log says that it was gone"
  )
  func returned() async throws {
    let home = try OpenHouse()
    await home.house.watching.settle(after: .milliseconds(80))
    let folder = try home.write("Was there before.", to: "watched/before.txt").deletingLastPathComponent().path
    _ = try await home.all(WatchFolder.self, .init(folder: folder))
    try await home.house.watching.start()
    _ = try await until(home) { $0.map(\.document) == ["before.txt"] }

    try FileManager.default.removeItem(atPath: folder)
    while try await home.house.errors.entries().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try await home.house.errors.entries().map(\.code) == ["folder_not_found"])
    _ = try home.write("Came with another.", to: "watched/new.txt")
    _ = try await until(home) { $0.map(\.document) == ["before.txt", "new.txt"] }

    try FileManager.default.moveItem(atPath: folder, toPath: folder + "-elsewhere")
    _ = try home.write("Is nobody's business.", to: "watched-elsewhere/other.txt")
    _ = try home.write("Came with a third.", to: "watched/third.txt")
    let found = try await until(home) { $0.contains { $0.document == "third.txt" } }
    #expect(!found.contains { $0.document == "other.txt" })
    _ = try home.write("Is followed.", to: "watched/then.txt")
    _ = try await until(home) { $0.contains { $0.document == "then.txt" } }
    await home.house.close()
  }

  #if os(Linux)
    @Test(
      "A disk that is mounted over a watched folder is followed, and what lies below once it is gone again",
      .enabled(if: isMounting, "no disk can be mounted here"))
    func mounted() async throws {
      let home = try OpenHouse()
      await home.house.watching.settle(after: .milliseconds(80))
      let folder = try home.write("Lies below.", to: "watched/below.txt").deletingLastPathComponent().path
      _ = try await home.all(WatchFolder.self, .init(folder: folder))
      try await home.house.watching.start()
      _ = try await until(home) { $0.map(\.document) == ["below.txt"] }

      #expect(mount("none", folder, "tmpfs", 0, nil) == 0)
      _ = try home.write("Lies on the disk.", to: "watched/disk.txt")
      _ = try await until(home) { $0.contains { $0.document == "disk.txt" } }
      #expect(umount2(folder, CInt(MNT_DETACH)) == 0)
      _ = try home.write("Came below.", to: "watched/later.txt")
      _ = try await until(home) { $0.contains { $0.document == "later.txt" } }
      await home.house.close()
    }

    private static let isMounting: Bool = {
      let folder = FileManager.default.temporaryDirectory.appending(path: "mounting-\(UUID().uuidString)").path
      guard mkdir(folder, 0o700) == 0 else { return false }
      defer { rmdir(folder) }
      return mount("none", folder, "tmpfs", 0, nil) == 0 && umount2(folder, CInt(MNT_DETACH)) == 0
    }()

    @Test("Names that begin with an accent, or look alike and are two, are followed as others are")
    func accents() async throws {
      let home = try OpenHouse()
      await home.house.watching.settle(after: .milliseconds(80))
      let folder = home.base.appending(path: "watched", directoryHint: .isDirectory).path
      for name in ["e\u{301}", "\u{e9}"] {
        try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
      }
      _ = try await home.all(WatchFolder.self, .init(folder: folder))
      try await home.house.watching.start()
      let names = ["\u{301}above.txt", "\u{e9}/one.txt", "e\u{301}/two.txt", "\u{e9}.txt", "e\u{301}.txt"]
      for name in names {
        #expect(FileManager.default.createFile(atPath: folder + "/" + name, contents: Data("It is \(name).".utf8)))
        _ = try await until(home) { $0.contains { Array($0.document.utf8) == Array(name.utf8) } }
      }
      await home.house.close()
    }
  #endif

  @Test("Only a folder can be watched, and only a watched one given up")
  func refused() async throws {
    let home = try OpenHouse()
    let file = try home.write("x", to: "x.txt").path
    await #expect(throws: WatchError.self) { try await home.all(WatchFolder.self, .init(folder: file)) }
    // What is called so goes with a conversation, and with none at the next occasion.
    await #expect(throws: StorageError.self) {
      try await home.all(WatchFolder.self, .init(folder: home.base.path, collection: "attached:papers"))
    }
    await #expect(throws: StorageError.self) { try await home.all(UnwatchFolder.self, .init(folder: file)) }
  }
}
