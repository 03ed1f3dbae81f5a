import Core
import Foundation
import Testing

@Suite("A conversation in a terminal", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct TerminalTests {
  @Test("/stop ends the answer and not the program; what else is typed meanwhile is asked next; /mode holds")
  func stop() async throws {
    let program = try Program(withPacks: true)
    let chat = try await program.chat(program.heated())
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
    try await chat.quit()
  }

  @Test("What asks for something is done, what asks for the calendar is told, and the rest is asked")
  func commands() async throws {
    let program = try Program(withPacks: true)
    let chat = try await program.chat()
    try chat.type("schedule lunch with Ann tomorrow at noon")
    #expect(try await chat.waitFor { $0.contains("libera actions undo") })
    try chat.type("what do I have tomorrow?")
    #expect(
      try await chat.waitFor {
        $0.contains("In your calendar") && $0.components(separatedBy: "lunch with Ann").count > 3
      })
    let before = try chat.text.count
    try chat.type("What is the capital of France?")
    #expect(try await chat.waitFor { $0.dropFirst(before).contains("tokens/s") })
    #expect(try !chat.text.dropFirst(before).contains("calendar"))
    try await chat.quit()
    // Where nobody sits at the terminal every line is a question.
    let piped = try await program.run("chat", input: "schedule a call with Bob tomorrow at noon\n")
    #expect(piped.status == 0 && !piped.errors.contains("actions undo"), "\(piped.errors)")
  }

  @Test("Lines that are pasted together are asked, and what is ordered in them is not done")
  func pasted() async throws {
    let program = try Program(withPacks: true)
    let chat = try await program.chat(["--provider", "templates"])
    try chat.type("schedule lunch with Zed tomorrow at noon\nThat is what the neighbour wrote")
    #expect(try await chat.waitFor { $0.contains("fast · templates") })
    let outcome = try await chat.quit()
    #expect(!outcome.output.contains("actions undo"), "\(outcome.output)")
    #expect(try await !program.run("actions", "list", "--json").output.contains("Zed"))
  }

  @Test("Every line of several that are pasted together is asked")
  func eachPasted() async throws {
    let program = try Program(withPacks: true)
    let chat = try await program.chat(["--provider", "templates"])
    try chat.type("first of the pasted lines\nsecond of the pasted lines\nthird of the pasted lines")
    #expect(try await chat.waitFor { $0.components(separatedBy: "fast · templates").count > 3 })
    try await chat.quit()
  }

  @Test("Lines that were destroyed elsewhere are not written down again by a conversation that goes on")
  func destroyedLines() async throws {
    let program = try Program(withPacks: true)
    let chat = try await program.chat(["--provider", "templates"])
    try chat.type("What is a xylophonquark?")
    #expect(try await chat.waitFor { $0.contains("fast · templates") })
    #expect(try await program.run("data", "destroy", "conversations", "--yes").status == 0)
    try chat.type("What is a lamp?")
    #expect(try await chat.waitFor { $0.components(separatedBy: "fast · templates").count > 2 })
    try await chat.quit()
    let kept = try String(contentsOf: Folders(home: program.home).chatHistory, encoding: .utf8)
    #expect(kept.contains("lamp") && !kept.contains("xylophonquark"), "\(kept)")
  }

  @Test("Ctrl-C at the prompt empties the line, and what is typed next can be edited")
  func interruptedLine() async throws {
    var program = try Program(withPacks: true)
    program.environment["TERM"] = "xterm"
    let chat = try await program.chat()
    let left = "\u{1B}[D"
    try chat.type("half a thought\u{3}/mode eep\(left)\(left)\(left)d")
    #expect(try await chat.waitFor { $0.contains("Mode: deep") })
    try await chat.quit()
  }

  @Test("Citations have numbers, and open N shows the passage")
  func opened() async throws {
    let program = try Program(withPacks: true)
    let file = try program.file(
      "lease.txt", "The rent of the flat is 930 euros a month.\n\nThe notice period is three months.\n")
    #expect(try await program.run("import", file.path).status == 0)
    let outcome = try await program.run(
      "chat", input: "open 1\nWhat is the notice period?\nopen 1\n/open 99\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("no citations") && outcome.errors.contains("  1  lease"), "\(outcome.errors)")
    #expect(outcome.errors.contains("citations 1 to"), "\(outcome.errors)")
    #expect(outcome.output.contains("The rent of the flat is 930"), "what stands around the passage")
  }

  @Test("Colours are seen on a terminal, and none where NO_COLOR is set")
  func colours() async throws {
    var program = try Program(withPacks: true)
    program.environment["TERM"] = "xterm"
    for plain in [true, false] {
      program.environment["NO_COLOR"] = plain ? "1" : nil
      let seen = try await program.onTerminal(["ask", "What is the capital of France?"]).outcome()
      #expect(seen.output.contains("\u{1B}[2m") == !plain, "\(seen.output)")
      #expect(seen.output.contains("tokens/s"))
    }
  }
}
