import Assistant
import Core
import Foundation
import Storage

enum DocumentsCommand: Command {
  static let name = "documents"
  static let summary = "the library: list, text, thread, remove"
  static let examples = [
    "libera documents list", "libera documents text lease.pdf", "libera documents thread offer.eml",
    "libera documents remove lease.pdf",
  ]
  static let usage = "list | text NAME | thread NAME | remove NAME..."
  static let options: [Arguments.Option] = [
    .value("--collection", "NAME", "only in this collection"),
    .flag("--missing", "list: only those whose file is gone, which may be removed"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let (verb, names) = (arguments.words.first ?? "list", Array(arguments.words.dropFirst()))
    let (terminal, collection) = (context.terminal, arguments.text("--collection"))
    let door = try await context.door()
    switch (verb, names.count) {
    case ("list", 0):
      let input = ListDocuments.Input(collection: collection, missing: arguments.has("--missing"))
      for try await entry in door.call(ListDocuments.self, input) { try context.line(entry, line(entry)) }
    case ("text", 1):
      for try await found in door.call(ReadDocument.self, .init(document: names[0], collection: collection)) {
        try context.show(found) { terminal.writeVerbatim(found.text) }
      }
    case ("thread", 1): try await thread(of: names[0], collection, door, context)
    case ("remove", 1...):
      for try await done in door.call(RemoveDocuments.self, .init(documents: names, collection: collection)) {
        try context.show(done) { terminal.note(say("\(done.removed) removed.")) }
      }
    case ("text", 0), ("thread", 0), ("remove", 0): throw UsageError.missing("A document's name")
    default: throw UsageError.unknownCommand("documents \(arguments.words.joined(separator: " "))")
    }
  }

  /// All messages of the thread that one is of, oldest first.
  private static func thread(
    of name: String, _ collection: String?, _ door: Door, _ context: Context
  ) async throws {
    for try await one in door.call(ShowThread.self, .init(document: name, collection: collection)) {
      let clock = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
      let facts = [one.sent.map { String($0.formatted(clock).prefix(16)) }, one.sender, one.title]
      let told = facts.compactMap { $0 }.map(Visible.line).joined(separator: "  ")
      try context.line(one, "\(told)  (\(Visible.line(one.document)))")
    }
  }

  private static func line(_ entry: DocumentEntry) -> String {
    var facts = [entry.collection]
    if let pages = entry.pages { facts.append(Words.pages(pages)) }
    facts.append(Words.bytes(entry.bytes))
    if entry.state != .ready { facts.append(told(entry.state.rawValue)) }
    if let error = entry.error { facts.append(told(error)) }
    if entry.missing { facts.append(say("its file is gone")) }
    return "\(Visible.line(entry.document))  \(facts.joined(separator: " · "))"
  }
}

enum CollectionsCommand: Command {
  static let name = "collections"
  static let summary = "collections of documents: list, remove"
  static let examples = ["libera collections list", "libera collections remove work"]
  static let usage = "list | remove NAME"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let terminal = context.terminal
    let door = try await context.door()
    switch (arguments.words.first ?? "list", arguments.words.count) {
    case ("list", 0...1):
      for try await found in door.call(ListCollections.self, Nothing()) {
        let held = found.documents
        try context.line(
          found, "\(found.collection)  " + say(held, one: "\(held) document", many: "\(held) documents"))
      }
    case ("remove", 2):
      try await door.finish(RemoveCollection.self, .init(collection: arguments.words[1]))
      terminal.note(say("The collection is removed with its documents."))
    case ("remove", _): throw UsageError.missing("One collection's name")
    default: throw UsageError.unknownCommand("collections \(arguments.words.joined(separator: " "))")
    }
  }
}
