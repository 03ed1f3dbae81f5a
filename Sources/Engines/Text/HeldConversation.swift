import Foundation
import Inference
import Workers

/// The evaluated beginning that the next request may share: which tokens' state lies in sequence 0.
final class HeldConversation {
  let context: LlamaContext
  private(set) var tokens: [TokenID] = []
  /// The program that it was read for; nil: the person.
  private var party: String?
  /// What batches of drafts were measured to cost, kept from answer to answer.
  var draftCost: [Double] = []
  /// What follows the prompt that was read last. Asked the same again nothing is computed, and the answer begins the same: its last
  /// token alone would be rounded otherwise than among the others.
  private var last: (prompt: [TokenID], logits: [Float])?
  /// Samplers write into what they are given.
  private let copy: UnsafeMutableBufferPointer<Float>

  init(_ context: LlamaContext) {
    self.context = context
    copy = .allocate(capacity: context.model.vocabulary.size)
    copy.initialize(repeating: 0)
  }

  deinit { copy.deallocate() }

  /// To be said before anything is read. What was read for others is forgotten before a program's prompt is: how much of it need not be
  /// read again, which it is told and can measure, would tell it what they have said.
  func begin(for party: String?) {
    if let party, party != self.party {
      cut(to: 0)
      last = nil
    }
    self.party = party
  }

  /// Evaluates `prompt` and hands out what follows its last token, good until the next evaluation.
  /// Whatever the state shares with the prompt from the start is not computed again; `reading` hears before how many tokens are.
  func evaluate(
    _ prompt: [TokenID], cancelled: CancelFlag, reading: (Int) throws -> Void = { _ in }
  ) throws -> (reused: Int, logits: UnsafeMutableBufferPointer<Float>) {
    if let last, last.prompt == prompt, shared(with: prompt) == prompt.count, cut(to: prompt.count) == prompt.count {
      _ = copy.update(fromContentsOf: last.logits)
      return (prompt.count, copy)
    }
    // The last token is evaluated at least, because its outcome is needed.
    let reused = cut(to: min(shared(with: prompt), prompt.count - 1))
    try reading(prompt.count - reused)
    var outcome = 0
    while tokens.count < prompt.count {
      let end = min(tokens.count + context.batchTokens, prompt.count)
      try append(
        prompt[tokens.count..<end], wantAll: false, wantLast: end == prompt.count, reading: true, cancelled: cancelled)
      outcome = (end - reused - 1) % context.batchTokens
    }
    let logits = try context.logits(at: outcome)
    last = (prompt, Array(logits))
    return (reused, logits)
  }

  /// Reads what a later prompt will begin with, so that it need not be read then; returns how many tokens were new.
  func readAhead(_ opening: [TokenID], cancelled: CancelFlag) throws -> Int {
    let reused = cut(to: shared(with: opening))
    while tokens.count < opening.count {
      let end = min(tokens.count + context.batchTokens, opening.count)
      try append(opening[tokens.count..<end], wantAll: false, wantLast: false, reading: true, cancelled: cancelled)
    }
    return opening.count - reused
  }

  /// Evaluates more tokens at the end; afterwards the state holds them all, or, when stopped, as many as were finished.
  func append(
    _ more: ArraySlice<TokenID>, wantAll: Bool, wantLast: Bool = true, reading: Bool = false, cancelled: CancelFlag
  ) throws {
    let start = tokens.count
    let items = more.enumerated().map { offset, token in
      LlamaContext.Item(
        token: token, position: start + offset, wanted: wantAll || (wantLast && offset == more.count - 1))
    }
    tokens += more
    do {
      try context.evaluate(items, reading: reading, cancelled: cancelled)
    } catch {
      recover()
      throw error
    }
  }

  /// Forgets what lies beyond `count` tokens; returns how many are left, which is none where only all can be forgotten.
  @discardableResult
  func cut(to count: Int) -> Int {
    guard count < tokens.count || context.end(of: 0) > count else { return count }
    if count > 0, context.forget(0, from: count) {
      tokens.removeSubrange(min(count, tokens.count)...)
      return count
    }
    context.forgetEverything()
    tokens = []
    return 0
  }

  /// Goes on from what was evaluated of these tokens before.
  func takeUp(_ state: Data, of tokens: [TokenID]) throws {
    (self.tokens, last, party) = ([], nil, nil)
    try context.putBack(state, to: 0)
    guard context.end(of: 0) == tokens.count else {
      context.forgetEverything()
      throw EngineError.stateRefused(reason: "it holds another number of tokens")
    }
    self.tokens = tokens
  }

  func shared(with prompt: [TokenID]) -> Int { zip(tokens, prompt).prefix { $0 == $1 }.count }

  /// After an evaluation that did not finish, the state may end before or after what was planned.
  private func recover() { cut(to: min(tokens.count, context.end(of: 0))) }
}
