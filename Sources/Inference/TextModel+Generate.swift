import Core
import Foundation
import Workers

extension TextModel {
  /// Streams the answer; dropping the stream stops it. Where a graphics card fails on the way, the processor goes on with the same
  /// answer, after the text that was told.
  package nonisolated func generate(_ request: GenerateRequest) -> AsyncThrowingStream<GenerationEvent, any Error> {
    streaming { emit in
      var request = request
      let loaded = try await self.readyForPrompt()
      var begun = GenerateRequest.Begun()
      let most = self.most(request)
      do { try await Self.write(request, with: loaded.worker, most: most, &begun, emit) } catch {
        guard let reason = await self.givesUpCard(loaded, for: error) else { throw error }
        emit(.leftCard(reason))
        request.begun = begun
        var same = begun
        try await Self.write(request, with: self.ready().worker, most: most, &same, emit)
      }
      try Task.checkCancellation()
    }
  }

  /// What fills the whole context, with what is told of each token.
  private nonisolated func most(_ request: GenerateRequest) -> ReplyBound {
    let token = 512 * (1 + max(0, min(request.logprobs, 100)))
    return .bytes(1 << 20 + self.request.contextTokens * token)
  }

  /// `begun`: what was chosen and told of it, for whoever has to go on with it.
  private static func write(
    _ request: GenerateRequest, with worker: Worker, most: ReplyBound, _ begun: inout GenerateRequest.Begun,
    _ emit: @Sendable (GenerationEvent) -> Void
  ) async throws {
    for try await reply in worker.call("generate", request, most: most) {
      switch reply {
      case .bytes(let piece):
        begun.answerBytes += piece.count
        emit(.piece(String(decoding: piece, as: UTF8.self)))
      case .event(let data):
        switch try JSON.decode(GenerateEvent.self, from: data) {
        case .reading(let tokens): emit(.reading(tokens))
        case .prompt(let report): if request.begun == nil { emit(.prompt(report)) }
        case .logprobs(let entry): emit(.logprobs(entry))
        case .token(let token): begun.tokens.append(token)
        case .thought(let text):
          begun.thoughtBytes += text.utf8.count
          emit(.thought(text))
        case .done(let report): emit(.done(report))
        }
      }
    }
  }
}
