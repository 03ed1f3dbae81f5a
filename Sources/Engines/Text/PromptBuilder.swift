import Inference

/// From messages to tokens, exactly as they will be evaluated.
struct PromptBuilder {
  let vocabulary: Vocabulary
  let template: Result<ChatTemplate, EngineError>

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
    for part in parts {
      let continuing = tokens.last.map { !vocabulary.isSpecial($0) } ?? false
      switch part {
      case .template(let text): tokens += vocabulary.trusted(text, continuing: continuing)
      case .untrusted(let text): tokens += vocabulary.untrusted(text, continuing: continuing)
      }
    }
    // Some templates write the beginning token themselves; it must stand there once.
    if vocabulary.addsBeginning, tokens.first != vocabulary.beginning { tokens.insert(vocabulary.beginning, at: 0) }
    return tokens
  }
}
