import Foundation
import Inference
import Workers

/// A passage whose sentences have letters, then a question: which letter comes next, or "none", as an adapter has learned it
/// (Training/Reading). The tokens are put together piece by piece, as they were when it learned.
struct PassageJudge {
  let context: LlamaContext
  let cancelled: CancelFlag
  private let verdicts: [TokenID]
  private var vocabulary: Tokeniser { context.model.vocabulary }

  private static let letters = "ABCDEFGHIJKLMNOP".map(String.init)
  /// Tokens of a passage and a question.
  private static let window = 768
  private static let longestQuestion = 160
  private static let mostWords = 24
  private static let longestTitle = 100

  /// A context of its own: conversations never see the adapter.
  static func context(of model: LlamaModel, request: LoadRequest) throws -> LlamaContext {
    guard request.adapterJudges, let adapter = model.adapter else {
      throw EngineError.missingFile("an adapter to judge with")
    }
    var request = request
    (request.contextTokens, request.batch, request.microBatch) = (window, window, window)
    return try LlamaContext(model, request: request, reading: adapter)
  }

  init(context: LlamaContext, cancelled: CancelFlag) throws {
    (self.context, self.cancelled) = (context, cancelled)
    verdicts = try (["none"] + Self.letters).map { word in
      let tokens = context.model.vocabulary.untrusted(" \(word)", continuing: true)
      guard tokens.count == 1 else {
        throw EngineError.adapterRefused(reason: "\"\(word)\" is not one word of this model")
      }
      return tokens[0]
    }
  }

  func run(_ request: JudgeRequest) throws -> [Judgement] {
    let question = asked(request.question)
    let prompts = request.passages.map { passage in
      let (tokens, told) = tokens(of: passage, room: Self.window - question.count - 2 - Self.mostWords)
      return (tokens: tokens + question, told: told)
    }
    var judgements: [Judgement] = []
    // From the last to the first: the first one's sentence is mostly the likeliest, and what was read last need not be read again.
    for (passage, prompt) in zip(request.passages, prompts).reversed() {
      context.forgetEverything()
      let logits = try evaluate(prompt.tokens, from: 0)
      let chances = verdicts.prefix(1 + prompt.told).map { logits[Int($0)] }
      let total = Self.logTotal(chances)
      // What there was no room for was not read.
      let unread = [Float](repeating: -.greatestFiniteMagnitude, count: passage.sentences.count - prompt.told)
      judgements.insert(
        Judgement(
          none: chances[0] - total, sentences: chances.dropFirst().map { $0 - total } + unread,
          tokens: prompt.tokens.count), at: 0)
    }
    if let best = judgements.indices.min(by: { judgements[$0].none < judgements[$1].none }),
      let letter = judgements[best].sentences.indices.max(by: {
        judgements[best].sentences[$0] < judgements[best].sentences[$1]
      })
    {
      let read = prompts[best].tokens
      if best != judgements.startIndex {
        context.forgetEverything()
        _ = try evaluate(read, from: 0)
        judgements[best].tokens *= 2
      }
      judgements[best].words = try words(after: verdicts[1 + letter], from: read.count)
    }
    return judgements
  }

  /// What comes after the last of the tokens.
  private func evaluate(_ tokens: [TokenID], from start: Int) throws -> UnsafeMutableBufferPointer<Float> {
    let items = tokens.enumerated().map { place, token in
      LlamaContext.Item(token: token, position: start + place, wanted: place == tokens.count - 1)
    }
    try context.evaluate(items, reading: start == 0, cancelled: cancelled)
    return try context.logits(at: tokens.count - 1)
  }

  /// The likeliest words after a letter, up to the end of their line.
  private func words(after letter: TokenID, from place: Int) throws -> String? {
    let begin = [letter] + vocabulary.untrusted(":", continuing: true).prefix(1)
    var position = place + begin.count
    var logits = try evaluate(begin, from: place)
    var bytes: [UInt8] = []
    for _ in 0..<Self.mostWords {
      guard let next = logits.indices.max(by: { logits[$0] < logits[$1] }) else { break }
      let piece = vocabulary.bytes(of: TokenID(next))
      guard !piece.isEmpty, !piece.contains(UInt8(ascii: "\n")) else { break }
      bytes += piece
      logits = try evaluate([TokenID(next)], from: position)
      position += 1
    }
    let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    return text.isEmpty ? nil : text
  }

  private func asked(_ question: String) -> [TokenID] {
    let words = vocabulary.untrusted(" " + question.trimmingCharacters(in: .whitespacesAndNewlines), continuing: true)
    return vocabulary.untrusted("\nQuestion:", continuing: true) + words.prefix(Self.longestQuestion)
      + vocabulary.untrusted("\nAnswer:", continuing: true)
  }

  /// The passage's tokens, and how many of its sentences they hold: whole ones, but one at least.
  private func tokens(of passage: JudgeRequest.Passage, room: Int) -> ([TokenID], Int) {
    let title = passage.title.trimmingCharacters(in: .whitespacesAndNewlines).prefix(Self.longestTitle)
    var tokens = vocabulary.untrusted(String(title), continuing: true)
    var told = 0
    for (letter, sentence) in zip(Self.letters, passage.sentences) {
      let next =
        vocabulary.untrusted("\n\(letter):", continuing: true)
        + vocabulary.untrusted(" " + sentence, continuing: true)
      if tokens.count + next.count > room {
        if told == 0 { (tokens, told) = (tokens + next.prefix(max(0, room - tokens.count)), 1) }
        break
      }
      tokens += next
      told += 1
    }
    return (tokens, told)
  }

  private static func logTotal(_ values: [Float]) -> Float {
    let most = values.max() ?? 0
    return most + log(values.reduce(0) { $0 + exp($1 - most) })
  }
}
