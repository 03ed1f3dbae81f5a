import Core
import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite("When the disk gives up")
struct FullDiskTests {
  @Test(
    "A full disk stops an import with a clear error, loses nothing, and with space again it goes on",
    .enabled(if: geteuid() == 0, "needs root, to mount a small disk"))
  func full() async throws {
    let mount = FileManager.default.temporaryDirectory.appending(path: "libera-small-\(UUID().uuidString)")
    try Folders.make(mount)
    try #require(try call("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", mount.path) == 0)
    do {
      try await fill(mount)
      #expect(try call("umount", mount.path) == 0)
      try FileManager.default.removeItem(at: mount)
    } catch {
      _ = try call("umount", "-l", mount.path)
      throw error
    }
  }

  private func fill(_ mount: URL) async throws {
    let rig = Rig(in: mount)
    let vault = try rig.vault()
    var stored: [String] = []
    var failure: (any Error)?
    let ballast = mount.appending(path: "ballast")
    try Data(count: 2_500_000).write(to: ballast)
    for number in 0..<2_000 where failure == nil {
      do {
        try await Rig.add(
          "words \(number) " + String(repeating: "filler ", count: 3_000), named: "\(number)", to: vault)
        try await Rig.embed(vault)
        stored.append("\(number)")
      } catch { failure = error }
    }
    #expect(failure as? StorageError == .full)
    #expect(stored.count > 3)
    #expect(try await vault.integrityFindings() == [])
    #expect(Set(stored).isSubset(of: try await vault.documents.list().map(\.name)))
    try FileManager.default.removeItem(at: ballast)
    try await Rig.add("after the flood", named: "after", to: vault)
    try await Rig.embed(vault)
    #expect(try await vault.words.match("flood", headingWeight: 1, limit: 5).count == 1)
    #expect(try await vault.documents.find(name: "after")?.state == .ready)
  }

  private func call(_ command: String...) throws -> Int32 { try Tool.run(command).status }
}
