import CLlama
import Foundation
import Inference
import Workers

/// Chooses the next token from the model's outcome, under a grammar if there is one.
final class TokenSampler {
  private let vocabulary: Tokeniser
  private let chain: UnsafeMutablePointer<llama_sampler>
  private let grammar: UnsafeMutablePointer<llama_sampler>?
  /// Greedy without penalties needs no chain, only the largest number.
  private let takesLargest: Bool
  private var candidates: [llama_token_data]
  private let cancelled: CancelFlag
  private let bias: [(token: Int, value: Float)]

  /// A grammar is what a stranger wrote: it has so long and so much memory to be read, and again for each token.
  static let time = Duration.seconds(20)
  static let bytes = 1 << 30
  @Sendable static func tooMuch() -> any Error {
    EngineError.grammarRefused(
      reason: "it was not done after \(time.components.seconds) s or took more than \(bytes >> 20) MB of memory")
  }

  private static let penaltyWindow: Int32 = 256

  init(
    _ vocabulary: Tokeniser, _ sampling: Sampling, grammar source: String?, cancelled: CancelFlag = CancelFlag()
  ) throws {
    self.vocabulary = vocabulary
    self.cancelled = cancelled
    bias = try (sampling.bias ?? [:]).map { token, value in
      guard (0..<vocabulary.size).contains(Int(token)) else {
        throw EngineError.badRequest("There is no token \(token): this model's vocabulary has \(vocabulary.size).")
      }
      return (Int(token), value)
    }
    let penalises =
      sampling.repeatPenalty != 1 || sampling.frequencyPenalty != 0 || sampling.presencePenalty != 0
    takesLargest = sampling.temperature <= 0 && !penalises
    candidates = [llama_token_data](repeating: llama_token_data(), count: vocabulary.size)

    if let source {
      EngineLog.clear()
      // llama.cpp takes an empty grammar for none.
      guard source.contains(where: { !$0.isWhitespace }),
        let grammar = cancelled.bounded(
          Self.time, bytes: Self.bytes, else: Self.tooMuch,
          { llama_sampler_init_grammar(vocabulary.pointer, source, "root") })
      else {
        throw EngineError.grammarRefused(
          reason: EngineLog.reason(orElse: "it could not be parsed, or has no rule named root"))
      }
      self.grammar = grammar
    } else {
      grammar = nil
    }

    chain = llama_sampler_chain_init(llama_sampler_chain_default_params())
    if penalises {
      llama_sampler_chain_add(
        chain,
        llama_sampler_init_penalties(
          Int32(vocabulary.size), Self.penaltyWindow, max(0.01, sampling.repeatPenalty), sampling.frequencyPenalty,
          sampling.presencePenalty))
    }
    if sampling.temperature <= 0 {
      llama_sampler_chain_add(chain, llama_sampler_init_greedy())
    } else {
      if sampling.topK > 0 { llama_sampler_chain_add(chain, llama_sampler_init_top_k(sampling.topK)) }
      if sampling.topP < 1 { llama_sampler_chain_add(chain, llama_sampler_init_top_p(sampling.topP, 1)) }
      if sampling.minP > 0 { llama_sampler_chain_add(chain, llama_sampler_init_min_p(sampling.minP, 1)) }
      llama_sampler_chain_add(chain, llama_sampler_init_temp(sampling.temperature))
      llama_sampler_chain_add(chain, llama_sampler_init_dist(sampling.seed ?? UInt32(LLAMA_DEFAULT_SEED)))
    }
  }

  deinit {
    llama_sampler_free(chain)
    if let grammar { llama_sampler_free(grammar) }
  }

  /// The next token, or nil where the grammar allows none. The choice counts as made.
  func next(_ logits: UnsafeMutableBufferPointer<Float>) -> TokenID? {
    lean(logits)
    guard grammar != nil else { return freely(logits) }
    return cancelled.bounded(Self.time, bytes: Self.bytes, else: Self.tooMuch) { freely(logits) }
  }

  /// Each outcome is asked once.
  private func lean(_ logits: UnsafeMutableBufferPointer<Float>) {
    for (token, value) in bias { logits[token] += value }
  }

  private func freely(_ logits: UnsafeMutableBufferPointer<Float>) -> TokenID? {
    guard let token = choose(logits) else { return nil }
    accept(token)
    return token
  }

  private func accept(_ token: TokenID) {
    if let grammar { llama_sampler_accept(grammar, token) }
    if !takesLargest { llama_sampler_accept(chain, token) }
  }

  /// Choices that were made already. Only of a sampler that has made none; a grammar that does not allow one is an error.
  func adopt(_ tokens: [TokenID]) throws {
    func adopt() -> Bool {
      for token in tokens {
        guard allows(token) else { return false }
        accept(token)
      }
      return true
    }
    let isAllowed =
      grammar == nil ? adopt() : cancelled.bounded(Self.time, bytes: Self.bytes, else: Self.tooMuch, adopt)
    guard isAllowed else { throw EngineError.badRequest("What the answer begins with is not what its grammar allows.") }
  }

