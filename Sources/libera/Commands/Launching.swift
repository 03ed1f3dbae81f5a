/// The programs that are known, and what each wants to be told.
enum Launching {
  struct Place: Sendable {
    /// With a slash at its end.
    var address: String
    var program: String
    var chat: String
    var embedder: String?
    var key = "KEY"

    var base: String { String(address.dropLast(address.hasSuffix("/") ? 1 : 0)) }
  }

  struct Program: Sendable {
    var name: String
    var what: String
    /// What its key needs; empty where it needs none.
    var rights = "ask"
    var words: @Sendable (Place) -> String
    /// What stands in a file of its own; nil: the same.
    var content: (@Sendable (Place) -> String)?
    /// What remains to be done when that is written.
    var then: @Sendable (Place) -> String? = { _ in nil }

    func file(_ place: Place) -> String { content?(place) ?? words(place) }
  }

  static let programs: [Program] = [
    Program(name: "openai", what: "OpenAI's libraries, and what reads their variables", rights: "ask,embed") { place in
      "export OPENAI_BASE_URL=\(place.base)/v1 OPENAI_API_KEY=\(place.key)     # \(say("model: \(place.chat)"))"
    },
    Program(name: "anthropic", what: "Anthropic's libraries, and what reads their variables") { place in
      "export ANTHROPIC_BASE_URL=\(place.base) ANTHROPIC_API_KEY=\(place.key)     # \(say("model: \(place.chat)"))"
    },
    Program(name: "ollama", what: "Ollama's Python library, and programs that speak its API", rights: "ask,embed") {
      place in
      """
      export OLLAMA_HOST=\(place.base) OLLAMA_API_KEY=\(place.key)     # \(say("model: \(place.chat)"))
      \(say("Where a program has a field for headers:")) Authorization: Bearer \(place.key)
      \(say("Where it has only one for the address:")) \(place.base.replacing("://", with: "://x:\(place.key)@"))
      """
    } content: {
      "export OLLAMA_HOST=\($0.base) OLLAMA_API_KEY=\($0.key)"
    },
    Program(name: "llm", what: "the command llm") { place in
      """
      \(say("In extra-openai-models.yaml of the folder that `llm logs path` names:"))
      \(model(ofLLM: place))
      \(say("Then:")) \(key(ofLLM: place))
      """
    } content: {
      model(ofLLM: $0)
    } then: {
      key(ofLLM: $0)
    },
    Program(name: "aider", what: "the command aider") { place in
      "OPENAI_API_BASE=\(place.base)/v1 OPENAI_API_KEY=\(place.key) aider --model openai/\(place.chat)"
    } content: { place in
      """
      openai-api-base: \(place.base)/v1
      openai-api-key: \(place.key)
      model: openai/\(place.chat)
      """
    },
    Program(name: "open-webui", what: "Open WebUI", rights: "ask,embed") { place in
      "OPENAI_API_BASE_URL=\(place.base)/v1 OPENAI_API_KEY=\(place.key) open-webui serve"
    } content: {
      "OPENAI_API_BASE_URL=\($0.base)/v1\nOPENAI_API_KEY=\($0.key)"
    },
    Program(name: "continue", what: "Continue, in its config.yaml", rights: "ask,embed") {
      models(ofContinue: $0)
    } content: {
      "name: LiberaGPT\nversion: 0.0.1\nschema: v1\n" + models(ofContinue: $0)
    },
    Program(name: "curl", what: "by hand") { place in
      """
      curl -N \(place.base)/v1/chat/completions -H @FILE -H 'Content-Type: application/json' \\
        -d '{"model": "\(place.chat)", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}'
      \(say("FILE, which only you can read, holds the line:")) Authorization: Bearer \(place.key)
      """
    } content: {
      "Authorization: Bearer \($0.key)"
    },
    Program(name: "mcp", what: "editors and agents that start a Model Context Protocol server", rights: "") { place in
      #"{"mcpServers": {"libera": {"command": "\#(place.program)", "args": ["mcp"]}}}"#
    },
    Program(name: "mcp-http", what: "the same over HTTP") { place in
      #"{"mcpServers": {"libera": {"url": "\#(place.address)mcp", "headers": {"Authorization": "Bearer \#(place.key)"}}}}"#
    },
  ]

  private static func model(ofLLM place: Place) -> String {
    """
    - model_id: here
      model_name: \(place.chat)
      api_base: \(place.base)/v1
      api_key_name: here
    """
  }

  private static func key(ofLLM place: Place) -> String {
    "llm keys set here --value \(place.key); llm -m here \"...\""
  }

  private static func models(ofContinue place: Place) -> String {
    """
    models:
      - name: LiberaGPT
        provider: openai
        model: \(place.chat)
        apiBase: \(place.base)/v1
        apiKey: \(place.key)
        roles: [chat, edit]
    """
      + (place.embedder.map {
        """

          - name: LiberaGPT vectors
            provider: openai
            model: \($0)
            apiBase: \(place.base)/v1
            apiKey: \(place.key)
            roles: [embed]
        """
      } ?? "")
  }
}
