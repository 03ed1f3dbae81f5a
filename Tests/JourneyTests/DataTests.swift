import Foundation
import Testing

@Suite("Documents, conversations and data through the program")
struct DataTests {
  private func paper(_ program: Program, _ text: String, _ name: String) throws -> String {
    try program.file("papers/\(name)", text).path
  }

  @Test("A document goes in, is listed and read, and is destroyed only when that is confirmed")
  func documents() async throws {
    let program = try Program()
    let file = try paper(program, "The keeper holds the xylophonquark.", "keys.txt")
    #expect(try await program.run("import", file).status == 0)
    #expect(try await program.run("documents", "list").output.hasPrefix("keys.txt  documents"))
    #expect(try await program.run("documents", "text", "keys.txt").output == "The keeper holds the xylophonquark.")
    #expect(try await program.run("documents", "text", "nothing").status == 3)
    #expect(try await program.run("collections").output == "documents  1 document\n")

    let refused = try await program.run("data", "destroy", "documents")
    #expect(refused.status == 4)
    #expect(refused.errors.contains("1 document,"))
    #expect(try await program.run("documents", "list").lines.count == 1)
    #expect(try await program.run("data", "destroy", "documents", "--yes").status == 0)
    #expect(try await program.run("documents", "list").output.isEmpty)
  }

  @Test("A conversation is gone on with by another run, shown, exported and imported")
  func conversations() async throws {
    let program = try Program()
    let id = UUID().uuidString.lowercased()
    for question in ["What is a deposit?", "And who keeps it?"] {
      #expect(try await program.run("ask", question, "--conversation", id, "--provider", "templates").status == 0)
    }
    #expect(try await program.run("conversations").output.contains("What is a deposit?"))
    let shown = try await program.run("conversations", "show", id).output
    #expect(shown.contains("you  What is a deposit?") && shown.contains("you  And who keeps it?"))
    #expect(try await program.run("conversations", "search", "keeps").output.contains(id))
    #expect(try await program.run("conversations", "show", "nothing").status == 3)
    let archive = try await program.run("conversations", "export", "--format", "markdown").output
    #expect(try await program.run("conversations", "delete", id).status == 0)
    #expect(try await program.run("conversations").output.isEmpty)
    let file = try paper(program, archive, "talk.md")
    #expect(try await program.run("conversations", "import", file).output.hasPrefix(id))
  }

  @Test("A backup with a password comes back with it, and not over what is there unless that is said")
  func backup() async throws {
    var program = try Program()
    program.environment["LIBERA_PASSWORD"] = "correct horse"
    #expect(try await program.run("import", paper(program, "Carried words.", "a.txt")).status == 0)
    let file = program.home.appending(path: "b.backup").path
    #expect(try await program.run("backup", file, "--password").errors.contains("encrypted"))
    #expect(try await program.run("restore", file, "--password").status != 0)
    #expect(try await program.run("data", "destroy", "everything", "--yes").status == 0)
    program.environment["LIBERA_PASSWORD"] = "wrong"
    #expect(try await program.run("restore", file, "--password", "--replace").status != 0)
    program.environment["LIBERA_PASSWORD"] = "correct horse"
    #expect(try await program.run("restore", file, "--password", "--replace").status == 0)
    #expect(try await program.run("documents", "text", "a.txt").output == "Carried words.")
  }
}
