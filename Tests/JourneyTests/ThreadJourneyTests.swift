import Foundation
import TestSupport
import Testing

/// Mail as Python's `mailbox` writes it, which nobody here wrote.
@Suite("Mail that belongs together")
struct ThreadJourneyTests {
  private static let script = """
    import email.message, mailbox, os, sys
    def message(id, subject, sender, day, references=(), answered=None, text="Words."):
        one = email.message.EmailMessage()
        one["From"], one["To"], one["Subject"] = sender, "bob@example.org", subject
        one["Date"] = "%02d Jun 2026 09:30:00 +0000" % day
        if id: one["Message-ID"] = "<%s@example.org>" % id
        if references: one["References"] = " ".join("<%s@example.org>" % name for name in references)
        if answered: one["In-Reply-To"] = "<%s@example.org>" % answered
        one.set_content(text)
        return one
    thread = [
        message("c", "Re: Boiler", "Cid <cid@example.org>", 3, ["a", "b"], "b"),
        message("a", "Boiler", "Ann <ann@example.org>", 1),
        message("d", "Re: Boiler", "Dora <dora@example.org>", 4, answered="c"),
        message("b", "Re: Boiler", "Bob <bob@example.org>", 2, ["a"], "a"),
        message("x", "Another", "Eve <eve@example.org>", 2),
        message(None, "Nothing of itself", "Eve <eve@example.org>", 2),
    ]
    box = mailbox.mbox(sys.argv[1] + "/box.mbox")
    for one in thread: box.add(one)
    box.flush()
    folder = mailbox.Maildir(sys.argv[1] + "/Maildir")
    for one in thread:
        one.set_payload(one.get_payload() + "In a Maildir.")
        folder.add(one)
    """

  private func mail(_ program: Program) throws -> URL {
    let folder = program.home.appending(path: "post")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try #require(try Tool.run(["python3", "-c", Self.script, folder.path]).status == 0)
    return folder
  }

  @Test(
    "The messages of a thread are told together, oldest first, from a mailbox and from a Maildir",
    arguments: [
      "box.mbox", "Maildir",
    ])
  func together(kind: String) async throws {
    let program = try Program()
    let folder = try mail(program)
    #expect(try await program.run("import", folder.appending(path: kind).path, "--json").status == 0)
    let all = try await program.run("documents", "list", "--json").objects
    #expect(all.count == 6)
    let threads = Dictionary(grouping: all) { $0["thread"] as? String ?? "" }
    #expect(threads.mapValues(\.count).values.sorted() == [1, 1, 4])
    #expect(threads[""]?.count == 1, "what says nothing of itself is of no thread")

    let one = try #require(all.first { ($0["sender"] as? String)?.hasPrefix("Cid") == true })
    let name = try #require(one["document"] as? String)
    let told = try await program.run("documents", "thread", name, "--json").objects
    #expect(told.map { ($0["sender"] as? String)?.prefix(3) } == ["Ann", "Bob", "Cid", "Dor"])
    #expect(told.first?["sent"] as? String == "2026-06-01T09:30:00Z")
    let lines = try await program.run("documents", "thread", name).lines
    #expect(lines.count == 4 && lines[0].contains("  Ann <ann@example.org>  Boiler  ("), "\(lines)")

    let alone = try #require(all.first { $0["title"] as? String == "Nothing of itself" }?["document"] as? String)
    #expect(try await program.run("documents", "thread", alone, "--json").objects.count == 1)
    #expect(try await program.run("documents", "thread", "nobody", "--json").errorCode == "document_not_found")
    // What goes takes nothing else along.
    #expect(try await program.run("documents", "remove", name, "--json").status == 0)
    let other = try #require(told.first?["document"] as? String)
    #expect(try await program.run("documents", "thread", other, "--json").objects.count == 3)
  }
}
