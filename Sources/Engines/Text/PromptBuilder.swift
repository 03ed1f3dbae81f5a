import Inference
import Workers

/// From messages to tokens, exactly as they will be evaluated.
struct PromptBuilder {
  let vocabulary: Tokeniser
  let template: Result<ChatTemplate, EngineError>
  private let last = LastPrompt()

  struct Prompt {
    var tokens: [TokenID]
    var droppedMessages = 0
    /// Of a model that may think before it answers.
    var thoughts: Thoughts?
  }

  /// What does not fit is refused, or shortened by its oldest messages where the request allows that.
  func prompt(
    for request: GenerateRequest, contextTokens: Int, cancelled: CancelFlag = CancelFlag()
  ) throws -> Prompt {
    let room = contextTokens - request.answerRoom
    func overflow(_ tokens: Int) -> EngineError {
      .contextOverflow(promptTokens: tokens, maximumTokens: request.answerRoom, contextTokens: contextTokens)
    }
    // Far too long a text is not even split into tokens.
    let least = vocabulary.fewestTokens(inBytes: request.input.bytes)
    var whole = Prompt(tokens: [])
    if least <= room {
      whole = try self.whole(request, cancelled: cancelled)
      if whole.tokens.count <= room { return whole }
    }
    let size = max(least, whole.tokens.count)
    guard request.overflow == .dropOldest, case .chat(let messages, let tools) = request.input else {
      throw overflow(size)
    }
    var shortened = try shortened(messages, tools, room: room, cancelled: cancelled) ?? { throw overflow(size) }()
    shortened.thoughts = whole.thoughts
    return shortened
  }

  private func whole(_ request: GenerateRequest, cancelled: CancelFlag) throws -> Prompt {
    guard case .chat(let messages, let tools) = request.input else {
      return Prompt(tokens: try tokens(of: request.input, cancelled: cancelled))
    }
    let template = try template.get()
    let parts = try template.parts(of: messages, tools: tools, cancelled: cancelled)
    var prompt = Prompt(tokens: try join(parts, cancelled: cancelled))
    // Where a grammar holds the answer from its first word there is no room for thoughts.
    let isHeld = request.grammar != nil || request.schema != nil || tools.map { $0.choice != .auto } ?? false
    if let marks = template.thoughts, !isHeld, Message.begun(messages).begun.isEmpty {
      prompt.thoughts = Thoughts(marks, after: parts.last)
    }
    return prompt
  }

  /// The conversation's end: its system message stays, the oldest of the others go. Where something must go, so much goes that half of
  /// the room is free again, and the next questions drop no more: what was read for one is then of use for the next. nil: not even the
  /// last message fits.
  private func shortened(
    _ messages: [Message], _ tools: ToolUse?, room: Int, cancelled: CancelFlag
  ) throws -> Prompt? {
    let first = messages.first?.role == .system ? 1 : 0
    // Many templates insist that a conversation opens with the person.
    let end = Message.begun(messages).before.count - 1
    let cuts = messages.indices.filter { $0 > first && (messages[$0].role == .user || $0 == end) }
    func remainder(from cut: Int, within room: Int) throws -> Prompt? {
      let kept = Array(messages[..<first] + messages[cut...])
      guard vocabulary.fewestTokens(inBytes: GenerateRequest.Input.chat(kept).bytes) <= room else { return nil }
      let tokens = try tokens(of: .chat(kept, tools: tools), cancelled: cancelled)
      return tokens.count <= room ? Prompt(tokens: tokens, droppedMessages: cut - first) : nil
    }
    // By halves: to render a long conversation anew for each message that goes would take hours.
    func longest(within room: Int) throws -> Prompt? {
      var (low, high) = (0, cuts.count)
      var best: Prompt?
      while low < high {
        let middle = (low + high) / 2
        if let found = try remainder(from: cuts[middle], within: room) {
          (best, high) = (found, middle)
        } else {
          low = middle + 1
        }
      }
      return best
    }
    if let opening = last.opening, let cut = cuts.first(where: { messages[$0] == opening }),
      let same = try remainder(from: cut, within: room)
    {
      return same
    }
    let found = try longest(within: room / 2) ?? longest(within: room)
    last.opening = found.map { messages[first + $0.droppedMessages] }
    return found
  }

  /// The tokens that any next question to these messages begins with; nil where it would not fit beside them.
  func opening(
    of request: GenerateRequest, contextTokens: Int, cancelled: CancelFlag = CancelFlag()
  ) throws -> [TokenID]? {
    guard case .chat(let messages, let tools) = request.input else {
      throw EngineError.badRequest("Only a conversation can be read ahead.")
    }
    let room = contextTokens - request.answerRoom
    guard vocabulary.fewestTokens(inBytes: request.input.bytes) < room else { return nil }
    var parts = try template.get().parts(
      of: messages + [Message(.user, untrusted: "?")], tools: tools, cancelled: cancelled)
    while case .template? = parts.last { parts.removeLast() }
    let tokens = try join(parts.dropLast(), cancelled: cancelled)
    return tokens.count < room ? tokens : nil
  }

  func tokens(of input: GenerateRequest.Input, cancelled: CancelFlag = CancelFlag()) throws -> [TokenID] {
    switch input {
    case .chat(let messages, let tools):
      return try join(template.get().parts(of: messages, tools: tools, cancelled: cancelled), cancelled: cancelled)
    case .raw(let spans):
      if case .tokens(let numbers)? = spans.first, spans.count == 1 {
        return (vocabulary.addsBeginning ? [vocabulary.beginning] : []) + (try vocabulary.named(numbers))
      }
      return try join(
        spans.map { span in
          switch span {
          case .trusted(let text): .template(text)
          case .untrusted(let text): .untrusted(text)
          case .tokens: throw EngineError.badRequest("Numbers of tokens stand alone.")
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

  private func join(_ parts: [ChatTemplate.Part], cancelled: CancelFlag) throws -> [TokenID] {
    var tokens = [TokenID]()
    var known: [LastPrompt.Place: [TokenID]] = [:]
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

  private func tokens(of place: LastPrompt.Place) -> [TokenID] {
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
  var known: [Place: [TokenID]] = [:]
  /// Of a conversation that was too long: the first message that was kept.
  var opening: Message?
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
