import Core
import Foundation
import Testing

@testable import Storage

@Suite("Threads of mail")
struct ThreadTests {
  /// A message whose id is `name`, which names what its thread began with, and when it was sent.
  private func add(
    _ name: String, after thread: String?, sent: Int? = 0, id: String? = nil, to vault: Vault,
    in collection: String = "documents"
  ) async throws {
    let hash = Self.hash(id ?? name)
    let data = Data("\(name) \(collection)".utf8)
    var new = NewDocument(
      name: name, hash: try vault.blobs.keep(data), title: "T", kind: "message", bytes: data.count)
    new.collection = collection
    new.mail = MailPlace(message: hash, thread: thread.map(Self.hash) ?? hash, sender: "Ann", sent: sent)
    #expect(new.mail != nil)
    _ = try await vault.documents.begin(new)
  }

  private static func hash(_ id: String) -> String { String(SHA256.of(Data(id.utf8)).prefix(MailPlace.digits)) }

  private func threads(_ vault: Vault) async throws -> [Set<String>] {
    let all = try await vault.documents.list()
    let grouped = Dictionary(grouping: all) { $0.thread ?? "" }
    return grouped.values.map { Set($0.map(\.name)) }.sorted { $0.sorted().lexicographicallyPrecedes($1.sorted()) }
  }

  @Test("Messages that name only what they answer come together in whatever order they come")
  func orders() async throws {
    let chain = [("a", nil), ("b", "a"), ("c", "b"), ("d", "c")] as [(String, String?)]
    for order in Self.permutations(Array(chain.indices)) {
      let rig = Rig()
      let vault = try rig.vault()
      try await add("other", after: "elsewhere", to: vault)
      for index in order { try await add(chain[index].0, after: chain[index].1, to: vault) }
      #expect(try await threads(vault) == [["a", "b", "c", "d"], ["other"]], "\(order)")
    }
  }

  private static func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in permutations(items.filter { $0 != first }).map { [first] + $0 } }
  }

  @Test("Messages that answer each other in a circle are one thread, and one that answers itself is alone")
  func circle() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    for (name, answered) in [("a", "c"), ("b", "a"), ("c", "b"), ("self", "self")] {
      try await add(name, after: answered, to: vault)
    }
    #expect(try await threads(vault) == [["a", "b", "c"], ["self"]])
  }

  @Test("A message with the id of another moves nothing that is there")
  func forged() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await add("a", after: nil, to: vault)
    try await add("b", after: "a", to: vault)
    try await add("x", after: nil, to: vault)
    try await add("forged", after: "x", id: "a", to: vault)
    #expect(try await threads(vault) == [["a", "b"], ["forged", "x"]])
  }

  @Test("A thread is told oldest first, what has no date last, and what is attached to conversations apart")
  func order() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await add("undated", after: "a", sent: nil, to: vault)
    try await add("late", after: "a", sent: 20, to: vault)
    try await add("a", after: nil, sent: -5, to: vault)
    try await add("private", after: "a", to: vault, in: Attached.collection(of: "c1"))
    let thread = try #require(try await vault.documents.list().first?.thread)
    #expect(try await vault.documents.thread(thread).map(\.name) == ["a", "late", "undated"])
    #expect(
      try await vault.documents.thread(thread, collection: Attached.collection(of: "c1")).map(\.name) == ["private"])
  }

  @Test(
    "What is attached to a conversation says nothing of which messages of the library belong together", arguments: 0..<3
  )
  func apart(place: Int) async throws {
    let rig = Rig()
    let vault = try rig.vault()
    for step in 0..<3 {
      // What it names began the thread of the one, and it is what the other answers.
      if step == place {
        try await add("private", after: "gone", to: vault, in: Attached.collection(of: "c1"))
      }
      if step == 0 { try await add("b", after: "gone", to: vault) }
      if step == 1 { try await add("c", after: "private", to: vault) }
    }
    #expect(try await threads(vault) == [["b"], ["c"]])
    // Within what is attached, and to that alone, it belongs.
    try await add("answer", after: "private", to: vault, in: Attached.collection(of: "c1"))
    try await add("other", after: "private", to: vault, in: Attached.collection(of: "c2"))
    let attached = try await vault.documents.list(collection: Attached.collection(of: "c1"))
    #expect(Set(attached.map(\.thread)).count == 1 && attached.count == 2)
    let other = try await vault.documents.list(collection: Attached.collection(of: "c2"))
    #expect(other.map(\.thread) == [Self.hash("private")])
  }

  @Test("What is no hash is kept as no thread, and an impossible date as none")
  func strange() {
    let sound = Self.hash("a")
    for odd in ["", "short", sound.uppercased(), sound + "0", String(sound.dropLast()) + "é", "' OR 1=1 --"] {
      #expect(MailPlace(message: nil, thread: odd, sender: nil, sent: nil) == nil, "\(odd)")
      #expect(MailPlace(message: odd, thread: sound, sender: nil, sent: nil) == nil, "\(odd)")
    }
    let place = MailPlace(
      message: nil, thread: sound, sender: String(repeating: "a", count: 5000), sent: Int.max)
    #expect(place?.sent == nil && place?.sender?.count == 300)
  }

  @Test("A vault of the format before has its documents without threads, and takes new ones with them")
  func older() async throws {
    let rig = Rig()
    do {
      let old = try Vault(rig.folders, migrations: Array(Schema.migrations.prefix(3)))
      try await old.write { db in
        try db.script(
          """
          INSERT INTO collections VALUES (1, 'documents', 0);
          INSERT INTO documents (id, collection, name, hash, title, kind, state, bytes, created, updated)
            VALUES (4, 1, 'old', 'abc', 'Old', 'message', 'ready', 5, 0, 0);
          """)
      }
    }
    let vault = try rig.vault()
    let old = try await vault.documents.get(4)
    #expect(old.name == "old" && old.thread == nil && old.sender == nil && old.sent == nil)
    try await add("b", after: "a", to: vault)
    #expect(try await threads(vault) == [["b"], ["old"]])
    #expect(try await vault.integrityFindings() == [])
  }
}
