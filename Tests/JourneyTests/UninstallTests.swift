import Foundation
import TestSupport
import Testing

@Suite("Removing the program that was unpacked from the tar file")
struct UninstallTests {
  /// The program as the tar file lays it out, in a home of its own.
  private struct Unpacked {
    private let scratch: Scratch
    private var folder: URL { scratch.folder }
    var tree: URL { folder.appending(path: "libera-1") }
    var data: URL { folder.appending(path: "data/libera") }
    private var lib: URL { tree.appending(path: "lib/libera") }

    init() throws {
      scratch = try Scratch("unpacked")
      for place in [tree.appending(path: "bin"), lib, tree.appending(path: "share"), data] {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        chmod(place.path, 0o700)
      }
      try FileManager.default.copyItem(at: Program.binary, to: lib.appending(path: "libera"))
      try Data("{}".utf8).write(to: lib.appending(path: "sbom.json"))
      try Data("kept".utf8).write(to: data.appending(path: "vault.sqlite"))
    }

    func run(_ words: String...) async throws -> Program.Outcome {
      var environment = ProcessInfo.processInfo.environment
      for (name, place) in [("DATA", "data"), ("CONFIG", "config"), ("CACHE", "cache")] {
        environment["XDG_\(name)_HOME"] = folder.appending(path: place).path
      }
      return try await Running(
        [lib.appending(path: "libera").path, "uninstall"] + words, environment: environment, input: Data()
      ).outcome()
    }

    func has(_ place: URL) -> Bool { FileManager.default.fileExists(atPath: place.path) }
  }

  @Test("It goes when that is confirmed, and data only when that is said as well")
  func removes() async throws {
    let unpacked = try Unpacked()
    let asked = try await unpacked.run("--json")
    #expect(asked.errorCode == "uninstall_refused" && asked.status == 4)
    #expect(unpacked.has(unpacked.tree))
    let outcome = try await unpacked.run("--yes")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!unpacked.has(unpacked.tree) && unpacked.has(unpacked.data.appending(path: "vault.sqlite")))
    let whole = try Unpacked()
    #expect(try await whole.run("--yes", "--data").status == 0)
    #expect(!whole.has(whole.tree) && !whole.has(whole.data))
  }

  @Test(
    "It stays where something of the person's lies in its folder, in a folder that was named, and where it is a checkout's"
  )
  func refuses() async throws {
    let unpacked = try Unpacked()
    #expect(
      try await unpacked.run("--yes", "--data", "--home", unpacked.data.path, "--json").errors.contains("named by you"))
    try Data().write(to: unpacked.tree.appending(path: "letters.txt"))
    let outcome = try await unpacked.run("--yes", "--json")
    #expect(outcome.status == 4 && outcome.errors.contains("letters.txt"), "\(outcome.errors)")
    #expect(unpacked.has(unpacked.tree.appending(path: "letters.txt")) && unpacked.has(unpacked.data))
    let program = try Program()
    #expect(try await program.run("uninstall", "--yes", "--json").errorCode == "uninstall_refused")
  }
}
