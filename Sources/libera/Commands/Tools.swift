import Assistant
import Core
import Foundation

enum ToolsCommand: Command {
  static let name = "tools"
  static let summary =
    "tools of other programs (MCP servers): list, add NAME -- PROGRAM or --url URL, remove, allow, do NAME \"WORDS\""
  static let examples = [
    "libera tools add notes --write ~/Notes -- python3 ~/notes_server.py",
    "libera tools add wiki --url https://wiki.example.org/mcp --key-file ~/.wiki-key", "libera tools list",
    #"libera tools do notes "find the plumber's number""#, "libera tools allow notes search",
  ]
  static let usage =
    "list [NAME] | add NAME -- PROGRAM ARGUMENT... / --url URL | remove NAME | allow NAME TOOL | ask-first NAME TOOL | do NAME \"WORDS\" | read NAME ADDRESS | import NAME ADDRESS | prompt NAME PROMPT"
  static let options: [Arguments.Option] = [
    .value("--url", "URL", "add: the server runs there and is spoken to over HTTP (https, or http on this machine)"),
    .value("--key-file", "FILE", "add, with --url: its key stands in this file"),
    .value("--key-env", "NAME", "add, with --url: its key stands in this environment variable"),
    .value(
      "--ca-file", "FILE",
      "add, with --url: the certificate of the authority that vouches for it, instead of the system's"),
    .flag("--network", "add: it may open connections to the internet and this machine"),
    .value("--read", "PLACES", "add: files and folders that it may read, with commas between them"),
    .value("--write", "FOLDERS", "add: folders that it may write to, with commas between them"),
    .value("--env", "NAME=VALUE", "add: variables that it is given, with commas between them"),
    .value("--tool", "TOOL", "do: this tool, instead of the one that is nearest to the words"),
    .value("--values", "JSON", "do, prompt: what its fields hold, as {\"field\": \"value\"}"),
    .value("--conversation", "ID", "do, read: keep what it says in this conversation, where it can be asked about"),
    .value("--collection", "NAME", "import: put it into this collection"),
    .flag("--yes", "do, import: without asking"),
  ]
  private static let changes: Set = ["add", "remove", "allow", "ask-first"]

  /// What may be started, and what that may reach, is written here, by a process that a person has just started and that has read
  /// nothing else; the main process may not write it.
  static func prepare(_ arguments: Arguments, _ folders: Folders) throws {
    let words = arguments.words
    guard let verb = words.first, changes.contains(verb) else { return }
    var all = try ToolServers.read(folders)
    switch (verb, words.count) {
    case ("add", 2) where arguments.text("--url") != nil: try all.add(elsewhere(arguments))
    case ("add", 3...):
      guard arguments.text("--url") == nil else { throw UsageError.tooMany(words[2]) }
      let server = try server(arguments)
      try server.check(outside: folders)
      try all.add(server)
    case ("remove", 2): try all.remove(words[1])
    case ("allow", 3): try all.allow(words[2], of: words[1], shown: ShownTools.read(folders))
    case ("ask-first", 3): try all.askFirst(words[2], of: words[1])
    case ("add", _): throw UsageError.missing("A name, and after -- the program, or --url,")
    case ("remove", _): throw UsageError.missing("The tool server's name")
    default: throw UsageError.missing("The tool server's name and its tool's")
    }
    try all.write(folders)
  }

  /// The key is read once, here, and kept with the rest.
  private static func elsewhere(_ arguments: Arguments) throws -> ToolServer {
    for option in ["--network", "--read", "--write", "--env"]
    where arguments.has(option) || arguments.text(option) != nil {
      throw UsageError.badValue("--url", "a server with \(option)")
    }
    var key: String?
    if let file = arguments.text("--key-file") {
      key = String(decoding: try RegularFile.whole((file as NSString).expandingTildeInPath, limit: 8192), as: UTF8.self)
    }
    if let name = arguments.text("--key-env") {
      guard key == nil, let value = ProcessInfo.processInfo.environment[name] else {
        throw UsageError.badValue("--key-env", name)
      }
      key = value
    }
    let authority = try arguments.text("--ca-file").map { file in
      String(
        decoding: try RegularFile.whole((file as NSString).expandingTildeInPath, limit: 128 << 10), as: UTF8.self)
    }
    return try ToolServer(
      name: arguments.words[1], address: arguments.text("--url") ?? "",
      key: key?.trimmingCharacters(in: .whitespacesAndNewlines), authority: authority)
  }

