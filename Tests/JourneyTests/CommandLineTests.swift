import Foundation
import TestSupport
import Testing
import Workers

@Suite("The command line")
struct CommandLineTests {
  @Test("Without a word it shows the list of commands")
  func help() async throws {
    let program = try Program()
    let outcome = try await program.run("help")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("licences"))
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
  }

  @Test("A question without a word is missing, and a collection that there is none of is not asked")
  func nothingToAsk() async throws {
    let program = try Program()
    let empty = try await program.start(["ask", " "]).outcome()
    #expect(empty.status == 2 && empty.errors.contains("The question is missing."))
    for words in [["ask", "rent", "--collection", "nope"], ["search", "rent", "--collection", "nope"]] {
      let outcome = try await program.start(words).outcome()
      #expect(outcome.status == 3 && outcome.output.isEmpty)
      #expect(outcome.errors.contains("There is no collection “nope”."))
    }
  }

  @Test(
    "Who writes a name wrongly is told which one may have been meant, and where what a command takes is said",
    arguments: [
      ("chta", "chat", "help"), ("packs lsit", "packs list", "help packs"), ("undo", "actions undo", "help"),
      ("help setting_refusd", "setting_refused", "help"), ("settings get pak", "pack", "settings describe"),
      ("packs show smolm2", "smollm2-135m-instruct-q4_1", "packs list"), ("ask --mdoe deep x", "--mode", "help ask"),
      ("keys add x --rights aks", "ask", "help keys"),
    ])
  func meant(words: String, meant: String, more: String) async throws {
    let program = try Program()
    let outcome = try await program.start(words.split(separator: " ").map(String.init)).outcome()
    #expect([2, 3].contains(outcome.status), "\(outcome.status)")
    #expect(outcome.errors.contains("Did you mean \"\(meant)\"?"), "\(outcome.errors)")
    #expect(outcome.errors.contains("\"libera \(more)\""), "\(outcome.errors)")
  }

  @Test("Help on what a command does with a verb is that of the command", arguments: ["packs pull", "settings set"])
  func verbs(words: String) async throws {
    let program = try Program()
    let parts = words.split(separator: " ").map(String.init)
    let told = try await program.start(["help"] + parts).outcome()
    let whole = try await program.start(["help", parts[0]]).outcome()
    #expect(told.status == 0 && told.output == whole.output)
    #expect(try await program.start(["help", parts[0], "nonsense"]).outcome().status == 2)
  }

  @Test("Where more is known of an error it names its code, and help says it; where all is said it does not")
  func more() async throws {
    let program = try Program()
    let bundle = program.home.appending(path: "models.tar")
    try FileManager.default.createDirectory(at: program.home, withIntermediateDirectories: true)
    try Data("none".utf8).write(to: bundle)
    let refused = try await program.run("packs", "install", bundle.path)
    #expect(refused.status != 0)
    #expect(refused.errors.hasSuffix("  More: libera help bundle_refused\n"), "\(refused.errors)")
    let told = try await program.run("help", "bundle_refused")
    #expect(told.status == 0 && told.output.contains("libera version"), "\(told.output)")
    #expect(try await program.run("help", "troubles").output.contains(told.output.dropLast()))
    let usage = try await program.run("packs", "nonsense")
    #expect(usage.status == 2 && !usage.errors.contains("More:"), "\(usage.errors)")
    #expect(try await program.run("help", "usage").output.contains("said with the error"))
    #expect(try await program.run("help", "no_such_code").status == 2)
  }

  @Test("With --json an error is one object on standard error")
  func jsonError() async throws {
    let program = try Program()
    let outcome = try await program.run("version", "extra", "--json")
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix(#"{"error":{"code":"usage""#))
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
    // Without a command, and with nobody at a terminal, help is what there is.
    #expect(alone.status == 0 && alone.output.contains("libera help COMMAND"))
  }

  @Test("The licences of every part are shown")
  func licences() async throws {
    let program = try Program()
    let outcome = try await program.run("licences")
    for part in ["llama.cpp", "whisper.cpp", "PDFium", "Tesseract", "SQLite", "libmicrohttpd", "SmolLM2"] {
      #expect(outcome.output.contains(part))
    }
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
  }

  @Test("Every command shows examples of itself, with options that it has")
  func examples() async throws {
    let program = try Program()
    let commands = try await program.run("help").lines.filter { $0.hasPrefix("  ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(commands.count > 30)
    for command in commands {
      let halves = try await program.run("help", command).output.components(separatedBy: "\nExamples:\n")
      let examples = halves.last?.split(separator: "\n") ?? []
      #expect(halves.count == 2 && !examples.isEmpty, "\(command)")
      for example in examples {
        #expect(example.contains("libera \(command)"), "\(example)")
        for option in example.split(separator: " ") where option.hasPrefix("--") {
          #expect(halves[0].contains("  \(option)"), "\(example)")
        }
      }
    }
  }

  @Test("There is a completion script for each shell", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) async throws {
    let program = try Program()
    #expect(try await program.run("completions", shell).output.contains("licences"))
  }

  @Test(
    "Sourced in bash, completion offers commands, verbs of packs and options",
    arguments: [
      ("libera pa", "packs"), ("libera packs ver", "verify"), ("libera ask --mo", "--mode"),
      ("libera completions z", "zsh"), ("libera settings set mod", "mode"), ("libera settings set mode d", "deep"),
      ("libera help licen", "licences"), ("libera help troub", "troubles"), ("libera chat --provider ex", "extractive"),
      ("libera ask --task whole", "whole_document"),
      ("libera ask --mode f", "fast"), ("libera packs pull whisper-small", "whisper-small-f16"),
      ("libera chat --pack smollm2-360", "smollm2-360m-instruct-q8_0"),
    ])
  func sourced(typed: String, offered: String) async throws {
    let program = try Program()
    let script = """
      libera() { "\(try Program.binary.path)" "$@" --home "\(program.home.path)"; }
      source <(libera completions bash)
      COMP_WORDS=(\(typed)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _libera; echo "${COMPREPLY[*]}"
      """
    let shell = try Running(["bash", "-c", script], environment: program.environment, input: Data())
    let outcome = try await shell.outcome()
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.trimmingCharacters(in: .newlines) == offered)
  }
}

@Suite("Names that a shell completes")
struct CompletedNamesTests {
  /// A command in place of the program, with names that a shell could take for orders.
  private static let stand = #"""
    #!/bin/sh
    [ "$1 $2 $3" = "collections list --json" ] && printf '{"collection":"%s","documents":1}\n' 'my notes' '$(touch made)' 'other'
    """#

  private func complete(_ shell: String, _ script: String) async throws -> (output: String, files: [String]) {
    let scratch = try Scratch("shell")
    let folder = scratch.folder
    let stand = folder.appending(path: "libera")
    try Data(Self.stand.utf8).write(to: stand)
    chmod(stand.path, 0o700)
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = "\(folder.path):\(environment["PATH"] ?? "")"
    (environment["HOME"], environment["XDG_CONFIG_HOME"]) = (folder.path, folder.path)
    let words = ["sh", "-c", "cd '\(folder.path)' && exec \(shell) -c \"$0\"", script]
    let outcome = try await Running(words, environment: environment, input: Data()).outcome()
    try #require(outcome.status == 0, "\(outcome.errors)")
    return (outcome.output, try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  private static let needsFish = ConditionTrait.enabled(if: Filter.find("fish") != nil, "fish is not installed")

  @Test("Collections are completed in bash, quoted where they must be, and what they are called orders nothing")
  func collections() async throws {
    let found = try await complete(
      "bash",
      """
      source <('\(try Program.binary.path)' completions bash)
      COMP_WORDS=(libera ask --collection ''); COMP_CWORD=3; _libera
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
    #expect(found.output == "my\\ notes\n\\$\\(touch\\ made\\)\nother\n")
    #expect(!found.files.contains("made"))
  }

  @Test("Collections are completed in fish, and what they are called orders nothing", needsFish)
  func collectionsInFish() async throws {
    let fish = try await complete(
      "fish", "'\(try Program.binary.path)' completions fish | source; complete -C 'libera ask --collection '")
    let offered = fish.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    #expect(Set(offered) == ["my notes", "$(touch made)", "other"], "\(fish.output)")
    #expect(!fish.files.contains("made"))
  }

  @Test(
    "fish completes settings and what they may be", needsFish,
    arguments: [
      ("libera settings set mod", "mode"), ("libera settings set mode d", "deep"), ("libera ask --mode f", "fast"),
    ])
  func fish(typed: String, offered: String) async throws {
    let fish = try await complete(
      "fish", "'\(try Program.binary.path)' completions fish | source; complete -C '\(typed)'")
    #expect(
      fish.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } } == [Substring(offered)], "\(fish.output)")
  }
}

