import Assistant
import Core
import Foundation

enum ChatCommand: Command {
  static let name = "chat"
  static let summary = "a conversation in the terminal"
  static let options: [Arguments.Option] = [
    .value("--mode", "fast|deep", "how much to read and write"),
    .value("--collection", "NAME", "talk about these documents"),
    .value("--conversation", "ID", "go on with this conversation"),
    .value("--pack", "ID", "answer with this pack"),
    .value("--provider", "NAME", "platform, local, extractive or templates, instead of the first that can"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    // Between answers there is nothing to stop, so Ctrl-C does nothing there; Ctrl-D ends the conversation.
    signal(SIGINT, SIG_IGN)
    var input = Ask.Input(
      question: "", conversation: arguments.text("--conversation") ?? UUID().uuidString.lowercased())
    input.mode = try arguments.choice("--mode", of: Mode.self)
    input.collection = arguments.text("--collection")
    input.pack = arguments.text("--pack")
    input.provider = try arguments.choice("--provider", of: ProviderKind.self)
    let terminal = context.terminal
    let door = try await context.door()
    if let known = arguments.text("--conversation") {
      for try await view in door.call(ShowConversation.self, .init(id: known)) {
        terminal.note(terminal.styledNote(view.title, .bold))
        if let last = view.turns.last(where: \.shown) { terminal.note("you  \(last.question)\n\(last.answer ?? "")") }
      }
    }
    if terminal.readsFromPerson {
      terminal.note(
        "Ask anything. /mode fast|deep, /attach FILE, /new, /quit; Ctrl-C or /stop stops an answer, Ctrl-D ends.")
    }
    let history = try LineHistory(context.folders, interactive: terminal.readsFromPerson)
    let proposal = BetterPack(door, terminal)
    if terminal.readsFromPerson { proposal.seek() }
    defer { proposal.end() }
    while let line = try history.ask("you  ") {
      let words = line.trimmingCharacters(in: .whitespacesAndNewlines)
      switch words {
      case "": continue
      case "/quit", "/exit":
        await door.close()
        return
      case "/stop": terminal.note("Nothing is being written. While an answer comes, /stop or Ctrl-C stops it.")
      case "/new":
        input.conversation = UUID().uuidString.lowercased()
        input.attachments = nil
      case let command where command.hasPrefix("/mode"):
        if let mode = Mode(rawValue: command.dropFirst(5).trimmingCharacters(in: .whitespaces)) {
          input.mode = mode
          terminal.note("Mode: \(mode.rawValue)")
        } else {
          terminal.note("The modes are fast and deep; now: \((input.mode ?? .fast).rawValue)")
        }
      case let command where command.hasPrefix("/attach "):
        let path = command.dropFirst(8).trimmingCharacters(in: .whitespaces)
        do {
          let names = try await AskCommand.attach(path, to: input.conversation, door)
          input.attachments = (input.attachments ?? []) + names
          terminal.note("Attached: \(names.joined(separator: ", "))")
        } catch { Libera.report(error, json: context.json) }
      case let command where command.hasPrefix("/"):
        terminal.note("There is no \(command); there are /mode, /attach, /stop, /new, /quit.")
      default:
        input.question = words
        try await answer(input, door, history, context)
        input.attachments = nil
        try await proposal.show()
      }
    }
    await door.close()
  }

  private static func answer(
    _ input: Ask.Input, _ door: Door, _ history: LineHistory, _ context: Context
  ) async throws {
    do {
      let writing = Task {
        let printer = AnswerPrinter(context)
        for try await event in door.call(Ask.self, input) { try printer.show(event) }
      }
      try await history.listening({ writing.cancel() }) {
        try await Interrupt.cancelling { try await value(of: writing) }
      }
      if writing.isCancelled { throw CancellationError() }
    } catch is CancellationError {
      context.terminal.note(context.terminal.styledNote("\n  stopped", .quiet))
    } catch {
      // One failed answer does not end the conversation.
      Libera.report(error, json: context.json)
      if !context.terminal.readsFromPerson { throw error }
    }
  }

  /// What it comes to; whoever no longer waits for it ends it.
  private static func value(of task: Task<Void, any Error>) async throws {
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
