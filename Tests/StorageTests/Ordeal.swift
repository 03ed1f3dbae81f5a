import Commands
import Core
import Foundation
import TestSupport
import Testing

@testable import Storage

/// One home, a program that works in it and is ended again and again, and what it was promised meanwhile.
final class Ordeal {
  enum Dying {
    /// After so many lines and a moment.
    case killed(lines: Int)
    case powerless(PowerLoss, sync: Int)
  }

  private let kind: KillTests.Kind
  private let rig = Rig()
  private let outside = Rig()
  private var promised: [String] = []
  private let count: Int
  var folders: Folders { rig.folders }

  init(_ kind: KillTests.Kind) async throws {
    self.kind = kind
    count = [.purge: 8, .restore: 8, .backup: 6, .migration: 1, .upgrade: 1][kind] ?? 20
    try Folders.make(folders.data)
    try Folders.make(outside.folders.data)
    try Data().write(to: outside.folders.data.appending(path: "sent"))
    if kind == .migration { try await prepareOld() }
    if kind == .upgrade { try Rig.layFirstVersion(in: folders) }
    if kind == .restore { for name in ["even", "odd"] { try await prepareBackup(name) } }
  }

  private func prepareOld() async throws {
    let old = try Vault(folders, migrations: Array(Schema.migrations.prefix(1)))
    try await old.write { db in
      try db.script(
        """
        INSERT INTO collections VALUES (1, 'documents', 0);
        INSERT INTO documents (id, collection, name, hash, title, kind, state, bytes, created, updated)
          VALUES (4, 1, 'kept', 'abc', 'Kept', 'text', 'indexed', 5, 0, 0);
        INSERT INTO pages (document, number, start, text) VALUES (4, 1, 0, 'kept words');
        INSERT INTO chunks (id, document, ordinal, start, end, heading, text, tokens)
          VALUES (7, 4, 0, 0, 10, '', 'kept words', 2);
        INSERT INTO conversations VALUES ('x', 'X', NULL, NULL, 0, 0);
        INSERT INTO messages (id, conversation, parent, role, text, created) VALUES
          ('a', 'x', NULL, 'user', 'first', 0), ('b', 'x', 'a', 'assistant', 'second', 0);
        """)
    }
  }

