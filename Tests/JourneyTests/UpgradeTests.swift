import Core
import Foundation
import Releases
import TestSupport
import Testing

@Suite("Another version takes the program's place")
struct UpgradeTests {
  @Test("It is looked at without a change, put in place, the one before is kept, and there is a way back")
  func thereAndBack() async throws {
    let unpacked = try UnpackedTree()
    try unpacked.publish()
    let archive = unpacked.archive().path
    let looked = try await unpacked.run("upgrade", "--check", archive, "--json")
    #expect(looked.status == 0, "\(looked.errors)")
    let seen = try #require(looked.objects.first)
    #expect(seen["comparison"] as? String == "newer" && seen["offered"] as? String == UnpackedTree.new)
    #expect(seen["comment"] as? String == "LiberaGPT" && seen["key"] is String)
    #expect(try await unpacked.version() == UnpackedTree.old)
    #expect(try unpacked.beside == ["libera-1"])
    // Nobody has said yes.
    let asked = try await unpacked.run("upgrade", archive, "--json")
    #expect(asked.status == 4 && asked.errorCode == "upgrade_refused")

    let upgraded = try await unpacked.run("upgrade", archive, "--yes")
    #expect(upgraded.status == 0, "\(upgraded.errors)")
    #expect(try await unpacked.version() == UnpackedTree.new)
    #expect(try unpacked.beside == ["libera-1", "libera-1-previous"])
    #expect(try unpacked.tree.key() != nil, "the publisher's key goes on holding")
    // The same again, and an older one, are no upgrades.
    #expect(try await unpacked.run("upgrade", archive, "--yes", "--json").errors.contains("is what is installed"))

    let back = try await unpacked.run("upgrade", "--back", "--yes")
    #expect(back.status == 0, "\(back.errors)")
    #expect(try await unpacked.version() == UnpackedTree.old)
    #expect(try unpacked.beside == ["libera-1"])
    let nothing = try await unpacked.run("upgrade", "--back", "--yes", "--json")
    #expect(nothing.status == 3 && nothing.errorCode == "previous_missing")
  }

  /// What somebody may publish, and the code and words with which it is refused.
  private static let hostile:
    [(what: String, code: String, words: String, make: @Sendable (UnpackedTree) throws -> Void)] =
      [
        (
          "another file under the name", "hash_mismatch", "is not the published file",
          { unpacked in
            try append("x", to: unpacked.archive())
          }
        ),
        (
          "checksums that were changed", "signature_mismatch", "is not of these checksums",
          { unpacked in
            try append("x", to: unpacked.archive())
            let sums = "\(try SHA256.of(file: unpacked.archive()))  \(unpacked.archive().lastPathComponent)\n"
            try Data(sums.utf8).write(to: unpacked.published.appending(path: ReleaseName.sums))
          }
        ),
        (
          "somebody else's signature", "signature_mismatch", "was signed with the key",
          { try $0.sign(with: SigningKey()) }
        ),
        (
          "no signature", "upgrade_refused", "There is no signature",
          { unpacked in
            try FileManager.default.removeItem(at: unpacked.published.appending(path: ReleaseName.signature))
          }
        ),
        (
          "no checksums", "upgrade_refused", "There is no signature",
          { unpacked in
            try FileManager.default.removeItem(at: unpacked.published.appending(path: ReleaseName.sums))
          }
        ),
        (
          "no archive", "upgrade_refused", "no file of gzip",
          { unpacked in
            try Data("this is no archive".utf8).write(to: unpacked.archive())
            try unpacked.sign()
          }
        ),
        ("an archive that leads out", "upgrade_refused", "lies outside of", { try pack($0, "../../evil", nil) }),
        ("a link out", "upgrade_refused", "leads out of it", { try pack($0, "share/link", "../../../etc") }),
        (
          "something beside the program", "upgrade_refused", "more than bin",
          { unpacked in
            try unpacked.publish { try Data().write(to: $0.appending(path: "letters.txt")) }
          }
        ),
        (
          "a version that calls itself another", "upgrade_refused", "calls itself 9.9.1",
          { unpacked in
            try unpacked.publish(voice: UnpackedTree.voice("9.9.1"))
          }
        ),
        (
          "a list that names another version", "upgrade_refused", "calls itself 9.8.0",
          { unpacked in
            try unpacked.publish { folder in
              let list = #"{"metadata": {"component": {"name": "libera", "version": "9.8.0"}}}"#
              try Data(list.utf8).write(to: folder.appending(path: "lib/libera/sbom.json"))
            }
          }
        ),
        (
          "one that does not start here", "upgrade_refused", "does not start here",
          { unpacked in
            try unpacked.publish { folder in
              try Data("#!/bin/sh\nexit 127\n".utf8).write(to: folder.appending(path: "lib/libera/libera"))
            }
          }
        ),
      ]

