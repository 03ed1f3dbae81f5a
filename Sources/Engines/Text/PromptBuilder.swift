import Inference
import Workers

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

  /// What does not fit is refused, or shortened by its oldest messages where the request allows that.
  func prompt(
    for request: GenerateRequest, contextTokens: Int, cancelled: CancelFlag = CancelFlag()
  ) throws -> Prompt {
    let room = contextTokens - request.maximumTokens
    func overflow(_ tokens: Int) -> EngineError {
      .contextOverflow(promptTokens: tokens, maximumTokens: request.maximumTokens, contextTokens: contextTokens)
    }
    // Far too long a text is not even split into tokens.
    let least = vocabulary.fewestTokens(inBytes: request.input.bytes)
    var whole = Prompt(tokens: [])
    if least <= room {
      whole.tokens = try tokens(of: request.input, cancelled: cancelled)
      if whole.tokens.count <= room { return whole }
    }
    let size = max(least, whole.tokens.count)
    guard request.overflow == .dropOldest, case .chat(let messages, let tools) = request.input else {
      throw overflow(size)
    }
    return try shortened(messages, tools, room: room, cancelled: cancelled) ?? { throw overflow(size) }()
  }

  /// As much of the conversation's end as fits: its system message stays, the oldest of the others go. nil: not even the last.
  private func shortened(
    _ messages: [Message], _ tools: ToolUse?, room: Int, cancelled: CancelFlag
  ) throws -> Prompt? {
    let first = messages.first?.role == .system ? 1 : 0
    // Many templates insist that a conversation opens with the person.
    let cuts = messages.indices.filter { $0 > first && (messages[$0].role == .user || $0 == messages.count - 1) }
    func remainder(from cut: Int) throws -> Prompt? {
      let kept = Array(messages[..<first] + messages[cut...])
      guard vocabulary.fewestTokens(inBytes: GenerateRequest.Input.chat(kept).bytes) <= room else { return nil }
      let tokens = try tokens(of: .chat(kept, tools: tools), cancelled: cancelled)
      return tokens.count <= room ? Prompt(tokens: tokens, droppedMessages: cut - first) : nil
    }
    // By halves: to render a long conversation anew for each message that goes would take hours.
    var (low, high) = (0, cuts.count)
    var best: Prompt?
    while low < high {
      let middle = (low + high) / 2
      if let found = try remainder(from: cuts[middle]) {
        (best, high) = (found, middle)
      } else {
        low = middle + 1
      }
    }
    return best
  }

  /// The tokens that any next question to these messages begins with; nil where it would not fit beside them.
  func opening(
    of request: GenerateRequest, contextTokens: Int, cancelled: CancelFlag = CancelFlag()
  ) throws -> [Token]? {
    guard case .chat(let messages, let tools) = request.input else {
      throw EngineError.badRequest("Only a conversation can be read ahead.")
    }
    let room = contextTokens - request.maximumTokens
    guard vocabulary.fewestTokens(inBytes: request.input.bytes) < room else { return nil }
    var parts = try template.get().parts(
      of: messages + [Message(.user, untrusted: "?")], tools: tools, cancelled: cancelled)
    while case .template? = parts.last { parts.removeLast() }
    let tokens = try join(parts.dropLast(), cancelled: cancelled)
    return tokens.count < room ? tokens : nil
  }

  func tokens(of input: GenerateRequest.Input, cancelled: CancelFlag = CancelFlag()) throws -> [Token] {
    switch input {
    case .chat(let messages, let tools):
      return try join(template.get().parts(of: messages, tools: tools, cancelled: cancelled), cancelled: cancelled)
    case .raw(let spans):
      return try join(
        spans.map { span in
          switch span {
          case .trusted(let text): .template(text)
          case .untrusted(let text): .untrusted(text)
          }
        }, cancelled: cancelled)
    }
  }

  /// How an answer to this may call functions; nil where it may not.
  func tools(
    of input: GenerateRequest.Input, cancelled: CancelFlag = CancelFlag()
  ) throws -> (form: ToolForm, grammar: String)? {
    guard case .chat(_, let use?) = input else { return nil }
    let form = try template.get().toolForm
    return (form, try ToolGrammar.source(use, form: form, cancelled: cancelled))
  }

  private func join(_ parts: [ChatTemplate.Part], cancelled: CancelFlag) throws -> [Token] {
    var tokens = [Token]()
    var known: [LastPrompt.Place: [Token]] = [:]
    for part in parts {
      try cancelled.check()
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

extension GenerateRequest.Input {
  /// Of what others wrote and of what is the house's; a template adds its own.
  fileprivate var bytes: Int {
    switch self {
    case .raw(let spans): spans.reduce(0) { $0 + $1.text.utf8.count }
    case .chat(let messages, _): messages.reduce(0) { $1.spans.reduce($0) { $0 + $1.text.utf8.count } }
    }
  }
}
