import Core
import Foundation
import Storage
import Testing

@testable import Assistant

/// A folder into which somebody else has put what stops, misleads or confuses whoever reads it.
@Suite("Folders that others write into")
struct HostileFolderTests {
  private func folder(_ home: OpenHouse) throws -> String {
    let folder = home.base.appending(path: "papers").path
    _ = try home.write("An honest paper.", to: "honest.txt")
    _ = try home.write("Deep below.", to: "below/deep.txt")
    let secret = home.base.appending(path: "secret")
    try Folders.make(secret)
    try Data("The secret of the other folder.".utf8).write(to: secret.appending(path: "secret.txt"))
    let files = FileManager.default
    try files.createSymbolicLink(atPath: folder + "/leads-out.txt", withDestinationPath: "../secret/secret.txt")
    try files.createSymbolicLink(atPath: folder + "/all", withDestinationPath: "../secret")
    try files.createSymbolicLink(atPath: folder + "/round", withDestinationPath: ".")
    #expect(mkfifo(folder + "/pipe.txt", 0o600) == 0)
    return folder
  }

  private func write(_ text: String, named name: [UInt8], in folder: String) throws -> String {
    let path = folder + "/" + FileName.text(name)
    let descriptor = FileName.withPath(path) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(Foundation.write(descriptor, text, text.utf8.count) == text.utf8.count)
    return path
  }

  @Test("An import follows no link out of its folder and waits for no pipe; each is named with its reason")
  func imported() async throws {
    let home = try OpenHouse()
    let folder = try folder(home)
    let events = try await home.all(Import.self, .init(paths: [folder]))
    #expect(
      try await home.all(ListDocuments.self, .init()).map(\.document).sorted() == ["below/deep.txt", "honest.txt"])
    let skipped = events.filter { $0.event == .skipped }.map { "\($0.document ?? ""): \($0.reason ?? "")" }
    for part in ["leads-out.txt: it is a link", "all: it is a link", "round: it is a link", "pipe.txt: it is a pipe"] {
      #expect(skipped.contains { $0.hasPrefix(part) }, "\(skipped)")
    }
    #expect(try home.files(containing: "secret of the other").isEmpty)

