import Core
import Foundation
import Releases
import TestSupport
import Testing

@Suite("Another version takes the program's place: its server, its vault, its disk, its address")
struct UpgradeHouseTests {
  /// A server that writes an answer, whoever asked, and an upgrade that finds it so.
  private func answering(_ program: Program, _ unpacked: UnpackedTree) async throws -> (Running, Running, Running) {
    let serving = try program.start(["serve", "--no-open"] + program.heated())
    #expect(try await serving.waitFor { $0.contains("http://127.0.0.1") })
    let ask = try program.start(["ask", "Tell me a story about the sea.", "--json"])
    #expect(try await eventually { !Processes.workers("chat", of: serving.identifier).isEmpty })
    let upgrade = try Running(
      [
        unpacked.tree.folder.appending(path: "bin/libera").path, "upgrade", unpacked.archive().path, "--yes", "--home",
        program.home.path,
      ], environment: program.environment, input: Data())
    return (serving, ask, upgrade)
  }

  @Test(
    "A server that runs finishes its answer, takes no new question, and then ends",
    .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
  func server() async throws {
    let unpacked = try UnpackedTree()
    try unpacked.publish()
    let program = try Program(withPacks: true)
    let (serving, ask, upgrade) = try await answering(program, unpacked)
    #expect(try await upgrade.waitForErrors { $0.contains("The server finishes 1 answer") })
    let late = try await program.run("ask", "And one more?", "--json")
    #expect(late.errorCode == "leaving", "\(late.output) \(late.errors)")
    let answer = try await ask.outcome()
    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer.errors)")
    let ended = try await serving.outcome()
    #expect(ended.status == 0, "\(ended.errors)")
    let outcome = try await upgrade.outcome()
    #expect(outcome.status == 0 && outcome.errors.contains("systemctl --user start libera"), "\(outcome.errors)")
    #expect(try await unpacked.version() == UnpackedTree.new)
  }

  @Test(
    "Whoever waits for its answers is told how to give up, and then it answers as before",
    .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
  func givenUp() async throws {
    let unpacked = try UnpackedTree()
    try unpacked.publish()
    let program = try Program(withPacks: true)
    let (serving, ask, upgrade) = try await answering(program, unpacked)
    #expect(try await upgrade.waitForErrors { $0.contains("Ctrl-C gives this up") })
    upgrade.send(signal: SIGINT)
    #expect(try await upgrade.outcome().status == 130)
    #expect(
      try await eventually { try await program.run("ask", "And more?", "--provider", "templates").status == 0 })
    #expect(try await unpacked.version() == UnpackedTree.old)
    ask.send(signal: SIGINT)
    _ = try await ask.outcome()
    #expect(try await serving.end().status == 0)
  }

