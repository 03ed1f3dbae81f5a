import Foundation
import TestSupport
import Testing

@Suite("The folders of the main process")
struct FolderTests {
  @Test("A backup made while a server runs lands where the command was told, and a server writes nowhere else")
  func backup() async throws {
    let program = try Program()
    let scratch = try Scratch("elsewhere")
    let elsewhere = scratch.folder
    let serving = try program.start(["serve", "--no-open", "--port", "0"])
    #expect(try await serving.waitFor { $0.contains("LiberaGPT is at") })
    let file = elsewhere.appending(path: "b.backup")
    for _ in 0..<2 {
      let made = try await program.run("backup", file.path, "--json")
      #expect(made.status == 0, "\(made.errors)")
      #expect(FileManager.default.fileExists(atPath: file.path))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == ["b.backup"])
    let kept = try FileManager.default.contentsOfDirectory(atPath: program.home.appending(path: "backups").path)
    #expect(kept.isEmpty)
    let folder = try await program.run("settings", "set", "notesFolder", elsewhere.path)
    #expect(folder.errors.contains("next start"))
    // The kernel holds the server to the folders that it began with, whatever it would write now.
    _ = try await program.run("do", "note that the lamp is broken", "--yes")
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == ["b.backup"])
    let status = try String(contentsOfFile: "/proc/\(serving.identifier)/status", encoding: .utf8)
    #expect(status.contains("NoNewPrivs:\t1\n") && status.contains("Seccomp:\t2\n"), "\(status)")
    _ = try await serving.end()
    #expect(try await program.run("do", "note that the key is under the mat", "--yes").status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).contains { $0.hasSuffix(".md") })
  }

  @Test("A folder that the settings file names, which the main process can write, is not opened and not believed")
  func planted() async throws {
    let program = try Program()
    let scratch = try Scratch("planted")
    let elsewhere = scratch.folder
    try Data(#"{"notesFolder": "\#(elsewhere.path)"}"#.utf8).write(to: program.home.appending(path: "settings.json"))
    #expect(try await program.run("do", "note that the key is under the mat", "--yes").status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).isEmpty)
    #expect(try await program.run("settings", "get", "notesFolder").output == "null\n")
    #expect(try await program.run("doctor").output.contains("gives notesFolder, which is not believed there"))
  }
}
