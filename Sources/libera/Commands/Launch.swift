import Assistant
import Core
import Foundation
import Models

/// How other programs are pointed at this one. It shows and changes nothing: their files are theirs.
enum LaunchCommand: Command {
  static let name = "launch"
  static let summary = "how to point another program at the server: its address, key and model"
  static let examples = ["libera launch", "libera launch aider"]
  static let usage = "[PROGRAM]"
  static let options: [Arguments.Option] = [
    .value("--pack", "ID", "name this pack; libera answers from the documents")
  ]
  /// Completed like verbs, though none is needed.
  static let verbs = Launching.programs.map(\.name)

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...1, "")
    let terminal = context.terminal
    guard let name = arguments.words.first else {
      for program in Launching.programs { terminal.line("\(program.name.padded(to: 12)) \(told(program.what))") }
      terminal.note(say("libera launch PROGRAM shows what to set."))
      return
    }
    guard let program = Launching.programs.first(where: { $0.name == name }) else {
      throw UsageError.notOneOf("The program", name, Launching.programs.map(\.name))
    }
    let door = try await context.door()
    var address: String?
    for try await answer in door.call(ShowPage.self, Nothing()) {
      address = answer.page.map { String($0.prefix { $0 != "#" }) }
    }
    let packs = try await door.all(ListPacks.self, Nothing()).filter { $0.installed != nil }
    func first(_ kind: Pack.Kind) -> String? { packs.filter { $0.pack.kind == kind }.map(\.pack.id).first }
    let place = Launching.Place(
      address: address ?? "http://127.0.0.1:4242/", program: CommandLine.arguments.first ?? "libera",
      chat: arguments.text("--pack") ?? first(.chat) ?? "libera", embedder: first(.embed))
    if context.json {
      terminal.line(
        try JSON.line([
          "address": place.base, "model": place.chat, "rights": program.rights, "set": program.words(place),
        ]))
      return
    }
    terminal.line(program.words(place))
    terminal.note("")
    if !program.rights.isEmpty {
      terminal.note(
        say("KEY is what this prints, once: libera keys add \(program.name) --rights \(program.rights)"))
    }
    if address == nil, !program.rights.isEmpty {
      terminal.note(say("No server runs now: start one with libera serve."))
    }
  }

}

/// The programs that are known, and what each wants to be told.
enum Launching {
  struct Place: Sendable {
    /// With a slash at its end.
    var address: String
    var program: String
    var chat: String
    var embedder: String?

    var base: String { String(address.dropLast(address.hasSuffix("/") ? 1 : 0)) }
  }

  struct Program: Sendable {
    var name: String
    var what: String
    /// What its key needs; empty where it needs none.
    var rights = "ask"
    var words: @Sendable (Place) -> String
  }

  static let programs: [Program] = [
    Program(name: "openai", what: "OpenAI's libraries, and what reads their variables", rights: "ask,embed") { place in
      "export OPENAI_BASE_URL=\(place.base)/v1 OPENAI_API_KEY=KEY     # \(say("model: \(place.chat)"))"
    },
    Program(name: "anthropic", what: "Anthropic's libraries, and what reads their variables") { place in
      "export ANTHROPIC_BASE_URL=\(place.base) ANTHROPIC_API_KEY=KEY     # \(say("model: \(place.chat)"))"
    },
    Program(name: "ollama", what: "Ollama's Python library, and programs that speak its API", rights: "ask,embed") {
      place in
      """
      export OLLAMA_HOST=\(place.base) OLLAMA_API_KEY=KEY     # \(say("model: \(place.chat)"))
      \(say("Where a program has a field for headers:")) Authorization: Bearer KEY
      \(say("Where it has only one for the address:")) \(place.base.replacing("://", with: "://x:KEY@"))
      """
    },
    Program(name: "llm", what: "the command llm") { place in
      """
      \(say("In extra-openai-models.yaml of the folder that `llm logs path` names:"))
      - model_id: here
        model_name: \(place.chat)
        api_base: \(place.base)/v1
        api_key_name: here
      \(say("Then:")) llm keys set here --value KEY; llm -m here "..."
      """
    },
    Program(name: "aider", what: "the command aider") { place in
      "OPENAI_API_BASE=\(place.base)/v1 OPENAI_API_KEY=KEY aider --model openai/\(place.chat)"
    },
    Program(name: "open-webui", what: "Open WebUI", rights: "ask,embed") { place in
      "OPENAI_API_BASE_URL=\(place.base)/v1 OPENAI_API_KEY=KEY open-webui serve"
    },
    Program(name: "continue", what: "Continue, in its config.yaml", rights: "ask,embed") { place in
      """
      models:
        - name: LiberaGPT
          provider: openai
          model: \(place.chat)
          apiBase: \(place.base)/v1
          apiKey: KEY
          roles: [chat, edit]
      """
        + (place.embedder.map {
          """

            - name: LiberaGPT vectors
              provider: openai
              model: \($0)
              apiBase: \(place.base)/v1
              apiKey: KEY
              roles: [embed]
          """
        } ?? "")
    },
    Program(name: "curl", what: "by hand") { place in
      """
      curl -N \(place.base)/v1/chat/completions -H @FILE -H 'Content-Type: application/json' \\
        -d '{"model": "\(place.chat)", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}'
      \(say("FILE, which only you can read, holds the line:")) Authorization: Bearer KEY
      """
    },
    Program(name: "mcp", what: "editors and agents that start a Model Context Protocol server", rights: "") { place in
      #"{"mcpServers": {"libera": {"command": "\#(place.program)", "args": ["mcp"]}}}"#
    },
    Program(name: "mcp-http", what: "the same over HTTP") { place in
      #"{"mcpServers": {"libera": {"url": "\#(place.address)mcp", "headers": {"Authorization": "Bearer KEY"}}}}"#
    },
  ]
}