  @Test("A conversation on a terminal is not ended for it: that is said, and nothing is changed")
  func conversation() async throws {
    let unpacked = try UnpackedTree()
    try unpacked.publish()
    let chat = try unpacked.start(["chat", "--provider", "templates"])
    #expect(
      try await eventually {
        FileManager.default.fileExists(atPath: unpacked.home.appending(path: "owner.sock").path)
      })
    let outcome = try await unpacked.run("upgrade", unpacked.archive().path, "--yes", "--json")
    #expect(outcome.status == 4 && outcome.errors.contains("End it first"), "\(outcome.errors)")
    #expect(try await unpacked.version() == UnpackedTree.old)
    _ = try await chat.outcome()
  }

  /// Runs SQL on a vault of the home.
  private func sql(_ unpacked: UnpackedTree, _ name: String, _ words: String) throws {
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2])"
    try UnpackedTree.run(["python3", "-c", script, unpacked.home.appending(path: name).path, words])
  }
  private func format(_ unpacked: UnpackedTree, _ name: String) throws -> String {
    let script = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version').fetchone()[0])"
    return try Tool.run(["python3", "-c", script, unpacked.home.appending(path: name).path]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("Going back to a version that cannot read the vault puts the copy from before back and keeps the newer one")
  func vault() async throws {
    let unpacked = try UnpackedTree()
    #expect(try await unpacked.run("documents").status == 0)
    // The version before knew the format 2, and this one has brought the vault to 7.
    try unpacked.lay(
      out: unpacked.tree.previous.folder, "0.1.0", voice: UnpackedTree.voice("0.1.0", vault: 2))
    let vault = unpacked.home.appending(path: "vault.sqlite")
    let refused = try await unpacked.run("upgrade", "--back", "--yes", "--json")
    #expect(refused.status == 4 && refused.errors.contains("no copy from before is kept"), "\(refused.errors)")
    #expect(try await unpacked.version() == UnpackedTree.old)
    try FileManager.default.copyItem(at: vault, to: unpacked.home.appending(path: "vault.sqlite.before-migration"))
    try sql(unpacked, "vault.sqlite.before-migration", "PRAGMA user_version = 2; CREATE TABLE before_it (x);")
    let back = try await unpacked.run("upgrade", "--back", "--yes")
    #expect(back.status == 0 && back.errors.contains("vault.sqlite.after-migration"), "\(back.errors)")
    #expect(try await unpacked.version() == "0.1.0")
    #expect(try format(unpacked, "vault.sqlite") == "2")
    #expect(try format(unpacked, "vault.sqlite.after-migration") == "7")
  }

  @Test(
    "A disk without room for both is said before anything is exchanged, and nothing is left on it",
    .enabled(if: Namespaces.areAllowed, "this machine does not let a person make namespaces"))
  func full() async throws {
    let unpacked = try UnpackedTree()
    try unpacked.publish(files: 40)
    let copy = unpacked.base.appending(path: "copy")
    try FileManager.default.moveItem(at: unpacked.tree.folder, to: copy)
    let size = try ["libera", "libera-worker"].reduce(0) {
      $0
        + (try FileManager.default.attributesOfItem(atPath: copy.appending(path: "lib/libera/\($1)").path)[.size]
          as? Int ?? 0)
    }
    // What the programs take, and less than the 800 kB that the other version has.
    let disk = try SmallDisk("size=\(size / 1024 + 700)k", at: unpacked.tree.parent)
    try disk.shell("cp -a '\(copy.path)' libera-1")
    let outcome = try await unpacked.run("upgrade", unpacked.archive().path, "--yes", "--json", through: disk.through)
    #expect(outcome.status == 4 && outcome.errorCode == "disk_full", "\(outcome.errors)")
    #expect(try disk.shell("ls -A") == "libera-1\n")
    #expect(try await unpacked.run("version", through: disk.through).output.contains(UnpackedTree.old))
    withExtendedLifetime(disk) {}
  }

  @Test("An address is fetched from by the process made for it, from there alone, and not where offline is set")
  func address() async throws {
    let unpacked = try UnpackedTree()
    try unpacked.publish()
    let server = try PackServer(unpacked.published)
    let name = unpacked.archive().lastPathComponent
    let address = "\(server.address)/good/0/\(name)"
    #expect(try await unpacked.run("settings", "set", "offline", "true").status == 0)
    let offline = try await unpacked.run("upgrade", address, "--yes", "--json")
    #expect(offline.status == 4 && offline.errorCode == "offline", "\(offline.errors)")
    #expect(try server.requests().isEmpty)
    #expect(try await unpacked.run("settings", "set", "offline", "false").status == 0)
    let plain = try await unpacked.run("upgrade", "http://example.invalid/\(name)", "--yes", "--json")
    #expect(plain.status == 4 && plain.errorCode == "insecure_address", "\(plain.errors)")

    let looked = try await unpacked.run("upgrade", "--check", address, "--json")
    #expect(looked.status == 0, "\(looked.errors)")
    #expect(try await unpacked.version() == UnpackedTree.old)
    let upgraded = try await unpacked.run("upgrade", address, "--yes")
    #expect(upgraded.status == 0, "\(upgraded.errors)")
    #expect(try await unpacked.version() == UnpackedTree.new)
    let asked = Set(
      try server.requests().map { $0.split(separator: " ")[1].split(separator: "/").last.map(String.init) })
    #expect(asked == [name, ReleaseName.sums, ReleaseName.signature])
    // What was fetched is not kept, and a file that is not the published one is refused.
    #expect(!FileManager.default.fileExists(atPath: unpacked.home.appending(path: "packs/.staging/.release").path))
  }
}
