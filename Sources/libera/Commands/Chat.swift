import Assistant
import Core
import Foundation
import Synchronization

enum ChatCommand: Command {
  static let name = "chat"
  static let summary = "a conversation in the terminal"
  static let examples = ["libera chat", "libera chat --mode deep --collection work"]
  static let options: [Arguments.Option] = [
    .value("--mode", "fast|deep", "how much to read and write"),
    .value("--collection", "NAME", "talk about these documents"),
    .value("--conversation", "ID", "go on with this conversation"),
    .value("--pack", "ID", "answer with this pack"),
    .value("--provider", "NAME", "platform, local, extractive or templates, instead of the first that can")
      .among(ProviderKind.self),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    // Between answers there is nothing to stop: Ctrl-C empties the line (LineHistory), Ctrl-D ends the conversation.
    signal(SIGINT, SIG_IGN)
    var input = Ask.Input(
      question: "", conversation: arguments.text("--conversation") ?? UUID().uuidString.lowercased())
    input.mode = try arguments.choice("--mode", of: Mode.self)
    input.collection = arguments.text("--collection")
    input.pack = arguments.text("--pack")
    input.provider = try arguments.choice("--provider", of: ProviderKind.self)
    let terminal = context.terminal
    let door = try await context.door()
    try await door.holds(input.collection)
    try await greet(arguments.text("--conversation"), door, context)
    let history = try LineHistory(context.folders, interactive: terminal.readsFromPerson)
    var better = BetterPack(door, terminal)
    var shown: [Citation] = []
    while let line = try history.ask(say("you") + "  ") {
      let words = line.text.trimmingCharacters(in: .whitespacesAndNewlines)
      if words.isEmpty { continue }
      if ["/quit", "/exit"].contains(words) { break }
      if let number = opened(words) {
        try await open(number, of: shown, door, context)
        continue
      }
      if let name = toolServer(words) {
        await tool(words, name, input.conversation, door, history, context)
        continue
      }
      if words.hasPrefix("/") {
        await obey(words, &input, door, context)
        continue
      }
      if line.isAlone, try await command(words, input.conversation, door, context) { continue }
      input.question = words
      shown = try await answer(input, door, history, context)
      input.attachments = nil
      if terminal.readsFromPerson {
        do { try await better.show() } catch { Libera.report(error, json: context.json) }
      }
    }
  }

  /// What a person sees first: how the conversation that is gone on with ended, and what may be written.
  private static func greet(_ conversation: String?, _ door: Door, _ context: Context) async throws {
    let terminal = context.terminal
    if terminal.readsFromPerson { try await Welcome(door: door, context: context).offer() }
    if let conversation {
      for try await view in door.call(ShowConversation.self, .init(id: conversation)) {
        terminal.note(terminal.styledNote(Visible.line(view.title), .bold))
        if let last = view.turns.last(where: \.shown) {
          terminal.note("\(say("you"))  \(last.question)\n\(last.marked ?? "")")
        }
      }
    }
    if terminal.readsFromPerson {
      terminal.note(
        say(
          "Ask anything, or say what is to be done. /mode fast|deep, /attach FILE, open N, @NAME WORDS for a tool, /new, /quit; Ctrl-C or /stop stops an answer, Ctrl-D ends."
        )
      )
    }
  }

  /// A line that begins with a slash changes what is asked next.
  private static func obey(_ command: String, _ input: inout Ask.Input, _ door: Door, _ context: Context) async {
    let terminal = context.terminal
    if command == "/stop" {
      terminal.note(say("Nothing is being written. While an answer comes, /stop or Ctrl-C stops it."))
    } else if command == "/new" {
      input.conversation = UUID().uuidString.lowercased()
      input.attachments = nil
    } else if command.hasPrefix("/mode") {
      if let mode = Mode(rawValue: command.dropFirst(5).trimmingCharacters(in: .whitespaces)) {
        input.mode = mode
        terminal.note(say("Mode: \(mode.rawValue)"))
      } else {
        terminal.note(say("The modes are fast and deep; now: \((input.mode ?? .fast).rawValue)"))
      }
    } else if command.hasPrefix("/attach ") {
      let path = command.dropFirst(8).trimmingCharacters(in: .whitespaces)
      do {
        let names = try await AskCommand.attach(path, to: input.conversation, door)
        input.attachments = (input.attachments ?? []) + names
        terminal.note(say("Attached: \(names.joined(separator: ", "))"))
      } catch { Libera.report(error, json: context.json) }
    } else {
      terminal.note(say("There is no \(command); there are /mode, /open, /attach, /stop, /new, /quit."))
    }
  }

