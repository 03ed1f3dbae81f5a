import Inference

/// Functions in words, for templates that know none: offered in the system message, called and answered in plain messages.
enum ToolWords {
  static func explained(_ messages: [Message], _ tools: ToolUse?, form: ToolForm) -> [Message] {
    var result: [Message] = []
    for message in messages {
      switch message.role {
      case .assistant:
        let calls = (message.calls ?? []).map { form.text($0) }.joined(separator: "\n")
        let isBoth = !calls.isEmpty && message.spans.contains { !$0.text.isEmpty }
        result.append(
          Message(.assistant, message.spans + (calls.isEmpty ? [] : [.untrusted((isBoth ? "\n" : "") + calls)])))
      case .tool:
        let spans = [Span.trusted("<tool_response>\n")] + message.spans + [.trusted("\n</tool_response>")]
        // The person and the assistant take turns: several results are one message.
        if let last = result.last, last.role == .user, last.spans.first == spans.first {
          result[result.count - 1].spans += [.trusted("\n")] + spans
        } else {
          result.append(Message(.user, spans))
        }
      case .system, .user: result.append(message)
      }
    }
    guard let tools else { return result }
    let offer = offer(tools)
    if let first = result.first, first.role == .system {
      result[0].spans += [.trusted("\n\n")] + offer
    } else {
      result.insert(Message(.system, offer), at: 0)
    }
    return result
  }

  private static func offer(_ tools: ToolUse) -> [Span] {
    let definitions = tools.tools.flatMap { [Span.untrusted($0.definition), .trusted("\n")] }
    return [.trusted("You can call these functions:\n<tools>\n")] + definitions + [
      .trusted(
        """
        </tools>
        To call one, answer with its name and its arguments, like this:
        <tool_call>
        {"name": "NAME", "arguments": {"ARGUMENT": "VALUE"}}
        </tool_call>
        """)
    ]
  }
}