@Suite("The first run in a terminal")
struct FirstRunTests {
  @Test(
    "Without a pack it is asked which one to get, a way that fails leads back to the question, and nothing is fetched unasked"
  )
  func welcome() async throws {
    let program = try Program()
    let first = try program.onTerminal()
    #expect(try await first.waitFor { $0.contains("Which?") && $0.contains("1      fetch the small one") })
    let bundle = try first.text.split(whereSeparator: \.isNewline).first { $0.contains("install the file of models") }
    try first.type(String(try #require(bundle?.first { $0.isNumber })))
    #expect(try await first.waitFor { $0.contains("Where is it?") })
    try first.type(program.home.appending(path: "no-such-bundle.tar").path)
    #expect(try await first.waitFor { $0.components(separatedBy: "Which?").count > 2 })
    try first.type("")
    #expect(try await first.waitFor { $0.contains("Ctrl-D ends") })
    let outcome = try await first.quit()
    #expect(outcome.status == 0 && outcome.output.contains("libera:"), "\(outcome.output)")
    let packs = try await program.run("packs", "list", "--json")
    #expect(try !packs.objects.contains { $0["installed"] is [String: Any] })
    // Without a terminal there is nobody to ask.
    #expect(try await program.run().output.contains("libera help COMMAND"))
  }
}
