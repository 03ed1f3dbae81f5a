import Inference
import Workers

/// How probable each continuation of one prefix is. The prefix is evaluated once, the candidates side by side.
struct Scorer {
  let conversation: HeldConversation
  let builder: PromptBuilder
  let cancelled: CancelFlag

  private var context: LlamaContext { conversation.context }

  private struct Candidate {
    var index: Int
    var tokens: [TokenID]
  }

  func run(_ request: ScoreRequest) throws -> [Score] {
    let prefix = try builder.tokens(of: request.prefix, cancelled: cancelled)
    guard let last = prefix.last else { throw EngineError.badRequest("The prefix is empty.") }
    let continuing = !builder.vocabulary.isSpecial(last)
    let candidates = request.candidates.enumerated().map { index, text in
      Candidate(index: index, tokens: builder.vocabulary.untrusted(text, continuing: continuing))
    }
    let longest = candidates.map(\.tokens.count).max() ?? 0
    guard prefix.count + longest <= context.contextTokens, longest <= context.batchTokens else {
      throw EngineError.contextOverflow(
        promptTokens: prefix.count, maximumTokens: longest, contextTokens: context.contextTokens)
    }

    let (_, first) = try conversation.evaluate(prefix, cancelled: cancelled)
    var scores = candidates.map { Score(logprob: 0, tokens: $0.tokens.count) }
    let total = first.logTotal
    for candidate in candidates {
      if let token = candidate.tokens.first { scores[candidate.index].logprob = first[Int(token)] - total }
    }

    var waiting = candidates.filter { $0.tokens.count > 1 }[...]
    while !waiting.isEmpty {
      let group = nextGroup(&waiting, room: min(context.batchTokens, context.contextTokens - prefix.count))
      try evaluate(group, after: prefix.count, into: &scores)
    }
    return scores
  }

  private func nextGroup(_ waiting: inout ArraySlice<Candidate>, room: Int) -> [Candidate] {
    var group = [waiting.removeFirst()]
    var total = group[0].tokens.count
    while let next = waiting.first, total + next.tokens.count <= room, group.count < LlamaContext.sequences - 1 {
      total += next.tokens.count
      group.append(waiting.removeFirst())
    }
    return group
  }

  private func evaluate(_ group: [Candidate], after start: Int, into scores: inout [Score]) throws {
    defer { for sequence in 1...group.count { _ = context.forget(sequence, from: 0) } }
    var items = [LlamaContext.Item]()
    for (offset, candidate) in group.enumerated() {
      context.share(0, with: offset + 1)
      // The last token needs no evaluation: nothing is asked about what follows it.
      for (position, token) in candidate.tokens.dropLast().enumerated() {
        items.append(.init(token: token, position: start + position, sequence: offset + 1, wanted: true))
      }
    }
    try context.evaluate(items, cancelled: cancelled)
    var row = 0
    for candidate in group {
      for next in candidate.tokens.dropFirst() {
        let logits = try context.logits(at: row)
        scores[candidate.index].logprob += logits[Int(next)] - logits.logTotal
        row += 1
      }
    }
  }
}
