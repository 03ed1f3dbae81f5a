import Inference

/// What a client asks of a model, in whichever dialect it did. Nothing of it is tokenised as a special token.
struct Asked: Sendable {
  /// Ours: answer from the documents instead of from the model alone.
  struct Grounding: Decodable, Sendable {
    var collection: String?
    var mode: String?
    var conversation: String?
  }

  /// The name alone: `plain`.
  var model: String
  /// Each is answered by itself, one after the other.
  var requests: [GenerateRequest]
  /// Answers to each of them.
  var choices = 1
  var grounding: Grounding?

  init(model: String, _ request: GenerateRequest, grounding: Grounding? = nil) {
    self.model = Self.plain(model)
    requests = [request]
    self.grounding = grounding
  }

  /// A conversation that a model can be given.
  static func conversation(_ messages: [Inference.Message], tools: ToolUse?) throws -> GenerateRequest.Input {
    guard !messages.isEmpty else { throw ServerError.unreadable("messages are missing") }
    // A call is told as a message is.
    try CompletionBounds.check(
      messages: messages.reduce(0) { $0 + 1 + ($1.calls?.count ?? 0) }, bytes: messages.reduce(0) { $0 + $1.bytes })
    for (place, message) in messages.enumerated() where message.role == .tool {
      guard messages[..<place].last(where: { $0.role != .tool })?.calls != nil else {
        throw ServerError.unreadable("the result of a call must follow the message that called")
      }
    }
    let (before, begun) = Inference.Message.begun(messages)
    if !begun.isEmpty, before.allSatisfy({ $0.role == .system }) {
      throw ServerError.unreadable("an answer can be begun behind a message of the user's")
    }
    return .chat(messages, tools: tools)
  }

  /// What a client writes as "name:latest" is the name.
  static func plain(_ model: String) -> String {
    let end = ":latest"
    return model.hasSuffix(end) ? String(model.dropLast(end.count)) : model
  }
}

extension Inference.Message {
  var bytes: Int {
    spans.reduce(0) { $0 + $1.text.utf8.count } + (calls ?? []).reduce(0) { $0 + $1.arguments.utf8.count }
  }
}