  private static func append(_ text: String, to file: URL) throws {
    try (Data(contentsOf: file) + Data(text.utf8)).write(to: file)
  }

  /// An archive with one more member, whatever its name.
  private static func pack(_ unpacked: UnpackedTree, _ name: String, _ target: String?) throws {
    let script = """
      import gzip, io, sys, tarfile
      path, name, target = sys.argv[1:]
      whole = tarfile.open(fileobj=io.BytesIO(gzip.open(path).read()))
      top = whole.getmembers()[0].name
      with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as out:
          for member in whole.getmembers():
              out.addfile(member, whole.extractfile(member) if member.isfile() else None)
          more = tarfile.TarInfo(f"{top}/{name}")
          if target: more.type, more.linkname = tarfile.SYMTYPE, target
          out.addfile(more)
      """
    try UnpackedTree.run(["python3", "-c", script, unpacked.archive().path, name, target ?? ""])
    try unpacked.sign()
  }

  @Test(
    "What is not what its publisher made is refused with the reason, and nothing is changed",
    arguments: hostile.map(\.what))
  func refused(what: String) async throws {
    let hostile = try #require(Self.hostile.first { $0.what == what })
    let unpacked = try UnpackedTree()
    try unpacked.publish()
    try hostile.make(unpacked)
    let outcome = try await unpacked.run("upgrade", unpacked.archive().path, "--yes", "--json")
    #expect(outcome.status == 4 && outcome.errorCode == hostile.code, "\(outcome.errors)")
    #expect(outcome.errors.contains(hostile.words), "\(outcome.errors)")
    #expect(try await unpacked.version() == UnpackedTree.old)
    #expect(try unpacked.beside == ["libera-1"])
    #expect(!FileManager.default.fileExists(atPath: unpacked.base.appending(path: "evil").path))
  }

