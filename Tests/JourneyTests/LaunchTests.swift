import Foundation
import Testing

@Suite("Pointing other programs at the server")
struct LaunchTests {
  @Test(
    "What a program is to be told is written where asked, with a key of its own, and over nothing",
    arguments: [
      ("aider", "openai-api-key: "), ("continue", "schema: v1\nmodels:"), ("open-webui", "\nOPENAI_API_KEY="),
      ("ollama", "export OLLAMA_HOST="), ("curl", "Authorization: Bearer "),
      ("llm", "- model_id: here\n  model_name: "),
    ])
  func written(name: String, content: String) async throws {
    let program = try Program()
    try FileManager.default.createDirectory(at: program.home, withIntermediateDirectories: true)
    let file = program.home.appending(path: "made here")
    let told = try await program.run("launch", name, "--write", file.path)
    #expect(told.status == 0 && told.output.contains(file.path), "\(told.errors)")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains(content), "\(text)")
    #expect(!text.contains("KEY\n") && !text.contains("Bearer KEY"), "\(text)")
    let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(rights == 0o600)
    #expect(try await program.run("keys", "list").output.contains(name))

    let again = try await program.run("launch", name, "--write", file.path)
    #expect(again.status == 2 && again.errors.contains("already"), "\(again.errors)")
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
    // Its key is there already: nothing is left half made.
    let other = program.home.appending(path: "another")
    #expect(try await program.run("launch", name, "--write", other.path).status != 0)
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }

  @Test("What needs no key is written without one")
  func keyless() async throws {
    let program = try Program()
    try FileManager.default.createDirectory(at: program.home, withIntermediateDirectories: true)
    let file = program.home.appending(path: "mcp.json")
    #expect(try await program.run("launch", "mcp", "--write", file.path).status == 0)
    #expect(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) is [String: Any])
    #expect(try await program.run("keys", "list").output.isEmpty)
  }
}
