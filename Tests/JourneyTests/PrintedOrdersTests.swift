import Core
import Foundation
import Testing

/// What strangers wrote, on its way to the terminal of the person who runs the program.
@Suite("What reaches the terminal")
struct PrintedOrdersTests {
  /// Writes the clipboard of many terminals; colours; the same orders in their eight-bit forms; a turned direction.
  private static let orders = "\u{1B}]52;c;cm0gLXJmIH4=\u{07}\u{1B}[31m\u{9D}52;c;eA==\u{9C}\u{9B}5m\u{202E}"

  private func obeyed(_ outcome: Program.Outcome) -> [String] {
    (outcome.output + outcome.errors).unicodeScalars.filter(Visible.isHidden).map { String($0.value, radix: 16) }
  }

  @Test("File names, titles, texts, answers and errors give the terminal no orders", arguments: [[], ["--json"]])
  func orders(manner: [String]) async throws {
    let program = try Program()
    let folder = program.home.appending(path: "papers")
    try Folders.make(folder)
    let name = "pump\(Self.orders).md"
    let text = "# The pump \(Self.orders)\n\nThe pump \(Self.orders) must be cleaned every \(Self.orders) six weeks.\n"
    let path = folder.path + "/" + name
    try #require(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
    let runs: [[String]] = [
      ["import", folder.path], ["documents", "list"], ["search", "cleaned pump"],
      ["ask", "How often must the pump be cleaned?", "--provider", "extractive"],
      ["ask", "x", "--provider", Self.orders], ["documents", "remove", "none\(Self.orders)"], [Self.orders],
      ["time", "tomorrow \(Self.orders)"], ["log"], ["documents", "remove", name],
    ]
    for words in runs {
      let outcome = try await program.start(words + manner).outcome()
      #expect(
        obeyed(outcome).isEmpty, "\(words[0]): \(outcome.output.debugDescription) \(outcome.errors.debugDescription)")
      #expect(!(outcome.output + outcome.errors).isEmpty || words[0] == "log", "\(words)")
    }
    // A text that a program asks for is the text itself, and on a terminal it is shown like any other.
    _ = try await program.run("import", folder.path)
    let words = ["documents", "text", name]
    let piped = try await program.start(words).outcome()
    #expect(piped.output.contains("\u{9B}"))
    let seen = try await program.onTerminal(words).outcome()
    #expect(
      seen.output.contains("six weeks") && !seen.output.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{1B}" })
    // Names that were shown for machines are the names themselves.
    let listed = try await program.run("documents", "list", "--json").objects.first?["document"] as? String
    #expect(listed == name)
  }

  @Test("The title of a conversation from elsewhere stays on its line, and says nothing below it")
  func titles() async throws {
    let program = try Program()
    let id = UUID().uuidString.lowercased()
    _ = try await program.run("ask", "Xylophonquark", "--conversation", id, "--provider", "templates")
    let archive = try await program.run("conversations", "export").output
    #expect(archive.contains("Xylophonquark"))
    let forged = archive.replacing("Xylophonquark", with: #"Talk\nAll documents were removed."#)
    let file = try program.file("talk.json", forged)
    let taken = try await program.run("conversations", "import", file.path)
    #expect(taken.status == 0 && taken.lines.count == 1, "\(taken.output) \(taken.errors)")
    let other = String(taken.output.prefix { $0 != " " })
    let shown = try await program.run("conversations", "show", other).lines
    #expect(shown.first?.contains("removed") == true, "\(shown)")
  }

  @Test("A mail's subject and sender give the terminal no orders")
  func mail() async throws {
    let program = try Program()
    let box = program.home.appending(path: "actions/mail")
    for part in ["cur", "new", "tmp"] { try Folders.make(box.appending(path: part)) }
    let subject = "=?utf-8?B?\(Data("Bill \(Self.orders)".utf8).base64EncodedString())?="
    let mail = "From: \"Meyer\(Self.orders)\" <a@b.example>\r\nSubject: \(subject)\r\n\r\nText \(Self.orders)\r\n"
    try Data(mail.utf8).write(to: box.appending(path: "new/1"))
    let outcome = try await program.run("do", "show me my emails", "--yes")
    #expect(obeyed(outcome).isEmpty, "\(outcome.output.debugDescription)")
    #expect((outcome.output + outcome.errors).contains("Bill"), "\(outcome.output) \(outcome.errors)")
  }

  @Test("A name that is no UTF-8 can be typed, and is listed in a form that can be typed again")
  func names() async throws {
    let program = try Program()
    let home = program.home.path
    let shell = [
      "sh", "-c", "cd \"$0\" && printf 'Ein Wort.' > \"$(printf 'Gr\\374n.txt')\" && exec \"$@\" Gr*.txt", home,
    ]
    let words = shell + [try Program.binary.path, "import", "--json", "--home", home]
    let imported = try await Running(words, environment: program.environment, input: Data()).outcome()
    #expect(
      imported.status == 0 && imported.output.contains("Gr\u{FFFD}fcn.txt"), "\(imported.output)\(imported.errors)")
    let removed = try await program.run("documents", "remove", "Gr\u{FFFD}fcn.txt", "--json")
    #expect(removed.status == 0 && removed.output.contains("1"), "\(removed.errors)")
  }

  @Test("A line of 50 MB is refused in words, wherever lines are read", arguments: ["time", "understand"])
  func line(command: String) async throws {
    let program = try Program()
    let input = Data(repeating: UInt8(ascii: "a"), count: 50_000_000)
    let outcome = try await program.start([command, "--json"], input: input + Data("\n".utf8)).outcome()
    #expect(outcome.status == 2 && outcome.errors.contains("50000000 bytes"), "\(outcome.errors.prefix(300))")
  }

  @Test("A server that watches a folder with a pipe and links in it ends when it is asked to")
  func ends() async throws {
    let program = try Program()
    let folder = program.home.appending(path: "watched")
    try Folders.make(folder)
    try Data("An honest paper.".utf8).write(to: folder.appending(path: "a.txt"))
    try #require(mkfifo(folder.path + "/pipe.txt", 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/root", withDestinationPath: "/")
    let imported = try await program.run("import", "--watch", folder.path, "--json")
    #expect(imported.status == 0 && imported.output.contains("it is a pipe"), "\(imported.output) \(imported.errors)")
    let server = try await program.serve()
    #expect(mkfifo(folder.path + "/later.txt", 0o600) == 0)
    try Data("A later paper.".utf8).write(to: folder.appending(path: "b.txt"))
    // Commands go to the server, which still answers.
    while try await !program.run("documents", "list", "--json").output.contains("b.txt") {
      try await Task.sleep(for: .milliseconds(200))
    }
    let outcome = try await server.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
