import Core
import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite("Backup and restore")
struct BackupTests {
  private let quick = SealedStream.Effort(passes: 1, memory: 8_192)
  private let longName = "actions/" + String(repeating: "größe ", count: 30) + ".ics"

  private func filled(_ rig: Rig) async throws -> Vault {
    let vault = try rig.vault()
    try await Rig.add("carried words\nand more", named: "a", to: vault)
    try await Rig.embed(vault)
    try await vault.conversations.append(
      to: vault.conversations.create(title: "talk").id, role: "user", text: "hello")
    try Folders.make(rig.folders.actions)
    try Data("BEGIN:VCALENDAR".utf8).write(to: rig.folders.data.appending(path: longName))
    return vault
  }

  @Test("Vault, originals and actions arrive on another machine", arguments: [nil, "correct horse", "пароль ü"])
  func carried(password: String?) async throws {
    let (here, there) = (Rig(), Rig())
    let vault = try await filled(here)
    let file = here.folders.data.appending(path: "b.backup")
    let made = try await vault.backUp(to: file, password: password, effort: quick)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    if password != nil { #expect(try Data(contentsOf: file).range(of: Data("carried".utf8)) == nil) }

    let restored = try Restore.restore(file, into: there.folders, password: password, readers: .words)
    #expect(restored.manifest.members == made.members)
    let other = try there.vault()
    #expect(try await other.words.match("carried", headingWeight: 1, limit: 2).count == 1)
    #expect(try await other.vectors(embedder: "test", dimensions: 64).nearest(Rig.vector(1), limit: 9).count == 2)
    #expect(other.blobs.contains(SHA256.of(Data("carried words\nand more".utf8))))
    #expect(try await other.conversations.list().map(\.title) == ["talk"])
    #expect(try String(contentsOf: there.folders.data.appending(path: longName), encoding: .utf8) == "BEGIN:VCALENDAR")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: there.folders.data.path).filter { $0.hasSuffix("draft") }
        == [])
  }