  private func prepareBackup(_ name: String) async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await Rig.add("words of \(name)", named: name, to: vault)
    try Folders.make(rig.folders.actions)
    try Data(name.utf8).write(to: rig.folders.actions.appending(path: name))
    var settings = Settings()
    settings.passages = name == "odd" ? 7 : 8
    try settings.write(to: rig.folders.settings)
    try await vault.backUp(to: outside.folders.data.appending(path: "\(name).backup"))
  }

  // MARK: Running

  private static func program() -> URL? {
    // Beside the tests, wherever the build put them.
    let places = [
      URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(), Bundle.main.bundleURL,
      URL(filePath: FileManager.default.currentDirectoryPath).appending(path: ".build/debug"),
    ]
    return places.map { $0.appending(path: "vault-crasher") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }

  /// Lets the program work until it dies. False when it came to its end before that.
  func run(dying: Dying?) async throws -> Bool {
    let process = Process()
    let program = try #require(Self.program(), "build the product vault-crasher first")
    process.executableURL = program
    process.arguments = [folders.data.path, outside.folders.data.path, kind.rawValue, "\(first)", "\(count)"]
    if case .powerless(let power, let sync) = dying {
      try power.begin()
      process.environment = ProcessInfo.processInfo.environment.merging(power.environment(dyingAt: sync)) { $1 }
    }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    if case .killed(0) = dying { try await Self.kill(process) }
    var said = Data()
    while case let piece = pipe.fileHandleForReading.availableData, !piece.isEmpty {
      said.append(piece)
      if case .killed(let lines) = dying, said.count(where: { $0 == 10 }) >= lines { try await Self.kill(process) }
    }
    // Waiting in a run loop would hold a thread that the tests beside this one may need.
    while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
    let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
    promised += lines.filter { $0.hasPrefix("done ") }.map { String($0.dropFirst(5)) }
    if lines.last == "end" { return false }
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL, "it failed by itself")
    return true
  }

  private static func kill(_ process: Process) async throws {
    // Anywhere within what comes next.
    usleep(UInt32.random(in: 0...20_000))
    Glibc.kill(process.processIdentifier, SIGKILL)
  }

  /// Works that leave nothing behind to go on from are told where they were.
  private var first: Int {
    switch kind {
    case .purge, .restore: promised.last.flatMap(Int.init).map { $0 + 1 } ?? 0
    default: 0
    }
  }

  /// Goes on to the end undisturbed: everything is there, once.
  func complete() async throws {
    #expect(try await run(dying: nil) == false)
    try await check("at the end")
    if [.importing, .importingTogether].contains(kind) {
      let vault = try rig.vault()
      let all = try await vault.documents.list()
      #expect(all.count == count && all.allSatisfy { $0.state == .ready })
      for document in all {
        #expect(try await vault.documents.pages(of: document.id).map(\.number) == [1, 2, 3, 4])
        #expect(try await vault.documents.chunks(of: document.id).map(\.ordinal) == [0, 1, 2, 3])
      }
      let shelf = vault.vectors(embedder: "test", dimensions: 64)
      let chunks = try await vault.read { try $0.rows("SELECT id FROM chunks", as: { $0.int64(0) }) }
      #expect(try await shelf.nearest(Rig.vector(1), limit: 1_000).map(\.chunk).sorted() == chunks.sorted())
      #expect(try await vault.words.match("document7", headingWeight: 1, limit: 99).count == 4)
    }
  }

  // MARK: Checking

  func check(_ remark: String = "") async throws {
    let comment = Comment(rawValue: "\(kind) \(remark), promised: \(promised.suffix(3))")
    if kind == .actions { return try await checkActions(comment) }
    // It must open, whatever was left; migrations go through here too.
    let vault = try rig.vault()
    try await vault.purgeIfOwed()
    #expect(try await vault.integrityFindings() == [], comment)
    let documents = try await vault.documents.list()
    #expect(Set(documents.map(\.name)).count == documents.count, comment)
    for document in documents where document.hash.count == 64 {
      #expect(try await SHA256.of(file: vault.blobs.url(document.hash)) == document.hash, comment)
    }
    switch kind {
    case .importing, .importingTogether:
      let ready = Set(documents.filter { $0.state == .ready }.map(\.name))
      #expect(Set(promised.map { "document \($0)" }).isSubset(of: ready), comment)
    case .chat: try await checkChat(vault, comment)
    case .purge:
      for word in Set(promised) { #expect(try rig.files(containing: "secret\(word)x") == [], comment) }
    case .migration:
      #expect(documents.contains { $0.name == "kept" }, comment)
      #expect(try await vault.words.match("kept", headingWeight: 1, limit: 9).map(\.chunk) == [7], comment)
      #expect(try await vault.conversations.all("x").map(\.text) == ["first", "second"], comment)
      checkAfterwards(documents, comment)
    case .upgrade:
      try await checkFirstVersion(vault, documents, comment)
      checkAfterwards(documents, comment)
    case .backup: try await checkBackup(comment)
    case .restore: try checkRestore(documents.map(\.name), comment)
    case .actions: break
    }
  }

  private func checkAfterwards(_ documents: [StoredDocument], _ comment: Comment) {
    let isDone = documents.contains { $0.name == "afterwards" && $0.state == .ready }
    #expect(isDone || promised.isEmpty, comment)
  }

  /// All that version 0.1.0 had kept, as it kept it; and the way back, where there is one, leads to all of it.
  private func checkFirstVersion(_ vault: Vault, _ documents: [StoredDocument], _ comment: Comment) async throws {
    let kept = documents.filter { $0.name != "afterwards" }.sorted { $0.id < $1.id }
    #expect(kept.map(\.name) == ["lease.txt", "mails.jsonl", "broken.pdf"], comment)
    #expect(kept.map(\.state) == [.ready, .stored, .failed] && kept[1].headings == "[\"A\"]", comment)
    #expect(try await vault.documents.text(3) == "The rent is 930 euros a month.\nNotice is three months.", comment)
    #expect(try await vault.words.match("rent", headingWeight: 1, limit: 9).map(\.chunk) == [11], comment)
    #expect(try await vault.vectors(embedder: "test", dimensions: 2).count() == 2, comment)
    #expect(try await vault.watched.list().map(\.folder) == ["/home/a/letters"], comment)
    #expect(Set(try await vault.conversations.list().map(\.title)) == ["Rent", "Other"], comment)
    let shown = try await vault.conversations.shown("c-1")
    #expect(shown.map(\.text) == ["How much is the rent?", "It is 930 euros a month.", "And the notice?"], comment)
    #expect(shown[0].attachments.map(\.hash) == ["aa01"], comment)
    #expect(try await vault.conversations.search("notice").count == 1, comment)
    let copy = Migrator.wayBack(of: folders.vault)
    guard FileManager.default.fileExists(atPath: copy.path) else { return }
    let connection = try Connection(copy, .write)
    #expect(try connection.first("PRAGMA user_version", as: { $0.int(0) }) == 2, comment)
    #expect(try connection.first("SELECT count(*) FROM messages", as: { $0.int(0) }) == 5, comment)
    #expect(try connection.first("PRAGMA integrity_check", as: { $0.text(0) }) == "ok", comment)
  }

  private func checkChat(_ vault: Vault, _ comment: Comment) async throws {
    let isThere = try await vault.conversations.contains("conversation")
    let texts = isThere ? try await vault.conversations.all("conversation") : []
    #expect(Set(promised).isSubset(of: texts.map(\.text)), comment)
    for (number, message) in texts.enumerated() {
      #expect(message.text == ["question \(number / 2)", "answer \(number / 2)"][number % 2], comment)
      #expect(message.parent == (number == 0 ? nil : texts[number - 1].id), comment)
    }
  }

  private func checkBackup(_ comment: Comment) async throws {
    let file = folders.data.appending(path: "kept.backup")
    guard FileManager.default.fileExists(atPath: file.path) else { return #expect(promised.isEmpty, comment) }
    let there = Rig()
    try Restore.restore(file, into: there.folders, readers: .words)
    let names = try await there.vault().documents.list(state: .ready).map(\.name)
    #expect(Set(promised.map { "document \($0)" }).isSubset(of: names), comment)
  }

  /// The vault, the actions and the settings are all of one backup: the last that was promised or the one after it.
  private func checkRestore(_ documents: [String], _ comment: Comment) throws {
    let possible = [first - 1, first].map { $0 < 0 ? nil : $0 % 2 == 0 ? "even" : "odd" }
    #expect(documents.count <= 1 && possible.contains(documents.first), comment)
    guard let name = documents.first else { return }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folders.actions.path) == [name], comment)
    #expect(try String(contentsOf: folders.actions.appending(path: name), encoding: .utf8) == name, comment)
    #expect(try Settings(over: folders.settings).passages == (name == "odd" ? 7 : 8), comment)
  }

  private func checkActions(_ comment: Comment) async throws {
    let log = outside.folders.data.appending(path: "sent")
    let sent = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(Set(sent).count == sent.count, comment)
    guard FileManager.default.fileExists(atPath: folders.actions.path) else {
      return #expect(promised.isEmpty, comment)
    }
    let journal = FileJournal(folders.actions.appending(path: "journal.jsonl"))
    let records = Dictionary(uniqueKeysWithValues: try journal.records().map { ($0.id, $0) })
    for line in promised {
      if line.hasPrefix("sent ") {
        let id = String(line.dropFirst(5))
        #expect(sent.contains(id) && records[id]?.state == .done, comment)
      } else {
        let record = records[line]
        #expect(record != nil, comment)
        // What was being sent when it was ended may have gone, and is not sent again.
        guard record?.intent != .sendEmail else { continue }
        #expect(record?.state == .done, comment)
        #expect(record?.file.map { FileManager.default.fileExists(atPath: $0) } == true, comment)
      }
    }
    // One file for each action, and none besides but what was being written.
    for place in ["notes", "tasks"] {
      let folder = folders.actions.appending(path: place)
      guard FileManager.default.fileExists(atPath: folder.path) else { continue }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".part") }
      let files = Set(records.values.compactMap { $0.file.map { URL(filePath: $0).lastPathComponent } })
      #expect(Set(names).isSubset(of: files), comment)
    }
  }
}
