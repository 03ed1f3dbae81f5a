import Core
import Foundation
import TestSupport
import Testing

@testable import Assistant

@Suite("Keys of other programs")
struct KeysTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let scratch = try Scratch("keys")
    try body(scratch.folder)
  }

  @Test("A key holds across a start with the rights it was given, until it is revoked; its secret is kept nowhere")
  func life() throws {
    try withFolder { folder in
      let keys = Keys(folder: folder)
      let secret = try keys.add("Editor", [.ask, .embed])
      let kept = try Data(contentsOf: keys.file)
      #expect(secret.count == 64 && kept.range(of: Data(secret.utf8)) == nil)
      var info = stat()
      #expect(stat(keys.file.path, &info) == 0 && info.st_mode & 0o777 == 0o600)

      let later = Keys(folder: folder)
      #expect(try later.list().map(\.name) == ["Editor"] && later.list()[0].used == nil)
      let caller = try #require(try later.caller(secret))
      #expect(caller.may(.ask) && caller.may(.embed) && !caller.may(.act) && !caller.may(.manage))
      #expect(try later.caller("Editor") == nil && later.caller("") == nil && later.caller(secret + "0") == nil)
      #expect(try later.caller(try #require(later.list().first).name) == nil)
      #expect(try Keys(folder: folder).list()[0].used != nil, "the use is written down")

      try later.revoke("Editor")
      #expect(try later.caller(secret) == nil && Keys(folder: folder).caller(secret) == nil)
      #expect(throws: KeyError.unknown("Editor")) { try later.revoke("Editor") }
    }
  }

  @Test("A key is let in also where nothing can be written down, as on a full disk")
  func unwritable() throws {
    try withFolder { folder in
      let keys = Keys(folder: folder)
      let secret = try keys.add("a", [.ask])
      // A folder where the file is drafted.
      try Folders.make(folder.appending(path: ".keys.json.part", directoryHint: .isDirectory))
      for _ in 0..<2 { #expect(try keys.caller(secret)?.may(.ask) == true) }
      #expect(throws: KeyError.self) { try keys.add("b", [.ask]) }
    }
  }

  @Test("What a key hashes to opens nothing")
  func hash() throws {
    try withFolder { folder in
      let keys = Keys(folder: folder)
      let secret = try keys.add("a", [.ask])
      #expect(try keys.caller(SHA256.of(Data(secret.utf8))) == nil)
    }
  }

  @Test(
    "A key has a name of its own and at least one right",
    arguments: ["", "a\u{1B}[2J", "a/b", "a\nb", String(repeating: "a", count: 65)])
  func names(name: String) throws {
    try withFolder { folder in
      let keys = Keys(folder: folder)
      #expect(throws: KeyError.badName) { try keys.add(name, [.ask]) }
      #expect(throws: KeyError.noRights) { try keys.add("fine", []) }
      _ = try keys.add("fine", [.ask])
      #expect(throws: KeyError.taken("fine")) { try keys.add("fine", [.manage]) }
    }
  }

  @Test("A file of keys that others may read or write, or that is none, lets nobody in")
  func foreign() throws {
    try withFolder { folder in
      let secret = try Keys(folder: folder).add("a", [.ask])
      let file = Keys(folder: folder).file
      for mode: mode_t in [0o644, 0o620, 0o602] {
        chmod(file.path, mode)
        #expect(throws: KeyError.self) { try Keys(folder: folder).caller(secret) }
      }
      chmod(file.path, 0o600)
      #expect(try Keys(folder: folder).caller(secret) != nil)
      try Data(#"[{"entry":{"name":"a","rights":["ask"],"made":"2026-01-01T00:00:00Z"},"hash":"short"}]"#.utf8).write(
        to: file)
      chmod(file.path, 0o600)
      #expect(throws: KeyError.self) { try Keys(folder: folder).caller(secret) }
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/etc/hostname")
      #expect(throws: KeyError.self) { try Keys(folder: folder).caller(secret) }
    }
  }
}