  /// As on the page: what asks for something to be done is done, or asked about, and is no question. Nobody says more than so many
  /// characters in a command; where nobody sits at the terminal, or several lines were pasted at once, every line is a question.
  private static func command(
    _ words: String, _ conversation: String?, _ door: Door, _ context: Context
  ) async throws -> Bool {
    guard context.terminal.readsFromPerson, !context.json, words.count <= 1000 else { return false }
    var input = Perform.Input(text: words)
    input.conversation = conversation
    do { return try await DoCommand.carryOut(input, orAsk: true, door, context) } catch {
      Libera.report(error, json: false)
      return true
    }
  }

  private static func answer(
    _ input: Ask.Input, _ door: Door, _ history: LineHistory, _ context: Context
  ) async throws -> [Citation] {
    let shown = Mutex<[Citation]>([])
    do {
      try await stoppable(history) {
        var printer = AnswerPrinter(context, numbers: true)
        for try await event in door.call(Ask.self, input) {
          try printer.show(event)
          if let record = event.done { shown.withLock { $0 = AnswerPrinter.cited(record) } }
        }
      }
    } catch is CancellationError {
      context.terminal.note(context.terminal.styledNote("\n  " + say("stopped"), .quiet))
    } catch {
      // One failed answer does not end the conversation.
      Libera.report(error, json: context.json)
      if !context.terminal.readsFromPerson { throw error }
    }
    return shown.withLock { $0 }
  }

  /// What Ctrl-C and /stop end.
  private static func stoppable(
    _ history: LineHistory, _ work: @escaping @Sendable () async throws -> Void
  ) async throws {
    let working = Task { try await work() }
    try await history.listening({ working.cancel() }) {
      try await Interrupt.cancelling { try await value(of: working) }
    }
    if working.isCancelled { throw CancellationError() }
  }

  /// The name in "@notes find the plumber".
  static func toolServer(_ line: String) -> String? {
    line.prefixMatch(of: #/@([a-z0-9][a-z0-9-]*)(?:\s|$)/#).map { String($0.1) }
  }

  /// What is said to a tool server, as in the page: a card first, and what the tool says stays in the conversation, where the next
  /// question can be about it.
  private static func tool(
    _ words: String, _ name: String, _ conversation: String?, _ door: Door, _ history: LineHistory, _ context: Context
  ) async {
    let view = ToolCardView(
      door: door, context: context, otherwise: "that takes a person at a terminal, or libera tools do with --yes")
    do {
      if words.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) == "/" {
        for server in try await door.all(ListTools.self, .init(starts: true, name: name)) {
          if let failure = server.failure { throw failure }
          try context.show(server) { ToolsCommand.show(server, context.terminal) }
        }
        return
      }
      let cards = Mutex<[ToolCard]>([])
      try await stoppable(history) {
        let proposed = try await view.cards(.init(text: words))
        cards.withLock { $0 = proposed }
      }
      for card in cards.withLock({ $0 }) {
        guard var call = try view.agree(to: card) else { continue }
        call.conversation = conversation
        try await stoppable(history) { [call] in try await view.call(call) }
      }
    } catch is CancellationError {
      context.terminal.note(context.terminal.styledNote("  " + say("stopped"), .quiet))
    } catch { Libera.report(error, json: context.json) }
  }

  /// The number in "open 2" or "/open 2".
  static func opened(_ line: String) -> Int? {
    line.lowercased().wholeMatch(of: #/\/?open\s+(\d{1,4})/#).flatMap { Int($0.1) }
  }

  /// The passage behind a citation of the last answer, in its surroundings.
  private static func open(_ number: Int, of shown: [Citation], _ door: Door, _ context: Context) async throws {
    let terminal = context.terminal
    guard shown.indices.contains(number - 1) else {
      terminal.note(
        shown.isEmpty
          ? say("The last answer has no citations.") : say("The last answer has citations 1 to \(shown.count)."))
      return
    }
    let citation = shown[number - 1]
    do {
      for try await event in door.call(Open.self, .init(id: citation.id)) {
        OpenCommand.show(event, terminal)
        if event.picture != nil { terminal.note(say("The page as a picture: libera open \(citation.id)")) }
      }
    } catch { Libera.report(error, json: context.json) }
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
