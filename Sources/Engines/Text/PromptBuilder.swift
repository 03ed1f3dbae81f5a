import Inference

/// From messages to tokens, exactly as they will be evaluated.
struct PromptBuilder {
  let vocabulary: Vocabulary
  let template: Result<ChatTemplate, EngineError>
  private let last = LastPrompt()

  var hasTemplate: Bool {
    if case .success = template { true } else { false }
  }

  struct Prompt {
    var tokens: [Token]
    var droppedMessages = 0
  }

  /// `room`: tokens that the prompt may have at most.
  func prompt(for request: GenerateRequest, contextTokens: Int) throws -> Prompt {
    let room = contextTokens - request.maximumTokens
    var prompt = Prompt(tokens: try tokens(of: request.input))
    if prompt.tokens.count <= room { return prompt }
    let overflow = EngineError.contextOverflow(
      promptTokens: prompt.tokens.count, maximumTokens: request.maximumTokens, contextTokens: contextTokens)
    guard request.overflow == .dropOldest, case .chat(var messages, let tools) = request.input else { throw overflow }

    let first = messages.first?.role == .system ? 1 : 0
    while prompt.tokens.count > room {
      guard messages.count > first + 1 else { throw overflow }
      messages.remove(at: first)
      prompt.droppedMessages += 1
      // Many templates insist that a conversation opens with the person.
      while messages.count > first + 1, messages[first].role != .user {
        messages.remove(at: first)
        prompt.droppedMessages += 1
      }
      prompt.tokens = try tokens(of: .chat(messages, tools: tools))
    }
    return prompt
  }

  /// The tokens that any next question to these messages begins with; nil where it would not fit beside them.
  func opening(of request: GenerateRequest, contextTokens: Int) throws -> [Token]? {
    guard case .chat(let messages, let tools) = request.input else {
      throw EngineError.badRequest("Only a conversation can be read ahead.")
    }
    var parts = try template.get().parts(of: messages + [Message(.user, untrusted: "?")], tools: tools)
    while case .template? = parts.last { parts.removeLast() }
    let tokens = join(parts.dropLast())
    return tokens.count < contextTokens - request.maximumTokens ? tokens : nil
  }

  func tokens(of input: GenerateRequest.Input) throws -> [Token] {
    switch input {
    case .chat(let messages, let tools):
      return join(try template.get().parts(of: messages, tools: tools))
    case .raw(let spans):
      return join(
        spans.map { span in
          switch span {
          case .trusted(let text): .template(text)
          case .untrusted(let text): .untrusted(text)
          }
        })
    }
  }

  /// How an answer to this may call functions; nil where it may not.
  func tools(of input: GenerateRequest.Input) throws -> (form: ToolForm, grammar: String)? {
    guard case .chat(_, let use?) = input else { return nil }
    let form = try template.get().toolForm
    return (form, try ToolGrammar.source(use, form: form))
  }

  func join(_ parts: [ChatTemplate.Part]) -> [Token] {
    var tokens = [Token]()
    var known: [LastPrompt.Place: [Token]] = [:]
    for part in parts {
      let place = LastPrompt.Place(part: part, continuing: tokens.last.map { !vocabulary.isSpecial($0) } ?? false)
      let these = last.known[place] ?? self.tokens(of: place)
      known[place] = these
      tokens += these
    }
    last.known = known
    // Some templates write the beginning token themselves; it must stand there once.
    if vocabulary.addsBeginning, tokens.first != vocabulary.beginning { tokens.insert(vocabulary.beginning, at: 0) }
    return tokens
  }

  private func tokens(of place: LastPrompt.Place) -> [Token] {
    switch place.part {
    case .template(let text): vocabulary.trusted(text, continuing: place.continuing)
    case .untrusted(let text): vocabulary.untrusted(text, continuing: place.continuing)
    }
  }
}

/// The tokens of the last prompt's parts: the next one mostly begins with the same, and a long text's take milliseconds.
private final class LastPrompt {
  struct Place: Hashable {
    var part: ChatTemplate.Part
    var continuing: Bool
  }
  var known: [Place: [Token]] = [:]
}
