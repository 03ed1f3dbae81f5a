import Commands
import Core
import Documents
import Foundation
import Storage

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// What a person's data goes through, in steps so small that a kill falls between any two of them.
struct Work {
  var folders: Folders
  /// Where nothing is ever lost: what other programs have seen, and backups that were made before.
  var outside: URL
  var first: Int
  var count: Int

  private func open() async throws -> Vault {
    let vault = try Vault(folders)
    try await vault.purgeIfOwed()
    say("open")
    return vault
  }

  func importing() async throws {
    let vault = try await open()
    for number in 0..<count {
      try await add("document \(number)", to: vault)
      say("done \(number)")
    }
  }

  private func add(_ name: String, to vault: Vault, embedder: String = "test") async throws {
    let hash = try vault.blobs.keep(Data(name.utf8))
    let new = NewDocument(name: name, hash: hash, title: name, kind: "text", bytes: name.utf8.count)
    // A document whose text is complete may still lack vectors: that is gone on with too.
    if case .proceed(let document) = try await vault.documents.begin(new) {
      for page in document.pagesDone..<4 {
        let (stored, chunk) = part(page, of: name)
        try await vault.documents.append(to: document.id, pages: [stored], chunks: [chunk], pagesDone: page + 1)
      }
      try await vault.documents.finish(document.id)
    }
    try await embed(vault, embedder)
  }

  private func part(_ page: Int, of name: String) -> (page: StoredPage, chunk: ChunkText) {
    let text = "page \(page) of \(name.replacing(" ", with: ""))"
    let chunk = ChunkText(
      pageFrom: page + 1, pageTo: page + 1, start: page * 40, end: page * 40 + text.utf8.count, heading: name,
      text: text, tokens: 5)
    return (StoredPage(number: page + 1, start: page * 40, text: text), chunk)
  }

  private func embed(_ vault: Vault, _ embedder: String = "test") async throws {
    let shelf = vault.vectors(embedder: embedder, dimensions: 64)
    try await shelf.add(
      try await shelf.pending(limit: 100).map { pending in
        var vector = [Float](repeating: 0.01, count: 64)
        vector[Int(pending.chunk % 64)] = 1
        return (pending.chunk, vector)
      })
  }

  /// As small files come: the bytes of some side by side, and then their documents at once.
  func importingTogether() async throws {
    let vault = try await open()
    for first in stride(from: 0, to: count, by: 5) {
      let originals = try await originals(of: first..<min(first + 5, count), in: vault)
      let whole = originals.map { number, original in
        let name = "document \(number)"
        let parts = (0..<4).map { part($0, of: name) }
        return WholeDocument(
          NewDocument(name: name, hash: original.hash, title: name, kind: "text", bytes: name.utf8.count),
          pages: parts.map(\.page), chunks: parts.map(\.chunk))
      }
      _ = try await vault.documents.take(whole)
      try await embed(vault)
      for (number, _) in originals { say("done \(number)") }
    }
  }

  private func originals(of numbers: Range<Int>, in vault: Vault) async throws -> [(Int, HeldOriginal)] {
    try await withThrowingTaskGroup(of: (Int, HeldOriginal).self) { group in
      for number in numbers {
        group.addTask {
          let file = outside.appending(path: "file \(number)")
          try Data("document \(number)".utf8).write(to: file)
          return (number, try await waitingForDisk { try vault.blobs.keep(RegularFile(file.path), check: $0) })
        }
      }
      var all: [(Int, HeldOriginal)] = []
      for try await one in group { all.append(one) }
      return all.sorted { $0.0 < $1.0 }
    }
  }

  func chatting() async throws {
    let (vault, id) = (try await open(), "conversation")
    let shelf = vault.conversations
    if try await !shelf.contains(id) { _ = try await shelf.create(title: "talk", id: id) }
    for number in 0..<count {
      let written = try await shelf.all(id).count
      if written <= 2 * number {
        try await shelf.append(to: id, role: "user", text: "question \(number)")
        say("done question \(number)")
      }
      if written <= 2 * number + 1 {
        try await shelf.append(to: id, role: "assistant", text: "answer \(number)", record: "{}")
        say("done answer \(number)")
      }
    }
  }

  func acting() async throws {
    let base = folders.actions
    try Folders.make(base)
    var places = Places(
      calendar: base.appending(path: "calendar"), tasks: base.appending(path: "tasks"),
      notes: base.appending(path: "notes"), mail: base.appending(path: "mail"), sender: "me@example.org")
    places.sendsAfter = 0
    let doer = ActionRunner(
      places: places, journal: FileJournal(base.appending(path: "journal.jsonl")),
      reader: ForeignFiles(ParseDesk()))
    _ = try await doer.recover()
    try await send(with: doer)
    say("open")
    for number in 0..<count {
      var slots = Frame.Slots()
      (slots.title, slots.datetimePoint) = ("task \(number)", "2040-01-01T09:00:00")
      (slots.emailTo, slots.emailBody) = (["you@example.org"], "letter \(number)")
      for intent in [Intent.createNote, .addReminder, .sendEmail] {
        var frame = Frame.nothing(confidence: 1)
        (frame.intent, frame.slots) = (intent, slots)
        let done = try await doer.perform(frame, id: "\(intent.rawValue.replacing("_", with: "-"))-\(number)")
        say("done \(done.id)")
      }
      try await send(with: doer)
    }
  }

  private func send(with doer: ActionRunner) async throws {
    for record in try await doer.due() {
      let sent = try await doer.send(record) { _ in
        // What another program has taken over is out of our hands.
        let log = try FileHandle(forUpdating: outside.appending(path: "sent"))
        try log.seekToEnd()
        try log.write(contentsOf: Data("\(record.id)\n".utf8))
        try log.close()
      }
      if sent.state == .done { say("done sent \(record.id)") }
    }
  }

  func purging() async throws {
    let vault = try await open()
    for number in first..<first + count {
      let name = "secret\(number)x"
      if try await vault.documents.find(name: name) == nil { try await add(name, to: vault) }
      if try await !vault.conversations.contains(name) {
        _ = try await vault.conversations.create(title: name, id: name)
        for _ in 0..<3 { try await vault.conversations.append(to: name, role: "user", text: "about \(name)") }
      }
      if let document = try await vault.documents.find(name: name) { try await vault.documents.remove([document.id]) }
      try await vault.conversations.remove([name])
      say("done \(number)")
    }
  }

  func migrating() async throws {
    let vault = try await open()
    // The older vault has vectors of another length under the name that is used elsewhere.
    try await add("afterwards", to: vault, embedder: "newer")
    say("done afterwards")
  }

  func backingUp() async throws {
    let vault = try await open()
    for number in 0..<count {
      try await add("document \(number)", to: vault)
      try await vault.backUp(to: folders.data.appending(path: "kept.backup"))
      say("done \(number)")
    }
  }

  func restoring() async throws {
    for number in first..<first + count {
      let backup = outside.appending(path: number % 2 == 0 ? "even.backup" : "odd.backup")
      let readers = Restore.Readers(
        isRecord: { _ in true }, isHeadings: { _ in true },
        settleActions: { try RestoredActions($0, movingTo: $1).settle() })
      try Restore.restore(backup, into: folders, replacing: true, readers: readers)
      say("done \(number)")
    }
  }
}