  @Test("A wrong or missing password says so and restores nothing")
  func password() async throws {
    let (here, there) = (Rig(), Rig())
    let file = here.folders.data.appending(path: "b.backup")
    try await filled(here).backUp(to: file, password: "right", effort: quick)
    #expect(throws: StorageError.passwordNeeded) { try Restore.restore(file, into: there.folders, readers: .words) }
    #expect(throws: StorageError.passwordWrong) {
      try Restore.restore(file, into: there.folders, password: "wrong", readers: .words)
    }
    #expect(!FileManager.default.fileExists(atPath: there.folders.vault.path))
  }

  @Test("A backup cut or changed anywhere is refused, and what was there stays", arguments: [nil, "word"])
  func damaged(password: String?) async throws {
    let (here, there) = (Rig(), Rig())
    let file = here.folders.data.appending(path: "b.backup")
    try await filled(here).backUp(to: file, password: password, effort: quick)
    do { try await Rig.add("what was there", named: "x", to: there.vault()) }
    let good = try Data(contentsOf: file)
    let bad = here.folders.data.appending(path: "bad.backup")
    for step in 0..<24 {
      var data = good
      if step % 2 == 0 {
        data = Data(good.prefix(good.count * step / 24))
      } else {
        // Past the padding of a member the bytes carry no meaning in a plain archive; these places lie within the vault.
        data[512 + (good.count - 40_000) * step / 24] ^= 0x40
      }
      try data.write(to: bad)
      #expect(throws: (any Error).self, "step \(step)") {
        try Restore.restore(bad, into: there.folders, password: password, replacing: true, readers: .words)
      }
    }
    #expect(try await there.vault().documents.list().map(\.name) == ["x"])
  }

  @Test("A backup never replaces a vault unasked")
  func unasked() async throws {
    let here = Rig()
    let file = here.folders.data.appending(path: "b.backup")
    do { try await filled(here).backUp(to: file) }
    #expect(throws: StorageError.wouldReplace(path: here.folders.data.path)) {
      try Restore.restore(file, into: here.folders, readers: .words)
    }
    try Restore.restore(file, into: here.folders, replacing: true, readers: .words)
    #expect(try await here.vault().documents.list().count == 1)
  }

  @Test(
    "A backup that is only prepared, thrown away or no longer wanted leaves an open vault as it was; put in place it is there at the next opening"
  )
  func prepared() async throws {
    let (here, there) = (Rig(), Rig())
    let file = here.folders.data.appending(path: "b.backup")
    try await filled(here).backUp(to: file)
    let names = { (rig: Rig) in try FileManager.default.contentsOfDirectory(atPath: rig.folders.data.path).sorted() }
    do {
      let open = try there.vault()
      try await Rig.add("what was there", named: "x", to: open)
      let before = try names(there)
      var shares: [Double] = []
      try Restore.prepare(file, for: there.folders, readers: .words, progress: { shares.append($0) }).discard()
      #expect(shares.count > 2 && shares == shares.sorted() && shares.allSatisfy((0...1).contains))
      #expect(throws: CancellationError.self) {
        try Restore.prepare(file, for: there.folders, readers: .words, check: { throw CancellationError() })
      }
      #expect(try names(there) == before)
      let prepared = try Restore.prepare(file, for: there.folders, readers: .words)
      let others = ["letter.draft", "vectors/notes.txt"]
      for name in ["left-\(UUID().uuidString).draft"] + others {
        let file = there.folders.data.appending(path: name)
        try Folders.make(file.deletingLastPathComponent())
        try PrivateFile.create(file)
      }
      // Whoever cleans up meanwhile takes only what nobody makes any more, and nothing that is a person's own.
      try await open.purge()
      #expect(try names(there).count { $0.hasSuffix(".draft") } == 2)
      for name in others {
        #expect(FileManager.default.fileExists(atPath: there.folders.data.appending(path: name).path), "\(name)")
      }
      try Restore.commit(prepared, there.folders)
      #expect(try await open.documents.list().map(\.name) == ["x"])
    }
    #expect(try await there.vault().documents.list().map(\.name) == ["a"])
    #expect(try !names(there).contains { $0.hasPrefix("restore") })
  }

  @Test("A backup with a foreign trigger in its vault is refused")
  func trigger() async throws {
    let (here, there) = (Rig(), Rig())
    let vault = try await filled(here)
    try await vault.write {
      try $0.script("CREATE TRIGGER x AFTER INSERT ON messages BEGIN DELETE FROM documents; END")
    }
    let file = here.folders.data.appending(path: "b.backup")
    try await vault.backUp(to: file)
    #expect(throws: StorageError.damagedBackup("its tables are not those of a vault")) {
      try Restore.restore(file, into: there.folders, readers: .words)
    }
  }

  @Test(
    "A name that leaves the folder, or is none of ours, is refused",
    arguments: [
      "../x", "/etc/passwd", "actions/../../x", "blobs/aa/short", "settings.json/x", "actions", "vault.sqlite/x", "",
      "actions//x", "blobs/aa/" + String(repeating: "A", count: 64), "blobs/ab/" + String(repeating: "a", count: 64),
      "blobs/ａａ/" + String(repeating: "ａ", count: 64), "Vault.sqlite", "actions/a\0b", "vault.sqlite-wal", "packs/x",
      "actions/" + String(repeating: "x/", count: 40) + "x", "actions/" + String(repeating: "x", count: 300),
    ])
  func names(name: String) { #expect(!Unpacking.isOurs(name)) }

  @Test("A link that somebody has put where a backup is written is not written through")
  func planted() async throws {
    let here = Rig()
    let vault = try await filled(here)
    let victim = here.folders.data.appending(path: "victim")
    try Data("mine".utf8).write(to: victim)
    for name in [".b.backup.draft", "b.backup"] {
      try FileManager.default.createSymbolicLink(
        at: here.folders.data.appending(path: name), withDestinationURL: victim)
    }
    let file = here.folders.data.appending(path: "b.backup")
    try await vault.backUp(to: file)
    #expect(try String(contentsOf: victim, encoding: .utf8) == "mine")
    try Restore.restore(file, into: Rig().folders, readers: .words)
  }

  @Test("A tar program can read what we write")
  func tar() async throws {
    let here = Rig()
    let file = here.folders.data.appending(path: "b.tar")
    try await filled(here).backUp(to: file)
    let (status, listed) = try Tool.run(["tar", "tf", file.path])
    #expect(status == 0)
    #expect(listed.contains("vault.sqlite") && listed.contains("manifest.json") && listed.contains(".ics"))
  }
}
