import Core
import Inference

extension TextDesk {
  /// OpenAI's `/v1/responses`.
  package var responsesRoutes: [Route] {
    [
      .post("/v1/responses", .ask) { request in
        let (wanted, caller) = (try request.decode(ResponsesRequest.self), request.caller)
        var earlier: [Inference.Message] = []
        if let previous = wanted.previous { earlier = try await kept.conversation(previous, for: caller) }
        let conversation = try earlier + wanted.told()
        let (asked, form) = (try wanted.asked(conversation), try ResponsesForm(to: wanted))
        var pieces = try await answer(asked, for: caller)
        if wanted.isKept { pieces = keeping(conversation, and: pieces, as: form.id, for: caller) }
        return try await form.response(pieces, streams: wanted.stream == true)
      }
    ]
  }

  /// The same pieces; before the last is told, the conversation is there to be gone on with.
  private func keeping(
    _ conversation: [Inference.Message], and pieces: AsyncThrowingStream<AnswerPiece, any Error>, as id: String,
    for caller: Caller
  ) -> AsyncThrowingStream<AnswerPiece, any Error> {
    streaming { emit in
      var answer = WholeAnswer()
      for try await piece in pieces {
        answer.take(piece)
        if case .ended = piece { try await kept.keep(conversation + [answer.message()], as: id, for: caller) }
        emit(piece)
      }
    }
  }
}

extension WholeAnswer {
  /// As the conversation goes on with it.
  fileprivate func message() throws -> Inference.Message {
    var message = Inference.Message(.assistant, untrusted: text)
    // One that was cut short within its arguments is none that could be told again.
    let whole = end.reason == .length ? [] : try calls.map { try ToolCalls.call($0.name, $0.arguments) }
    message.calls = whole.isEmpty ? nil : whole
    return message
  }
}
