import Core

extension TextDesk {
  /// OpenAI's `/v1/responses`, without its memory: each request brings its conversation.
  package var responsesRoutes: [Route] {
    [
      .post("/v1/responses", .ask) { request in
        let wanted = try request.decode(ResponsesRequest.self)
        let (asked, form) = (try wanted.asked(), try ResponsesForm(to: wanted))
        return try await form.response(answer(asked, for: request.caller), streams: wanted.stream == true)
      }
    ]
  }
}
