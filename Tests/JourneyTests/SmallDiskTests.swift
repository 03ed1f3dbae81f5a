import Foundation
import Testing

@Suite(
  "A disk that is full or read-only",
  .enabled(if: Namespaces.areAllowed, "this machine does not let a person make namespaces"))
struct SmallDiskTests {
  private let conversation = "6d1c4b0a-0c57-4a55-9c0e-6a1f0a3f2b11"

  /// What was there before, and still is.
  private func expectWhole(_ program: Program, _ disk: SmallDisk) async throws {
    let text = try await program.run("documents", "text", "kept.txt", through: disk.through)
    #expect(text.output == "Words that were kept.", "\(text.errors)")
    let talk = try await program.run("conversations", "show", conversation, through: disk.through)
    #expect(talk.output.contains("What was said before?"), "\(talk.errors)")
    let settings = try await program.run("settings", through: disk.through)
    #expect(settings.output.contains("deep"), "\(settings.errors)")
    let doctor = try await program.run("doctor", "--json", through: disk.through)
    #expect(!doctor.output.isEmpty)
  }

  private func prepared(_ options: String) async throws -> (Program, SmallDisk, papers: URL) {
    var program = try Program()
    let papers = program.home.appendingPathExtension("papers")
    try FileManager.default.createDirectory(at: papers, withIntermediateDirectories: true)
    program.environment["XDG_CACHE_HOME"] = papers.appending(path: "cache").path
    try Data("Words that were kept.".utf8).write(to: papers.appending(path: "kept.txt"))
    let many = (0..<20_000).map { "Line \($0) of a long report about the sea and what is in it." }
    try Data(many.joined(separator: "\n").utf8).write(to: papers.appending(path: "long.txt"))
    let disk = try SmallDisk(options, at: program.home)
    let kept = papers.appending(path: "kept.txt").path
    for words in [
      ["import", kept], ["ask", "What was said before?", "--conversation", conversation, "--provider", "templates"],
      ["settings", "set", "mode", "deep"],
    ] {
      let outcome = try await program.start(words, through: disk.through).outcome()
      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    }
    return (program, disk, papers)
  }

  private func works(_ papers: URL) -> [[String]] {
    [
      ["import", papers.appending(path: "long.txt").path],
      ["ask", "And now?", "--conversation", conversation, "--provider", "templates"],
      ["settings", "set", "mode", "fast"], ["do", "note that the disk is small", "--yes"],
    ]
  }

  @Test("A full disk: whatever is tried says so and what to do, nothing is lost, and with space again it works")
  func full() async throws {
    let (program, disk, papers) = try await prepared("size=48m")
    for words in works(papers) + [["backup", program.home.appending(path: "b.backup").path]] {
      // What a run has put away at its end leaves room for the next.
      try disk.fill()
      let outcome = try await program.start(words + ["--json"], through: disk.through).outcome()
      #expect(outcome.status == 4, "\(words): \(outcome.output)")
      #expect(outcome.errorCode == "disk_full", "\(words): \(outcome.errors)")
      #expect(outcome.errors.contains("Free some space"), "\(words): \(outcome.errors)")
    }
    #expect(try !disk.shell("ls -a").contains("b.backup"))
    try disk.empty()
    try await expectWhole(program, disk)
    for words in works(papers) + [["backup", papers.appending(path: "b.backup").path]] {
      let outcome = try await program.start(words, through: disk.through).outcome()
      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    }
    #expect(try await program.run("search", "report about the sea", through: disk.through).output.contains("long.txt"))
  }

  @Test("A disk that fills up in the middle of an import: the import ends with that, and goes on where it was")
  func filling() async throws {
    let (program, disk, papers) = try await prepared("size=3m")
    let long = papers.appending(path: "long.txt").path
    let outcome = try await program.run("import", long, "--json", through: disk.through)
    #expect(outcome.status == 4 && outcome.errors.contains("disk_full"), "\(outcome.errors)")
    try await expectWhole(program, disk)
    try disk.shell("mount -o remount,size=64m '\(program.home.path)'")
    #expect(try await program.run("import", long, through: disk.through).status == 0)
    #expect(
      try await program.run("documents", "text", "long.txt", through: disk.through).output.contains("Line 19999 of"))
  }

  @Test("A read-only disk: whatever is tried says so, nothing is lost, and it works when it can be written again")
  func readOnly() async throws {
    let (program, disk, papers) = try await prepared("size=48m")
    try disk.set(readOnly: true)
    for words in works(papers) + [["backup", program.home.appending(path: "b.backup").path]] {
      let outcome = try await program.start(words + ["--json"], through: disk.through).outcome()
      #expect(outcome.status == 1, "\(words): \(outcome.output)")
      #expect(outcome.errorCode == "data_folder" && outcome.errors.contains("Read-only"), "\(words): \(outcome.errors)")
    }
    try disk.set(readOnly: false)
    try await expectWhole(program, disk)
    for words in works(papers) {
      let outcome = try await program.start(words, through: disk.through).outcome()
      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    }
  }
}
