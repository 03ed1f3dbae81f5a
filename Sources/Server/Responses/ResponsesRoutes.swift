import Core

/// OpenAI's `/v1/responses`, without its memory: each request brings its conversation.
package struct ResponsesRoutes: Sendable {
  private let desk: TextDesk
  private let bounds: Bounds

  package init(_ source: any CompletionSource, ask: Service?, bounds: Bounds = Bounds()) {
    desk = TextDesk(source: source, ask: ask)
    self.bounds = bounds
  }

  package var routes: [Route] {
    [
      .post("/v1/responses", .ask, bounds) { request in
        let wanted = try request.decode(ResponsesRequest.self)
        let (asked, form) = (try wanted.asked(), try ResponsesForm(to: wanted))
        return try await form.response(desk.answer(asked, for: request.caller), streams: wanted.stream == true)
      }
    ]
  }
}
