import Core
import Foundation
import Testing

@testable import Server

/// A page takes a backup to where its person likes; nobody else takes one, and nobody anything else.
@Suite struct BackupRoutesTests {
  @Test("A page is given the whole file and its size; a key, another name and a link are given nothing")
  func taken() async throws {
    try await withDesk([]) { desk in
      let folders = Folders(home: desk.folder, environment: ["HOME": desk.folder.path])
      try Folders.make(folders.backups)
      // Longer than several pieces, and no whole number of them.
      let bytes = Data((0..<1_300_001).map { UInt8(truncatingIfNeeded: $0 / 7) })
      try bytes.write(to: folders.backups.appending(path: "libera-1.backup"))
      try Data("secret".utf8).write(to: folders.data.appending(path: "secret.backup"))
      let link = folders.backups.appending(path: "link.backup")
      try FileManager.default.createSymbolicLink(
        at: link, withDestinationURL: folders.data.appending(path: "secret.backup"))
      try FileManager.default.createDirectory(
        at: folders.backups.appending(path: "folder.backup"), withIntermediateDirectories: false)
      try Data("{}".utf8).write(to: folders.backups.appending(path: "notes.json"))

      let page = try await desk.letIn().secret
      let answer = try await desk.ask("GET", "/api/backups/libera-1.backup", as: page)
      #expect(answer.status == 200 && answer.body == bytes)
      #expect(answer.headers["libera-size"] == String(bytes.count))
      let others = [
        "link.backup", "folder.backup", "notes.json", "../secret.backup", "..%2Fsecret.backup", "%2e%2e/secret.backup",
        "",
        ".backup/../../secret.backup", "libera-2.backup",
      ]
      for name in others {
        let status = try await desk.ask("GET", "/api/backups/\(name)", as: page).status
        #expect([400, 404].contains(status), "\(name): \(status)")
      }
      let key = try desk.key(Set(Right.allCases))
      #expect(try await desk.ask("GET", "/api/backups/libera-1.backup", as: key).status == 404)
    }
  }
}
