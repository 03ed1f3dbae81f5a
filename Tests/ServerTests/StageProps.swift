import Assistant
import Core
import Foundation

@testable import Server

/// What stands on the stage.
actor Props {
  private struct Talk {
    var id: String
    var title: String
    var updated: Date
    var folder: String?
    var turns: [[String: Any]] = []
  }

  private let folder: URL
  private var documents: [[String: Any]] = []
  private var talks: [Talk] = []
  private var settings: [String: Any] = [
    "mode": "fast", "compute": "automatic", "idleUnloadMinutes": 10, "offline": false,
    "speechLanguage": "en", "vocabulary": ["Karlsruhe"], "hangOverMs": 300, "automaticStopMs": 2000,
    "voiceThreshold": 0.5, "connectors": ["calendar", "tasks", "notes"], "mailUndoSeconds": 15,
  ]
  var installed: Set<String> = []
  private var log: [[String: Any]] = [
    [
      "time": "2026-01-02T10:00:00Z", "subsystem": "documents", "code": "page_unreadable",
      "message": "Page 3 could not be read.",
    ],
    [
      "time": "2026-01-02T10:05:00Z", "subsystem": "ask", "code": "worker_died",
      "message": "The writing process ended.",
    ],
  ]

  init(folder: URL) { self.folder = folder }

  private var settingsLine: Data { Self.line(settings) }
  private func providerLines(_ mode: String) -> [Data] { Self.providers(mode, settings, installed).map(Self.line) }
  private var documentLines: [Data] { documents.map(Self.line) }
  private var logLines: [Data] { log.map(Self.line) }

  private nonisolated func service(
    _ name: String, _ body: @escaping @Sendable (Props, Given, @escaping @Sendable (Data) -> Void) async throws -> Void
  ) -> Service {
    Service(name, needs: .manage) { input in
      let given = Given(data: input)
      return AsyncThrowingStream { continuation in
        let work = Task {
          do {
            try await body(self, given) { continuation.yield($0) }
            continuation.finish()
          } catch { continuation.finish(throwing: error) }
        }
        continuation.onTermination = { _ in work.cancel() }
      }
    }
  }

  /// An operation's input.
  struct Given: Sendable {
    let data: Data
    subscript(name: String) -> String? { object[name] as? String }
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:] }
  }

  static func line(_ value: Any) -> Data {
    (try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])) ?? Data("{}".utf8)
  }

  nonisolated var services: [Service] {
    [
      service("ask") { try await $0.ask($1, $2) },
      service("settings") { props, _, emit in emit(await props.settingsLine) },
      service("settings-describe") { _, _, emit in
        for description in try SettingDescription.all() { emit(try JSON.encode(description)) }
      },
      service("settings-set") { props, given, emit in emit(try await props.set(given)) },
      service("packs") { props, _, emit in for pack in await props.packs() { emit(pack) } },
      service("providers") { props, given, emit in
        for one in await props.providerLines(given["mode"] ?? "fast") { emit(one) }
      },
      service("packs-proposal") { _, _, emit in emit(Self.proposal) },
      service("trace") { _, _, emit in emit(Self.line(["traceEvents": [Any](), "displayTimeUnit": "ms"])) },
      service("packs-pull") { try await $0.pull($1, $2) },
      service("packs-verify") { _, _, emit in emit(Self.line(["done": ["verified": true]])) },
      service("packs-smoke") { _, _, emit in
        emit(Self.line(["text": " Paris.", "tokens": 10, "load_ms": 120, "tokens_per_s": 143, "backend": "cpu"]))
      },
      service("packs-remove") { props, given, emit in
        await props.uninstall(given["id"] ?? "")
        emit(Data("{}".utf8))
      },
      service("documents") { props, _, emit in for line in await props.documentLines { emit(line) } },
      service("documents-remove") { props, given, emit in
        for id in given.object["ids"] as? [String] ?? [] { await props.removeDocument(id) }
        emit(Data("{}".utf8))
      },
      service("collections-remove") { props, given, emit in
        await props.removeCollection(given["collection"] ?? "")
        emit(Data("{}".utf8))
      },
      service("documents-text") { _, given, emit in emit(Self.line(["text": Self.text(of: given["id"] ?? "")])) },
      service("documents-outline") { _, given, emit in emit(Self.outline(given["id"] ?? "")) },
      service("documents-page") { props, given, emit in emit(try Self.sheet(given, in: props.folder)) },
      service("documents-move") { props, given, emit in emit(await props.move(given)) },
      service("import") { try await $0.take($1, $2) },
      service("watched") { _, _, emit in emit(Self.line(["folder": "/home/someone/Letters"])) },
      service("watch") { _, _, emit in emit(Data("{}".utf8)) },
      service("unwatch") { _, _, emit in emit(Data("{}".utf8)) },
      service("search") { _, given, emit in
        emit(Self.line(["query": given["query"] ?? "", "results": Self.citations]))
      },
      service("conversations") { props, _, emit in for line in await props.list() { emit(line) } },
      service("conversations-show") { props, given, emit in emit(try await props.show(given["id"] ?? "")) },
      service("conversations-rename") { props, given, emit in
        await props.rename(given["id"] ?? "", given["title"] ?? "")
        emit(Data("{}".utf8))
      },
      service("conversations-move") { props, given, emit in
        for id in given.object["ids"] as? [String] ?? [] { await props.move(talk: id, to: given["folder"]) }
        emit(Data("{}".utf8))
      },
      service("conversations-delete") { props, given, emit in
        for id in given.object["ids"] as? [String] ?? [] { await props.delete(id) }
        emit(Data("{}".utf8))
      },
      service("conversations-search") { props, _, emit in for line in await props.list() { emit(line) } },
      service("conversations-export") { _, _, emit in emit(Self.line(["text": "# Conversation"])) },
      service("governor") { _, _, emit in
        emit(Self.line(["state": Self.governor, "limits": [Any]()]))
        try await Task.sleep(for: .seconds(3600))
      },
      service("doctor") { _, _, emit in emit(Self.line(Self.doctor)) },
      service("licences") { _, _, emit in emit(Self.line(["name": "llama.cpp", "licence": "MIT"])) },
      service("troubles") { _, _, emit in
        emit(
          Self.line([
            "troubles": [
              [
                "title": "Full", "codes": ["disk_full"], "text": "`libera doctor` tells.\n\nOr so.", "language": "en",
              ]
            ]
          ]))
      },
      service("log") { props, _, emit in for line in await props.logLines { emit(line) } },
      service("log-clear") { props, _, emit in
        await props.clearLog()
        emit(Data("{}".utf8))
      },
      service("backup") { _, _, emit in
        let done: [String: Any] = ["files": 3, "bytes": 4096, "encrypted": false, "path": "/home/x/libera.backup"]
        emit(Self.line(["done": done]))
      },
      service("data-measure") { props, given, emit in emit(await props.measure(given["kind"] ?? "")) },
      service("data-destroy") { props, given, emit in
        await props.destroy(given["kind"] ?? "")
        emit(Data("{}".utf8))
      },
    ]
  }

  // MARK: Answers

  private func ask(_ given: Given, _ emit: @escaping @Sendable (Data) -> Void) async throws {
    let question = given["question"] ?? ""
    let place = keep(given["conversation"] ?? "", question)
    let low = question.lowercased()
    if low.contains("break") {
      throw RemoteError(
        code: "worker_died", message: "The writing process ended.", remedy: "Ask again; your question is kept.")
    }
    var dropped = [["what": "1 passage", "reason": "it did not fit the time for reading"]]
    if low.contains("cut") {
      dropped.append(
        ["what": "the rest of the answer", "reason": "256 tokens is the most an answer may have now"])
    }
    let isTalk = given["task"] == "talk"
    var sentences = Self.sentences(low)
    let abstains = low.contains("moon") && !isTalk
    emit(Self.line(["completed": low.hasPrefix("and") ? "When must the filter be changed in summer?" : ""]))
    if !isTalk { emit(Self.line(["evidence": Self.citations])) }
    // A model that reads for long before its first word.
    if given["provider"] != "extractive" { emit(Self.line(["reading": 1412])) }
    if low.contains("patient") { try await Task.sleep(for: .seconds(given["provider"] == "extractive" ? 0 : 30)) }
    emit(Self.line(["limits": [["what": "passages", "value": "4", "reason": "the device is warm"]]]))
    var answer = ""
    if abstains { sentences = [] }
    for (text, support) in sentences {
      for word in text.split(separator: " ", omittingEmptySubsequences: false) {
        let piece = (answer.isEmpty || answer.hasSuffix("\n") || answer.hasSuffix(" ") ? "" : " ") + word
        answer += piece
        emit(Self.line(["piece": piece]))
        // As long as the test wants it.
        while low.contains("held"), FileManager.default.fileExists(atPath: folder.appending(path: "hold").path) {
          try await Task.sleep(for: .milliseconds(50))
        }
        try await Task.sleep(for: .milliseconds(low.contains("slow") ? 120 : 8))
      }
      emit(Self.line(["sentence": ["text": text, "support": support, "supported": !support.isEmpty]]))
    }
    let record: [String: Any] = [
      "id": UUID().uuidString, "answer": answer, "task": isTalk ? "talk" : "documents", "completed_question": question,
      "abstained": abstains,
      "stopped": false,
      "sentences": sentences.map { ["text": $0.0, "support": $0.1, "supported": !$0.1.isEmpty] as [String: Any] },
      "citations": isTalk ? [] : Self.citations, "provider": given["provider"] ?? "local", "pack": "smollm2-135m",
      "mode": given["mode"] ?? "fast",
      "retrieval_used": !isTalk, "passages_consulted": 3,
      "timings": ["first_token_ms": 312.0, "tokens_per_s": 143.0, "total_ms": 900.0],
      "limits": [["what": "passages", "value": "4", "reason": "the device is warm"]],
      "dropped": dropped,
    ]
    if talks.indices.contains(place.talk), talks[place.talk].turns.indices.contains(place.turn) {
      talks[place.talk].turns[place.turn].merge(["id": record["id"] ?? "", "record": record]) { $1 }
      talks[place.talk].updated = Date()
    }
    emit(Self.line(["done": record]))
  }

  /// The question is stored at once, its answer when it ends.
  private func keep(_ id: String, _ question: String) -> (talk: Int, turn: Int) {
    let place =
      talks.firstIndex { $0.id == id }
      ?? {
        talks.append(Talk(id: id, title: String(question.prefix(60)), updated: Date()))
        return talks.count - 1
      }()
    var turn: [String: Any] = ["id": UUID().uuidString, "question": question, "shown": true]
    if let last = talks[place].turns.last?["id"] { turn["parent"] = last }
    talks[place].turns.append(turn)
    talks[place].updated = Date()
    return (place, talks[place].turns.count - 1)
  }

  private func list() -> [Data] {
    talks.reversed().map {
      var line: [String: Any] = ["id": $0.id, "title": $0.title, "updated": $0.updated.ISO8601Format()]
      line["folder"] = $0.folder
      return Self.line(line)
    }
  }

  private func show(_ id: String) throws -> Data {
    if id == Self.longTalk { return Self.line(Self.long(turns: 50)) }
    guard let talk = talks.first(where: { $0.id == id }) else {
      throw RemoteError(code: "conversation_missing", message: "There is no such conversation.")
    }
    return Self.line(["id": talk.id, "title": talk.title, "turns": talk.turns])
  }

  private func rename(_ id: String, _ title: String) {
    if let place = talks.firstIndex(where: { $0.id == id }) { talks[place].title = title }
  }
  private func move(talk id: String, to folder: String?) {
    if let place = talks.firstIndex(where: { $0.id == id }) { talks[place].folder = folder }
  }
  private func delete(_ id: String) { talks.removeAll { $0.id == id } }

  // MARK: The rest of the house

  private func set(_ given: Given) throws -> Data {
    let object = given.object
    guard let name = object["name"] as? String, let text = object["value"] as? String else {
      throw RemoteError(code: "setting_unknown", message: "No such setting.")
    }
    settings[name] = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    return Self.line(settings)
  }

  private func take(_ given: Given, _ emit: @escaping @Sendable (Data) -> Void) async throws {
    var imported = 0
    let paths = given.object["paths"] as? [String] ?? []
    // Small ones are read one after the other, and end together.
    for (read, path) in paths.filter({ $0.hasSuffix(".note") }).enumerated() {
      let name = URL(filePath: path).lastPathComponent
      emit(Self.line(["event": "progress", "document": name, "files_read": read + 1, "files": paths.count]))
      try await Task.sleep(for: .milliseconds(800))
    }
    for path in paths {
      let file = URL(filePath: path)
      let name = file.lastPathComponent
      let bytes = try Data(contentsOf: file).count
      if name.hasSuffix(".broken") {
        let why = "It is not a document this program can read."
        emit(Self.line(["event": "failed", "document": name, "code": "document_unsupported", "reason": why]))
        continue
      }
      if documents.contains(where: { $0["document"] as? String == name }) {
        emit(Self.line(["event": "skipped", "document": name, "reason": "These bytes are here already."]))
        continue
      }
      for page in 1...8 {
        emit(Self.line(["event": "progress", "document": name, "pages_done": page, "pages": 8, "eta_s": 1]))
        try await Task.sleep(for: .milliseconds(name.hasPrefix("slow") ? 500 : 40))
      }
      documents.append([
        "id": name, "document": name, "title": (name as NSString).deletingPathExtension, "pages": 8, "bytes": bytes,
        "state": "ready", "collection": given["collection"] ?? "documents", "kind": "pdf",
        "created": Date().ISO8601Format(),
      ])
      imported += 1
      emit(Self.line(["event": "done", "document": name, "pages": 8, "chunks": 20]))
    }
    emit(Self.line(["event": "summary", "imported": imported, "skipped": 0, "failed": 0, "seconds": 1]))
  }

  private func move(_ given: Given) -> Data {
    let ids = Set(given.object["ids"] as? [String] ?? [])
    for place in documents.indices where ids.contains(documents[place]["id"] as? String ?? "") {
      documents[place]["collection"] = given["collection"] ?? ""
    }
    return Self.line(["moved": ids.count])
  }

  private func removeDocument(_ id: String) { documents.removeAll { $0["id"] as? String == id } }
  private func removeCollection(_ name: String) { documents.removeAll { $0["collection"] as? String == name } }
  private func clearLog() { log = [] }

  private func measure(_ kind: String) -> Data {
    let counts = ["conversations": talks.count, "documents": documents.count, "logs": log.count]
    return Self.line([
      "kind": kind, "goes": [["what": kind, "count": counts[kind] ?? 0]],
      "stays": kind == "documents" ? ["the files"] : [],
    ])
  }

  private func destroy(_ kind: String) {
    switch kind {
    case "conversations": talks = []
    case "documents": documents = []
    case "logs": log = []
    default: settings = ["mode": "fast", "compute": "automatic", "idleUnloadMinutes": 10, "offline": false]
    }
  }
}