  @Test("Where no key is known a checksum is enough and that is said; a key that is named is kept from then on")
  func trust() async throws {
    let unpacked = try UnpackedTree(carriesKey: false)
    try unpacked.publish()
    let archive = unpacked.archive().path
    let looked = try await unpacked.run("upgrade", "--check", archive)
    #expect(looked.status == 0 && looked.errors.contains("Not signed by anybody known here"), "\(looked.errors)")
    let key = try unpacked.keyFile.path
    let upgraded = try await unpacked.run("upgrade", archive, "--key", key, "--yes")
    #expect(upgraded.status == 0 && upgraded.errors.contains("Signed by the publisher's key"), "\(upgraded.errors)")
    #expect(try unpacked.tree.key() != nil)
    // From now on its holder alone publishes.
    try unpacked.publish("9.9.1")
    let other = try await unpacked.run("upgrade", unpacked.archive("9.9.1").path, "--key", key, "--yes", "--json")
    #expect(other.status == 4 && other.errors.contains("carries its publisher's key already"), "\(other.errors)")
    try unpacked.sign(with: SigningKey())
    #expect(
      try await unpacked.run("upgrade", unpacked.archive("9.9.1").path, "--yes", "--json").errorCode
        == "signature_mismatch")
  }

  @Test("An older version is refused; a checkout and a file by another name say what to do instead")
  func others() async throws {
    let unpacked = try UnpackedTree()
    try unpacked.publish("0.0.1")
    let older = try await unpacked.run("upgrade", unpacked.archive("0.0.1").path, "--yes", "--json")
    #expect(older.status == 4 && older.errors.contains("is older than"), "\(older.errors)")
    #expect(
      try await unpacked.run("upgrade", "--check", unpacked.archive("0.0.1").path, "--json").output.contains("older"))
    let named = try await unpacked.run("upgrade", "/tmp/program.zip", "--json")
    #expect(named.status == 4 && named.errors.contains("is not named as a version"))
    let program = try Program()
    let checkout = try await program.run("upgrade", "/tmp/x", "--json")
    #expect(checkout.status == 4 && checkout.errors.contains("git pull"), "\(checkout.errors)")
  }

  @Test("Killed at any moment it leaves a whole version in place, and the next try ends well")
  func killed() async throws {
    let unpacked = try UnpackedTree()
    try unpacked.publish(files: 400)
    // As long as it takes here: the kills are spread over all of it, and a little beyond.
    let began = ContinuousClock.now
    #expect(try await unpacked.run("upgrade", unpacked.archive().path, "--yes").status == 0)
    let whole = ContinuousClock.now - began
    #expect(try await unpacked.run("upgrade", "--back", "--yes").status == 0)
    var reached = 0
    let attempts = ProcessInfo.processInfo.environment["LIBERA_KILLS"].flatMap(Int.init) ?? 24
    for attempt in 0..<attempts {
      let upgrade = try unpacked.start(["upgrade", unpacked.archive().path, "--yes"])
      try await Task.sleep(for: whole * (1.2 * Double(attempt) / Double(attempts)))
      upgrade.send(signal: SIGKILL)
      _ = try await upgrade.outcome()
      let version = try #require(try await unpacked.version(), "no version works after attempt \(attempt)")
      #expect([UnpackedTree.old, UnpackedTree.new].contains(version))
      guard version == UnpackedTree.new else { continue }
      reached += 1
      #expect(try await unpacked.run("upgrade", "--back", "--yes").status == 0)
      #expect(try await unpacked.version() == UnpackedTree.old)
    }
    let last = try await unpacked.run("upgrade", unpacked.archive().path, "--yes")
    #expect(last.status == 0, "\(last.errors)")
    #expect(try await unpacked.version() == UnpackedTree.new)
    #expect(try unpacked.beside == ["libera-1", "libera-1-previous"], "\(reached) attempts had come to the end before")
    // Removing the program takes along what upgrades have kept.
    #expect(try await unpacked.run("uninstall", "--yes").status == 0)
    #expect(try unpacked.beside == [])
  }

  @Test(
    "Without power at any moment a whole version stands in its place, and the new one once that was said",
    .enabled(if: Shim.isPossible, "\(PowerLoss.needs)"))
  func powerless() async throws {
    let unpacked = try UnpackedTree()
    try unpacked.publish(files: 20)
    let (archive, laid) = (
      unpacked.archive().path, unpacked.base.appending(path: "laid/libera-9.9.0-\(ReleaseName.system)")
    )
    let power = try PowerLoss(root: unpacked.tree.parent)
    var ends: [Bool: Int] = [:]
    // Spread over all that is synced, and a little beyond.
    let attempts = ProcessInfo.processInfo.environment["LIBERA_KILLS"].flatMap(Int.init) ?? 12
    for attempt in 0..<attempts {
      try power.begin()
      let sync = 1 + 56 * attempt / max(1, attempts - 1)
      let upgrade = try unpacked.start(["upgrade", archive, "--yes"], beside: power.environment(dyingAt: sync))
      let outcome = try await upgrade.outcome()
      #expect([0, SIGKILL].contains(outcome.status), "\(outcome.errors)")
      let manner = PowerLoss.Manner.allCases[attempt % PowerLoss.Manner.allCases.count]
      try power.cut(manner)
      let version = try #require(try await unpacked.version(), "no version works after sync \(sync), \(manner)")
      #expect(version == UnpackedTree.new || version == UnpackedTree.old && outcome.status != 0, "\(sync) \(manner)")
      ends[outcome.status == 0, default: 0] += 1
      guard version == UnpackedTree.new else { continue }
      try UnpackedTree.run(["diff", "-r", "--exclude=publisher.pub", laid.path, unpacked.tree.folder.path])
      #expect(try await unpacked.run("upgrade", "--back", "--yes").status == 0)
    }
    #expect(ends.count == 2, "some died and some came to their end: \(ends)")
  }
}
