import Core
import Foundation
import Synchronization
import Workers

/// Does a piece of work in its turn: more than once where it was cut short and has to begin anew.
package typealias InTurn = @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void

extension TextModel {
  /// For whoever need not wait for others.
  package static let atOnce: InTurn = { try await $0() }

  /// Streams the answer; dropping the stream stops it. Where it is cut short for somebody more urgent, or a graphics card fails on the
  /// way, the same answer goes on after the text that was told.
  package nonisolated func generate(
    _ request: GenerateRequest, inTurn: @escaping InTurn = atOnce
  ) -> AsyncThrowingStream<GenerationEvent, any Error> {
    streaming { emit in
      var request = request
      request.party = Caller.asking.program
      let told = WrittenSoFar(of: request, most: self.most(request), goesOnLater: !Caller.asking.isPerson, emit)
      try await inTurn { try await self.write(told) }
      try Task.checkCancellation()
    }
  }

  /// What fills the whole context, with what is told of each token.
  private nonisolated func most(_ request: GenerateRequest) -> ReplyBound {
    let token = 512 * (1 + max(0, min(request.logprobs, 100)))
    return .bytes(1 << 20 + self.request.contextTokens * token)
  }

  private func write(_ told: WrittenSoFar) async throws {
    let loaded = try await readyForPrompt()
    do { try await told.goOn(with: loaded) } catch let error where WorkerError.isOverAnother(error) && told.canGoOn {
      try await told.goOn(with: readyForPrompt())
    } catch {
      guard let reason = await givesUpCard(loaded, for: error) else { throw error }
      told.leftCard(reason)
      try await told.goOn(with: ready())
    }
  }
}

/// An answer as far as it was told, by however many workers.
private final class WrittenSoFar: Sendable {
  private struct State {
    var begun = GenerateRequest.Begun()
    /// The prompt was reported; all was told.
    var (isRead, isDone) = (false, false)
    /// Of a token that is about to come.
    var logprobs: TokenLogprobs?
  }
  private let state = Mutex(State())
  private let request: GenerateRequest
  private let most: ReplyBound
  private let goesOnLater: Bool
  private let emit: @Sendable (GenerationEvent) -> Void

  init(
    of request: GenerateRequest, most: ReplyBound, goesOnLater: Bool,
    _ emit: @escaping @Sendable (GenerationEvent) -> Void
  ) {
    (self.request, self.most, self.goesOnLater, self.emit) = (request, most, goesOnLater, emit)
  }

  /// Nothing was told yet, or each token with its text.
  var canGoOn: Bool { goesOnLater || !state.withLock(\.isRead) }

  func leftCard(_ reason: String) { emit(.leftCard(reason)) }

  func goOn(with loaded: TextModel.Loaded) async throws {
    var request = request
    request.tellsTokens = goesOnLater || loaded.info.card != nil
    let before = state.withLock { state in
      state.logprobs = nil
      return state
    }
    // Cut short in the very moment in which it ended.
    if before.isDone { return }
    if before.isRead { request.begun = before.begun }
    for try await reply in loaded.worker.call("generate", request, most: most) {
      switch reply {
      case .bytes(let piece):
        state.withLock { $0.begun.answerBytes += piece.count }
        emit(.piece(String(decoding: piece, as: UTF8.self)))
      case .event(let data):
        try take(JSON.decode(GenerateEvent.self, from: data), tellsTokens: request.tellsTokens)
      }
    }
    try Task.checkCancellation()
  }

  private func take(_ event: GenerateEvent, tellsTokens: Bool) throws {
    switch event {
    case .reading(let tokens): emit(.reading(tokens))
    case .prompt(let report):
      let isFirst = state.withLock { state in
        defer { state.isRead = true }
        return !state.isRead
      }
      if isFirst { emit(.prompt(report)) }
    case .logprobs(let entry):
      // Cut short before the token came it would be told again.
      if tellsTokens { state.withLock { $0.logprobs = entry } } else { emit(.logprobs(entry)) }
    case .token(let token):
      let logprobs = state.withLock { state in
        defer { state.logprobs = nil }
        state.begun.tokens.append(token)
        return state.logprobs
      }
      if let logprobs { emit(.logprobs(logprobs)) }
    case .thought(let text):
      state.withLock { $0.begun.thoughtBytes += text.utf8.count }
      emit(.thought(text))
    case .done(let report):
      state.withLock { $0.isDone = true }
      emit(.done(report))
    }
  }
}
