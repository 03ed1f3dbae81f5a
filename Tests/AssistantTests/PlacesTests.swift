import Core
import Foundation
import Testing

@testable import Assistant

@Suite("Places on this machine")
struct PlacesTests {
  private static let everything = Caller.key(id: "k", rights: Set(Right.allCases))
  private static let page = Caller.page(session: "s")

  /// Fields that hold words or values and never a path. A new one fails the test below until it stands here or in an
  /// operation's `places`.
  private static let words: Set = [
    "attachments", "body", "card", "collection", "conversation", "document", "documents", "edits", "end", "format",
    "folder", "from", "id",
    "ids", "kind", "language",
    "locale", "message", "mode", "name", "now", "pack", "page", "parent", "password", "provider", "queries",
    "query",
    "question", "question_id", "recurrence", "replaces",
    "samples", "server", "session", "sound", "start", "subject", "task", "text", "title", "to", "tool", "turn",
    // Compared with what a tool server has listed, and nothing else.
    "prompt", "uri",
    "value",
    "vocabulary",
    "word", "words", "zone",
  ]

  @Test("Every input's fields that could name a file are known, as words or as places")
  func fields() throws {
    for operation in Operations.all {
      let asked = try FieldProbe.texts(of: operation.input)
      let unknown = asked.subtracting(Self.words).subtracting(operation.places.keys)
      #expect(unknown.isEmpty, "\(operation.name): are these words, or places? \(unknown.sorted())")
      #expect(Set(operation.places.keys).isSubset(of: asked), "\(operation.name)")
    }
    #expect(
      Set(Operations.all.filter { !$0.places.isEmpty }.map(\.name)) == [
        "import", "transcribe", "packs-import", "packs-install", "watch", "unwatch", "conversations-import", "backup",
        "restore",
      ])
  }

  @Test("Every operation for keys that reads a collection is held to which ones these may read")
  func collections() throws {
    for operation in Operations.all where operation.right != .manage {
      guard try FieldProbe.texts(of: operation.input).contains("collection") else { continue }
      #expect(operation.input is any ReadsCollection.Type, "\(operation.name)")
    }
  }

  @Test("Every number of an input has its range")
  func numbers() throws {
    for operation in Operations.all {
      // Those of a card are held to what a card may hold.
      let asked = try FieldProbe.numbers(of: operation.input).subtracting(["duration_min", "duration_s"])
      #expect(asked == Set(operation.numbers), "\(operation.name)")
    }
  }

  @Test("A key names no place in any operation, the page none that is written, and a terminal may")
  func named() async throws {
    let home = try OpenHouse()
    func refusal(_ operation: AnyOperation, _ field: String, _ value: Any, _ caller: Caller) async throws -> String? {
      // What is restored replaces all there is, which has to be said; nothing else knows the word.
      let body = try JSONSerialization.data(withJSONObject: [field: value, "replacing": true])
      do {
        for try await _ in operation.run(body, caller, home.house) {}
        return nil
      } catch { return RemoteError(error).code }
    }
    for operation in Operations.all {
      for (field, use) in operation.places {
        for path in [
          "/nowhere/at/all", "", "x", home.folders.scratch.path + "/uploads-1/../../secret", "file:///etc/passwd",
        ] {
          let value: Any = field == "paths" ? [path] : path
          // Some operations are a person's alone, whatever they name.
          let refused = try await refusal(operation, field, value, Self.everything)
          #expect(refused == "place_refused" || refused == "person_only", "\(operation.name)")
          if use == .writes {
            #expect(try await refusal(operation, field, value, Self.page) == "place_refused", "\(operation.name)")
          }
        }
        let value: Any = field == "paths" ? ["/nowhere/at/all"] : "/nowhere/at/all"
        #expect(try await refusal(operation, field, value, .terminal) != "place_refused", "\(operation.name)")
        if use == .reads { #expect(try await refusal(operation, field, value, Self.page) != "place_refused") }
      }
    }
  }

  @Test("What was handed over is a file in a folder of its own below that of whoever did, and nothing beside it")
  func handedOver() {
    let folders = Folders(home: URL(filePath: "/x"), environment: ["XDG_CACHE_HOME": "/c"])
    let folder = Handed.folder(folders, port: 8080).path
    let id = UUID().uuidString.lowercased()
    let (mine, other) = (Caller.key(id: "a1", rights: [.manage]), Caller.key(id: "b2", rights: Set(Right.allCases)))
    #expect(Handed.isHandedOver("\(folder)/key-a1/\(id)/paper.pdf", by: mine, folders))
    #expect(Handed.isHandedOver("\(folder)/page/\(id)/paper.pdf", by: .page(session: "s"), folders))
    for caller in [other, .page(session: "s"), .stranger] {
      #expect(!Handed.isHandedOver("\(folder)/key-a1/\(id)/paper.pdf", by: caller, folders), "\(caller)")
    }
    for path in [
      "key-a1/\(id)", "key-a1/\(id)/", "key-a1/\(id)/..", "key-a1/\(id)/../x", "lock", "key-a1/lock",
      "key-a1/\(id)/a/b", "\(id)/paper.pdf", "page/\(id)/paper.pdf", "key-b2/\(id)/paper.pdf",
      "key-a1/../page/\(id)/x", "../key-a1/\(id)/x", "key-a1//x", "../../\(id)/x",
    ] {
      #expect(!Handed.isHandedOver("\(folder)/\(path)", by: mine, folders), "\(path)")
    }
    #expect(!Handed.isHandedOver("/c/libera/scratch/uploads-x/key-a1/\(id)/paper.pdf", by: mine, folders))
    #expect(!Handed.isHandedOver("key-a1/\(id)/x", by: mine, folders))
  }

  @Test("The house writes neither into its tools and engine nor over what a terminal has permitted")
  func own() {
    let folders = Folders(home: URL(filePath: "/x/home"), environment: ["XDG_CACHE_HOME": "/c"])
    let closed = [
      folders.permissions, folders.toolServers, folders.cache.appending(path: "python-1/bin/python"),
      folders.cache.appending(path: "engine-1/lib/libllama.so"), folders.home(ofTool: "notes"),
    ]
    for folder in Doorstep.own(folders) {
      #expect(!closed.contains { $0.path.hasPrefix(folder.path + "/") || $0.path == folder.path }, "\(folder.path)")
    }
  }

  @Test(
    "A key sets nothing that starts programs, names places or says what happens unasked; the page names no program and no place"
  )
  func settings() throws {
    for rule in SettingRule.all {
      let input = ChangeSetting.Input(name: rule.name, value: "null")
      func refuses(_ caller: Caller) -> Bool {
        do {
          try ChangeSetting.check(input, from: caller)
          return false
        } catch { return true }
      }
      #expect(!refuses(.terminal))
      #expect(
        refuses(Self.page)
          == ["sendmail", "calendarFolder", "tasksFolder", "notesFolder", "mailFolder", "origins", "repositories"]
          .contains(rule.name))
      let persons = [
        "instructions", "connectors", "calendarFolder", "tasksFolder", "notesFolder", "mailFolder", "mailFrom",
        "sendmail", "mailUndoSeconds", "sendsUnasked", "offline", "origins", "repositories",
      ]
      #expect(refuses(Self.everything) == persons.contains(rule.name), "\(rule.name)")
    }
  }

  @Test("A key takes nothing back that the person has set, by destroying all settings either")
  func destroyedSettings() async throws {
    let home = try OpenHouse()
    let destroy = try #require(Operations.named("data-destroy"))
    _ = try await home.house.change(setting: "connectors", to: #"["notes"]"#)
    for kind in ["settings", "everything"] {
      await #expect(throws: CallerError.self, "\(kind)") {
        for try await _ in destroy.run(Data(#"{"kind":"\#(kind)"}"#.utf8), Self.everything, home.house) {}
      }
      #expect(home.house.settings.connectors == ["notes"], "\(kind)")
    }
    for try await _ in destroy.run(Data(#"{"kind":"logs"}"#.utf8), Self.everything, home.house) {}
    for try await _ in destroy.run(Data(#"{"kind":"settings"}"#.utf8), Self.page, home.house) {}
    #expect(home.house.settings.connectors == Settings().connectors)
  }

  @Test("A backup without a path lies in the data folder, and goes with everything")
  func backup() async throws {
    let home = try OpenHouse()
    let backup = try #require(Operations.named("backup"))
    var done: BackUp.Event.Done?
    for try await data in backup.run(Data("{}".utf8), Self.page, home.house) {
      done = try JSON.decode(BackUp.Event.self, from: data).done ?? done
    }
    let path = try #require(done?.path)
    #expect(path.hasPrefix(home.folders.backups.path + "/"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try await home.house.destroy(.everything)
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}

/// Asks a type which fields it decodes as texts, lists of texts or numbers, without any values at hand.
private final class FieldProbe: Decoder {
  private(set) var texts: Set<String> = []
  private(set) var numbers: Set<String> = []
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  static func texts(of type: any Decodable.Type) throws -> Set<String> {
    let probe = FieldProbe()
    _ = try type.init(from: probe)
    return probe.texts
  }

  static func numbers(of type: any Decodable.Type) throws -> Set<String> {
    let probe = FieldProbe()
    _ = try type.init(from: probe)
    return probe.numbers
  }

  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: FieldProbe
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []
    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      note(type, key)
      return try anything(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      note(type, key)
      return nil
    }

    private func note<T>(_ type: T.Type, _ key: Key) {
      if type is any Numeric.Type { probe.numbers.insert(key.stringValue) }
      if type is String.Type || type is [String].Type || type is URL.Type { probe.texts.insert(key.stringValue) }
    }

    private func anything<T: Decodable>(_ type: T.Type) throws -> T {
      for text in ["\"\"", "0", "true", "[]", "{}", "\"AA==\""] {
        do { return try JSON.decode(type, from: Data(text.utf8)) } catch { continue }
      }
      if let cases = (type as? any CaseIterable.Type)?.first as? T { return cases }
      return try T(from: probe)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
      -> KeyedDecodingContainer<Nested>
    { KeyedDecodingContainer(FieldProbe.Fields<Nested>(probe: probe)) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Unfit() }
    func superDecoder() throws -> any Decoder { probe }
    func superDecoder(forKey key: Key) throws -> any Decoder { probe }
  }

  private struct Unfit: Error {}
  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Fields<Key>(probe: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unfit() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unfit() }
}

extension CaseIterable {
  fileprivate static var first: Any? { allCases.first }
}
