import Foundation
import Testing

@Suite("The command line")
struct CommandLineTests {
  @Test("Without a word it shows the list of commands")
  func help() async throws {
    let program = try Program()
    let outcome = try await program.run("help")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("licences"))
    try program.remove()
  }

  @Test(
    "A command line that cannot be understood exits with 2 and says what to do",
    arguments: [
      ["nonsense"], ["version", "--nonsense"], ["version", "extra"], ["completions", "tcsh"], ["completions"],
    ])
  func usage(words: [String]) async throws {
    let program = try Program()
    let outcome = try await program.start(words).outcome()
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("libera help"))
    try program.remove()
  }

  @Test("With --json an error is one object on standard error")
  func jsonError() async throws {
    let program = try Program()
    let outcome = try await program.run("version", "extra", "--json")
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix(#"{"error":{"code":"usage""#))
    try program.remove()
  }

  @Test("The licences of every part are shown")
  func licences() async throws {
    let program = try Program()
    let outcome = try await program.run("licences")
    for part in ["llama.cpp", "whisper.cpp", "PDFium", "Tesseract", "SQLite", "libmicrohttpd", "SmolLM2"] {
      #expect(outcome.output.contains(part))
    }
    try program.remove()
  }

  @Test("There is a completion script for each shell", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) async throws {
    let program = try Program()
    #expect(try await program.run("completions", shell).output.contains("licences"))
    try program.remove()
  }

  @Test(
    "Sourced in bash, completion offers commands, verbs of packs and options",
    arguments: [
      ("libera pa", "packs"), ("libera packs ver", "verify"), ("libera ask --mo", "--mode"),
      ("libera completions z", "zsh"),
    ])
  func sourced(typed: String, offered: String) async throws {
    let program = try Program()
    let script = """
      source <("\(try Program.binary.path)" completions bash)
      COMP_WORDS=(\(typed)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _libera; echo "${COMPREPLY[*]}"
      """
    let shell = try Running(["bash", "-c", script], environment: program.environment, input: Data())
    let outcome = try await shell.outcome()
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.trimmingCharacters(in: .newlines) == offered)
    try program.remove()
  }
}
