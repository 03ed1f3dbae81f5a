import Core
import Foundation
import Testing

@testable import Storage

#if canImport(Glibc)
  import Glibc
#endif

@Suite("When the process or the disk gives up")
struct CrashTests {
  private static let documents = 60

  private static func program() -> URL? {
    // Beside the tests, wherever the build put them.
    let places = [
      URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(), Bundle.main.bundleURL,
      URL(filePath: FileManager.default.currentDirectoryPath).appending(path: ".build/debug"),
    ]
    return places.map { $0.appending(path: "vault-crasher") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }

  /// Runs the importer and kills it after `lines` lines and a moment. Returns what it said.
  private func run(_ rig: Rig, killAfter lines: Int?) async throws -> [String] {
    let process = Process()
    let program = try #require(Self.program(), "build the product vault-crasher first")
    process.executableURL = program
    process.arguments = [rig.folders.data.path, "\(Self.documents)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    var said = Data()
    while case let piece = pipe.fileHandleForReading.availableData, !piece.isEmpty {
      said.append(piece)
      if let lines, said.count(where: { $0 == 10 }) >= lines {
        // Anywhere within what comes next.
        usleep(UInt32.random(in: 0...6_000))
        kill(process.processIdentifier, SIGKILL)
      }
    }
    // Waiting in a run loop would hold a thread that the tests beside this one may need.
    while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
    return String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("Killed at any moment of an import, nothing promised is lost, nothing is there twice, and the import goes on")
  func killed() async throws {
    let rig = Rig()
    var promised: Set<String> = []
    var finished = false
    var kills = 0
    while !finished {
      let said = try await run(rig, killAfter: kills < 50 ? Int.random(in: 1...4) : nil)
      kills += 1
      promised.formUnion(said.filter { $0.hasPrefix("done ") }.map { String($0.dropFirst(5)) })
      finished = said.contains("end")
      if kills % 10 == 0 || finished {
        let vault = try rig.vault()
        #expect(try await vault.integrityFindings() == [])
        let ready = Set(try await vault.documents.list(state: .ready).map(\.name))
        #expect(promised.isSubset(of: ready), "after \(kills) kills")
      }
    }
    #expect(kills > 5)
    let vault = try rig.vault()
    let all = try await vault.documents.list()
    #expect(all.count == Self.documents && all.allSatisfy { $0.state == .ready })
    for document in all {
      #expect(try await vault.documents.pages(of: document.id).map(\.number) == [1, 2, 3, 4])
      #expect(try await vault.documents.chunks(of: document.id).map(\.ordinal) == [0, 1, 2, 3])
    }
    let shelf = vault.vectors(embedder: "test", dimensions: 64)
    #expect(try await shelf.count() == 4 * Self.documents)
    #expect(
      try await shelf.nearest(Rig.vector(1), limit: 1_000).map(\.chunk).sorted()
        == Array(
          Set(
            try await vault.read { db in
              try db.rows("SELECT id FROM chunks", as: { $0.int64(0) })
            })
        ).sorted())
    #expect(try await vault.words.match("number7", headingWeight: 1, limit: 99).count == 4)
  }

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

  private func call(_ command: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