  private static func server(_ arguments: Arguments) throws -> ToolServer {
    func list(_ option: String) -> [String] {
      (arguments.text(option) ?? "").split(separator: ",").map(String.init)
    }
    let variables = try list("--env").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else { throw UsageError.badValue("--env", pair) }
      return (parts[0], parts[1])
    }
    // It starts in a folder of its own, so what is named from here is named by its whole path. A file that it is told it may read.
    var (given, named): ([String], [String]) = ([], [])
    for word in arguments.words.dropFirst(3) {
      let place = URL(filePath: (word as NSString).expandingTildeInPath).standardizedFileURL
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder) else {
        given.append(word)
        continue
      }
      given.append(place.path)
      if !isFolder.boolValue { named.append(place.path) }
    }
    func made(reading places: [String]) throws -> ToolServer {
      try ToolServer(
        name: arguments.words[1], program: arguments.words[2], arguments: given,
        environment: Dictionary(variables) { $1 }, network: arguments.has("--network"), readable: places,
        writable: list("--write"), path: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    }
    let places = list("--read") + named
    let installed = ToolServer.installations(of: try made(reading: places).program, home: NSHomeDirectory())
    return try made(reading: places + installed)
  }

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let words = arguments.words.isEmpty ? ["list"] : arguments.words
    let door = try await context.door()
    switch (words[0], words.count) {
    case ("do", 3...): try await carryOut(arguments, door, context)
    case ("do", _): throw UsageError.missing("The tool server's name, and what is wanted,")
    case ("list", 1): try await list(nil, door, context)
    case ("list", 2): try await list(words[1], door, context)
    case ("read", 3): try await ToolOffersView(arguments: arguments, door: door, context: context).read()
    case ("import", 3): try await ToolOffersView(arguments: arguments, door: door, context: context).take()
    case ("prompt", 3):
      try await ToolOffersView(arguments: arguments, door: door, context: context).prompt(values(arguments))
    case ("read", _), ("import", _): throw UsageError.missing("The tool server's name and the address of a text")
    case ("prompt", _): throw UsageError.missing("The tool server's name and its prompt's")
    case (let verb, _) where changes.contains(verb):
      // What it offers is shown where it was added: so one sees at once whether it starts.
      if verb != "remove" { return try await list(words[1], door, context) }
      if !context.json { context.terminal.note(say("\(words[1]) is not started any more.")) }
    default: throw UsageError.unknownCommand("tools \(words.joined(separator: " "))")
    }
  }

  private static func list(_ name: String?, _ door: Door, _ context: Context) async throws {
    let terminal = context.terminal
    var isEmpty = true
    for try await server in door.call(ListTools.self, .init(starts: true, name: name)) {
      isEmpty = false
      if context.json {
        terminal.line(try JSON.line(server))
        continue
      }
      let place = server.address ?? ([server.program] + server.arguments).joined(separator: " ")
      terminal.line("\(server.name)  \(place)")
      terminal.note("  \(reach(server))")
      if let failure = server.failure.map(Tongue.current.told) {
        terminal.note("  \(failure.message) \(failure.remedy ?? "")")
      }
      show(server, terminal)
    }
    if isEmpty, !context.json { terminal.note(say("There are none. Add one: libera tools add NAME -- PROGRAM")) }
  }

  static func show(_ server: ListTools.Event, _ terminal: Terminal) {
    for tool in server.tools ?? [] {
      let about = Visible.line(tool.description).prefix(100)
      terminal.line("  \(Visible.line(tool.name))\(tool.asks ? "" : " (\(say("unasked")))")  \(about)")
    }
    ToolOffersView.show(server, terminal)
  }

  private static func reach(_ server: ListTools.Event) -> String {
    let parts = [
      server.network ? say("network") : say("no network"),
      server.readable.isEmpty ? nil : say("reads \(server.readable.joined(separator: ", "))"),
      server.writable.isEmpty ? nil : say("writes \(server.writable.joined(separator: ", "))"),
    ]
    return parts.compactMap(\.self).joined(separator: "; ")
  }

  // MARK: Doing

  private static func carryOut(_ arguments: Arguments, _ door: Door, _ context: Context) async throws {
    let view = ToolCardView(door: door, context: context, otherwise: "--yes calls it so")
    let text = arguments.words.dropFirst(2).joined(separator: " ")
    let input = ProposeToolCall.Input(text: text, server: arguments.words[1], tool: arguments.text("--tool"))
    let values = try values(arguments)
    for card in try await view.cards(input) {
      if var call = try view.agree(to: card, values, agreed: arguments.has("--yes")) {
        call.conversation = arguments.text("--conversation")
        try await view.call(call)
      }
    }
  }

  private static func values(_ arguments: Arguments) throws -> [String: String] {
    guard let json = arguments.text("--values") else { return [:] }
    do { return try JSON.decode([String: String].self, from: Data(json.utf8)) } catch {
      throw UsageError.badValue("--values", json)
    }
  }
}