    let named = try await home.all(Import.self, .init(paths: [folder + "/pipe.txt", folder + "/honest.txt"]))
    #expect(
      named.contains { $0.event == .failed && $0.document == "pipe.txt" && $0.reason?.contains("a pipe") == true })
    let led = try await home.all(Import.self, .init(paths: [folder + "/leads-out.txt"]))
    #expect(led.contains { $0.reason?.contains("it is a link; what it leads to is read") == true })
    #expect(
      try await home.all(ListDocuments.self, .init()).contains { $0.source?.hasSuffix("/secret/secret.txt") == true })
    await home.house.close()
  }

  @Test("A file that is named a hundred thousand times is read once")
  func namedOften() throws {
    let home = try OpenHouse()
    let file = try home.write("The lease.", to: "lease.txt")
    #expect(try FileFinder(under: Array(repeating: file.path, count: 100_000)).files.map(\.path) == [file.path])
    // Two names that only look alike are two files.
    let alike = ["caf\u{E9}.txt", "cafe\u{301}.txt"].map { "\(file.deletingLastPathComponent().path)/\($0)" }
    for path in alike { try #require(FileManager.default.createFile(atPath: path, contents: Data("a".utf8))) }
    #expect(try FileFinder(under: alike).files.map { Data($0.path.utf8) } == alike.map { Data($0.utf8) })
  }

  @Test("A file that becomes a link between being found and being read is not followed")
  func replaced() async throws {
    let home = try OpenHouse()
    let folder = try folder(home)
    let found = try FileFinder(under: [folder]).files
    let honest = try #require(found.first { $0.name == "honest.txt" })
    let deep = try #require(found.first { $0.name == "below/deep.txt" })
    try FileManager.default.removeItem(atPath: honest.path)
    try FileManager.default.createSymbolicLink(atPath: honest.path, withDestinationPath: "../secret/secret.txt")
    #expect(throws: FileError.self) { try honest.open() }
    try FileManager.default.moveItem(atPath: folder + "/below", toPath: folder + "/moved")
    try Data("Elsewhere.".utf8).write(to: home.base.appending(path: "secret/deep.txt"))
    try FileManager.default.createSymbolicLink(atPath: folder + "/below", withDestinationPath: "../secret")
    #expect(throws: FileError.self) { try deep.open() }
    await home.house.close()
  }

  @Test("Watching follows no link and waits for no pipe, and says what it leaves out")
  func watched() async throws {
    let home = try OpenHouse()
    await home.house.watching.settle(after: .milliseconds(80))
    let folder = try folder(home)
    _ = try await home.all(WatchFolder.self, .init(folder: folder, collection: "papers"))
    try await home.house.watching.start()
    func names() async throws -> [String] {
      try await home.all(ListDocuments.self, .init()).filter { $0.state == .indexed }.map(\.document).sorted()
    }
    while try await names() != ["below/deep.txt", "honest.txt"] { try await Task.sleep(for: .milliseconds(20)) }
    // What comes later is held to the same.
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/late.txt", withDestinationPath: "../secret/secret.txt")
    #expect(mkfifo(folder + "/late-pipe.txt", 0o600) == 0)
    _ = try write("Kept.", named: [0x6C, 0xFC, 0x2E, 0x74, 0x78, 0x74], in: folder)
    while try await names().count < 3 { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try await names() == ["below/deep.txt", "honest.txt", "l\u{FFFD}fc.txt"])
    #expect(try await home.house.errors.entries().contains { $0.code == "watch_left_out" })
    #expect(try home.files(containing: "secret of the other").isEmpty)

    // A watched folder that becomes a link is no longer looked into.
    await #expect(throws: (any Error).self) {
      try await home.all(WatchFolder.self, .init(folder: folder + "/pipe.txt"))
    }
    await home.house.close()
  }

  @Test("Names of any bytes are imported, listed, read and removed, each by itself")
  func names() async throws {
    let home = try OpenHouse()
    let folder = home.base.appending(path: "papers").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let names: [[UInt8]] = [
      [0x47, 0x72, 0xFC, 0x6E, 0x2E, 0x74, 0x78, 0x74], [0xFF], Array("Gr\u{FFFD}fcn.txt".utf8), Array("-rf".utf8),
      Array("two\nlines.txt".utf8), Array("\u{1B}]52;c;eA==\u{7}.txt".utf8), Array("txt.\u{202E}fdp".utf8),
      // The same to the eye, and two files.
      Array("caf\u{E9}.txt".utf8), Array("cafe\u{301}.txt".utf8), [UInt8](repeating: UInt8(ascii: "n"), count: 255),
    ]
    for (number, name) in names.enumerated() { _ = try write("Paper number \(number).", named: name, in: folder) }
    let events = try await home.all(Import.self, .init(paths: [folder]))
    #expect(events.filter { $0.event == .done }.count == names.count && !events.contains { $0.event == .failed })
    let documents = try await home.all(ListDocuments.self, .init())
    #expect(Set(documents.map { FileName.bytes($0.document) }) == Set(names))
    #expect(documents.allSatisfy { !$0.missing })
    for (number, name) in names.enumerated() {
      let text = try await home.all(ReadDocument.self, .init(document: FileName.text(name))).first?.text
      #expect(text == "Paper number \(number).")
    }
    // Known ones are known again.
    let again = try await home.all(Import.self, .init(paths: [folder]))
    #expect(again.filter { $0.event == .skipped }.count == names.count)
    for (number, name) in names.enumerated() {
      let removed = try await home.all(RemoveDocuments.self, .init(documents: [FileName.text(name)]))
      #expect(removed.first?.removed == 1, "\(number)")
    }
    #expect(try await home.all(ListDocuments.self, .init()).isEmpty)
    await home.house.close()
  }

  @Test("A file that takes long to be read delays no question, and a cancelled import leaves it at once")
  func large() async throws {
    let home = try OpenHouse()
    let file = try home.write("x", to: "vast.txt")
    // Nothing but a hole, as large as a disk: hashing it takes many minutes.
    try #require(truncate(file.path, 1 << 40) == 0)
    let importing = Task { try await home.all(Import.self, .init(paths: [file.path])) }
    while home.house.library.imports == 0 { try await Task.sleep(for: .milliseconds(5)) }
    let record = try await home.ask("What is the capital of France?", in: UUID().uuidString)
    #expect(!record.answer.isEmpty)
    #expect(home.house.library.imports == 1)
    importing.cancel()
    _ = await importing.result
    while home.house.library.imports > 0 { try await Task.sleep(for: .milliseconds(5)) }
    await home.house.close()
  }
}
