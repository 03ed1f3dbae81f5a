import Assistant
import Core
import Foundation
import Storage

enum ConversationsCommand: Command {
  static let name = "conversations"
  static let summary = "conversations: list, show, search, rename, move, delete, export, import"
  static let examples = [
    "libera conversations list", "libera conversations search rent", "libera conversations export ID --format markdown",
  ]
  static let usage =
    "list | show ID | search WORDS | rename ID TITLE | move ID [FOLDER] | delete ID... | export [ID...] | import FILE..."
  static let options: [Arguments.Option] = [.value("--format", "json|markdown", "export: how it is written")]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let (verb, words) = (arguments.words.first ?? "list", Array(arguments.words.dropFirst()))
    let format = try arguments.choice("--format", of: ArchiveFormat.self)
    let door = try await context.door()
    let view = ConversationsView(door: door, context: context)
    switch (verb, words.count) {
    case ("list", 0): try await view.list()
    case ("show", 1): try await view.show(words[0])
    case ("search", 1...): try await view.search(words.joined(separator: " "))
    case ("rename", 2...):
      let title = words.dropFirst().joined(separator: " ")
      try await door.finish(RenameConversation.self, .init(id: words[0], title: title))
    case ("move", 1...):
      let folder = words.dropFirst().joined(separator: " ")
      try await door.finish(MoveConversations.self, .init(ids: [words[0]], folder: folder.isEmpty ? nil : folder))
    case ("delete", 1...):
      try await door.finish(DeleteConversations.self, .init(ids: words))
      context.terminal.note(say("\(words.count) deleted."))
    case ("export", _): try await view.export(words, format)
    case ("import", 1...): try await view.take(words)
    case ("show", 0), ("move", 0), ("delete", 0): throw UsageError.missing("A conversation's id")
    case ("rename", _): throw UsageError.missing("A conversation's id and its new title")
    case ("search", 0): throw UsageError.missing("What to search for")
    case ("import", 0): throw UsageError.missing("An exported file")
    default: throw UsageError.unknownCommand("conversations \(arguments.words.joined(separator: " "))")
    }
  }
}

/// What `conversations` shows.
private struct ConversationsView {
  let door: Door
  let context: Context
  private var terminal: Terminal { context.terminal }

  func list() async throws {
    for try await one in door.call(ListConversations.self, Nothing()) {
      let day = one.updated.formatted(.iso8601.year().month().day())
      try context.line(
        one, "\(one.id)  \(day)  \(Visible.line(one.title))\(one.folder.map { "  [\(Visible.line($0))]" } ?? "")")
    }
  }

  func show(_ id: String) async throws {
    for try await one in door.call(ShowConversation.self, .init(id: id)) {
      try context.show(one) {
        terminal.line(terminal.styled(Visible.line(one.title), .bold))
        for turn in one.turns where turn.shown {
          terminal.line("\n\(terminal.styled(say("you"), .accent))  \(turn.question)")
          terminal.line(turn.marked ?? terminal.styled("(\(say("not answered")))", .quiet))
        }
        let others = one.turns.filter { !$0.shown }.count
        if others > 0 {
          terminal.note(say("\(others) turns on other branches are not shown; --json shows all."))
        }
      }
    }
  }

  func search(_ query: String) async throws {
    for try await hit in door.call(SearchConversations.self, .init(query: query)) {
      try context.line(hit, "\(hit.id)  \(Visible.line(hit.title))\n    \(hit.text)")
    }
  }

  func export(_ ids: [String], _ format: ArchiveFormat?) async throws {
    for try await archive in door.call(ExportConversations.self, .init(ids: ids.isEmpty ? nil : ids, format: format)) {
      terminal.writeVerbatim(archive.text + "\n")
    }
  }

  func take(_ files: [String]) async throws {
    let paths = files.map { URL(filePath: $0).standardizedFileURL.path }
    for try await one in door.call(ImportConversations.self, .init(paths: paths)) {
      try context.line(one, "\(one.id)  \(Visible.line(one.title))")
    }
  }
}
