import Foundation
import Testing

@Suite("A home that others may write")
struct OpenFolderTests {
  @Test(
    "It is refused before anything in it is read, with what to do about it",
    arguments: [["ask", "Hello?"], ["settings"], ["keys", "list"], ["restore", "/nowhere"]])
  func refused(words: [String]) async throws {
    let program = try Program()
    for (mode, place) in [(0o777, program.home.path), (0o770, program.home.path)] {
      try #require(chmod(place, mode_t(mode)) == 0)
      let outcome = try await program.start(words + ["--json"]).outcome()
      #expect(outcome.status == 4)
      #expect(outcome.errorCode == "folder_refused", "\(outcome.errors)")
      #expect(outcome.errors.contains("chmod go-w \(place)"))
    }
    try #require(chmod(program.home.path, 0o700) == 0)
    let cache = program.home.appending(path: "cache/libera")
    try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
    try #require(chmod(cache.path, 0o777) == 0)
    let outcome = try await program.start(words + ["--json"]).outcome()
    #expect(outcome.errorCode == "folder_refused" && outcome.errors.contains(cache.path), "\(outcome.errors)")
  }

  @Test("What the program makes itself is its owner's alone, also where everybody may write around it")
  func made() async throws {
    let program = try Program()
    let home = program.home.appending(path: "new/home")
    let running = try Running(
      [try Program.binary.path, "settings", "--home", home.path], environment: program.environment, input: Data())
    #expect(try await running.outcome().status == 0)
    for place in ["new", "new/home"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: program.home.appending(path: place).path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    }
  }
}
