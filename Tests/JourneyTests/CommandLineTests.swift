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

  @Test("What every command accepts may stand before its name as well")
  func before() async throws {
    let program = try Program()
    func run(_ words: String...) async throws -> Program.Outcome {
      try await Running([Program.binary.path] + words, environment: program.environment, input: Data()).outcome()
    }
    let set = try await run("--home", program.home.path, "--json", "settings", "set", "threads", "2")
    #expect(set.status == 0, "\(set.errors)")
    #expect(FileManager.default.fileExists(atPath: program.home.appending(path: "settings.json").path))
    let alone = try await run("--home=\(program.home.path)")
    #expect(alone.status == 2 && alone.errors.contains("libera help"))
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

  @Test("Where nobody reads the output any more it ends quietly; where it cannot be written it says so")
  func unheard() async throws {
    let program = try Program()
    let words = "'\(try Program.binary.path)' licences"
    let piped = try await Running(
      ["bash", "-c", "\(words) | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}"], environment: program.environment,
      input: Data()
    ).outcome()
    // Small enough to fit the pipe it may end before anyone has gone.
    #expect(["141\n", "0\n"].contains(piped.output), "\(piped.output)")
    #expect(piped.errors.isEmpty)
    let closed = try await Running(
      ["bash", "-c", "{ sleep 0.5; \(words); echo $? >&2; } | true"], environment: program.environment, input: Data()
    ).outcome()
    #expect(closed.errors == "141\n")
    let full = try await Running(
      ["bash", "-c", "\(words) >/dev/full"], environment: program.environment, input: Data()
    ).outcome()
    #expect(full.status == 1 && full.errors.contains("cannot be written"))
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

@Suite("A conversation in a terminal", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct TerminalTests {
  /// `script` gives the program a terminal of its own and passes on what is typed.
  private func chat(_ program: Program, _ options: [String] = []) throws -> Running {
    let words = [try Program.binary.path, "chat", "--home", program.home.path] + options
    return try Running(
      ["script", "-qec", words.map { "'\($0)'" }.joined(separator: " "), "/dev/null"], environment: program.environment,
      input: Data())
  }

  @Test("/stop ends the answer and not the program; what else is typed meanwhile is asked next; /mode holds")
  func stop() async throws {
    let program = try Program(withPacks: true)
    let chat = try chat(program, program.heated())
    #expect(try await chat.waitFor { $0.contains("Ctrl-D ends") && $0.contains("you") })
    try chat.type("/mode deep")
    #expect(try await chat.waitFor { $0.contains("Mode: deep") })
    var stopped = false
    // An answer may end by itself before the word is read.
    for _ in 0..<5 where !stopped {
      let before = try chat.text.count
      try chat.type("Tell me a very long story about the sea.")
      #expect(try await chat.waitFor { $0.count > before + 60 })
      try chat.type("/stop")
      #expect(
        try await chat.waitFor {
          $0.dropFirst(before).contains("stopped") || $0.dropFirst(before).contains("Nothing is being")
        })
      stopped = try chat.text.dropFirst(before).contains("stopped")
    }
    #expect(stopped)
    try chat.type("/quit")
    #expect(try await chat.outcome().status == 0)
    try program.remove()
  }

  @Test("Colours are seen on a terminal, and none where NO_COLOR is set")
  func colours() async throws {
    var program = try Program(withPacks: true)
    let ask = "'\(try Program.binary.path)' ask 'What is the capital of France?' --home '\(program.home.path)'"
    program.environment["TERM"] = "xterm"
    for plain in [true, false] {
      program.environment["NO_COLOR"] = plain ? "1" : nil
      let seen = try await Running(
        ["script", "-qec", ask, "/dev/null"], environment: program.environment, input: Data()
      )
      .outcome()
      #expect(seen.output.contains("\u{1B}[2m") == !plain, "\(seen.output)")
      #expect(seen.output.contains("tokens/s"))
    }
    try program.remove()
  }
}