  /// The likely token is judged alone first: it is nearly always allowed, and judging the whole vocabulary is slow.
  private func choose(_ logits: UnsafeMutableBufferPointer<Float>) -> TokenID? {
    let likely = takesLargest ? TokenID(logits.indexOfLargest) : pick(from: logits, masked: false)
    guard grammar != nil else { return likely }
    if let likely, allows(likely) { return likely }
    return pick(from: logits, masked: true)
  }

  private func allows(_ token: TokenID) -> Bool {
    guard let grammar else { return true }
    var single = llama_token_data(id: token, logit: 1, p: 0)
    return withUnsafeMutablePointer(to: &single) { data in
      var array = llama_token_data_array(data: data, size: 1, selected: -1, sorted: false)
      llama_sampler_apply(grammar, &array)
      return data.pointee.logit > -.infinity
    }
  }

  private func pick(from logits: UnsafeMutableBufferPointer<Float>, masked: Bool) -> TokenID? {
    withCandidates(logits, masked: masked) { array in
      if masked {
        // Everything forbidden: choosing among impossible tokens would be choosing at random.
        guard (0..<array.size).contains(where: { array.data[$0].logit > -.infinity }) else { return nil }
      }
      llama_sampler_apply(chain, &array)
      guard array.selected >= 0 else { return nil }
      let picked = array.data[Int(array.selected)]
      return picked.logit > -.infinity ? picked.id : nil
    }
  }

  private func withCandidates<Result>(
    _ logits: UnsafeMutableBufferPointer<Float>, masked: Bool, _ body: (inout llama_token_data_array) -> Result
  ) -> Result {
    candidates.withUnsafeMutableBufferPointer { data in
      for index in 0..<logits.count { data[index] = llama_token_data(id: TokenID(index), logit: logits[index], p: 0) }
      var array = llama_token_data_array(data: data.baseAddress, size: data.count, selected: -1, sorted: false)
      if masked, let grammar { llama_sampler_apply(grammar, &array) }
      return body(&array)
    }
  }

  /// Log probabilities of the model itself (temperature 1) over what the grammar allows, so that they sum to 1.
  /// Asked before `next` is told the choice, hence the choice comes with the answer.
  func nextWithLogprobs(_ logits: UnsafeMutableBufferPointer<Float>, top count: Int) -> (TokenID, TokenLogprobs)? {
    lean(logits)
    guard grammar != nil else { return freely(logits, top: count) }
    return cancelled.bounded(Self.time, bytes: Self.bytes, else: Self.tooMuch) { freely(logits, top: count) }
  }

  private func freely(_ logits: UnsafeMutableBufferPointer<Float>, top count: Int) -> (TokenID, TokenLogprobs)? {
    guard let token = choose(logits) else { return nil }
    let report = withCandidates(logits, masked: grammar != nil) { array in
      let rows = UnsafeBufferPointer(start: array.data, count: array.size)
      let largest = rows.lazy.map(\.logit).max() ?? 0
      let total = largest + log(rows.reduce(into: Float(0)) { $0 += exp($1.logit - largest) })
      func entry(_ row: llama_token_data) -> TokenLogprobs.Entry {
        TokenLogprobs.Entry(token: vocabulary.text(of: row.id), logprob: row.logit - total, id: row.id)
      }
      var best = [llama_token_data]()
      for row in rows where row.logit > -.infinity && (best.count < count || row.logit > best[best.count - 1].logit) {
        let place = best.firstIndex { $0.logit < row.logit } ?? best.count
        best.insert(row, at: place)
        if best.count > count { best.removeLast() }
      }
      let chosen = rows.first { $0.id == token } ?? llama_token_data(id: token, logit: -.infinity, p: 0)
      return TokenLogprobs(chosen: entry(chosen), top: best.map(entry))
    }
    accept(token)
    return (token, report)
  }
}

extension UnsafeMutableBufferPointer<Float> {
  /// The first of the largest; eight at a time, because this runs once per token over the whole vocabulary.
  var indexOfLargest: Int {
    let lanes = SIMD8<Float>.scalarCount
    var largest = SIMD8<Float>(repeating: -.infinity)
    let whole = count / lanes * lanes
    let raw = UnsafeRawPointer(baseAddress!)
    for start in stride(from: 0, to: whole, by: lanes) {
      let next = raw.loadUnaligned(fromByteOffset: start * 4, as: SIMD8<Float>.self)
      largest.replace(with: next, where: next .> largest)
    }
    var value = largest.max()
    for index in whole..<count where self[index] > value { value = self[index] }
    return firstIndex(of: value) ?? 0
  }

  /// Whether a second choice comes so close to the first that rounding could exchange them. Differences between a batch and a
  /// lone token were seen up to a few hundredths.
  var hasNearTie: Bool {
    let first = indexOfLargest
    let bound = self[first] - 0.1
    return indices.contains { $0 != first && self[$0] > bound }
  }

  /// The logarithm of the sum of exponentials, which turns outcomes into log probabilities.
  var logTotal: Float {
    let largest = self[indexOfLargest]
    var sum: Float = 0
    for value in self { sum += exp(value - largest) }
    return largest + log(sum)
  }
}
