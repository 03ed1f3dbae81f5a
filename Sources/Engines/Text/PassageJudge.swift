import Core
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
    guard model.adapters[.judging] != nil else {
      throw EngineError.missingFile("an adapter to judge with")
    }
    var request = request
    // Two passages are held: the likeliest so far, and the next.
    (request.contextTokens, request.batch, request.microBatch) = (2 * window, window, window)
    return try LlamaContext(model, request: request, for: .judging)
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
    let began = ContinuousClock.now
    var judgements: [Judgement] = []
    var tokensRead = 0
    var best = (place: 0, sequence: 0)
    // What each of the two sequences holds: the likeliest passage, whose words are read out of it, and the one read last.
    var held: [[TokenID]] = [[], []]
    context.forgetEverything()
    for passage in request.passages {
      let otherwise = passage.otherwise.map(asked) ?? []
      let longest = max(question.count, otherwise.count)
      let (tokens, told) = tokens(of: passage, room: Self.window - longest - 2 - Self.mostWords)
      let prompt = tokens + question
      let sequence = judgements.isEmpty ? 0 : 1 - best.sequence
      // Passages of one document begin with its title, which is read once.
      let known = held.map { zip($0, tokens).prefix { $0 == $1 }.count }
      let start = max(known[0], known[1])
      let unread = prompt.count - start + otherwise.count
      // It goes on while the next one, read at the pace so far, is done in time.
      if let seconds = request.seconds, tokensRead > 0 {
        let pace = (ContinuousClock.now - began).seconds / Double(tokensRead)
        guard pace * Double(tokensRead + unread) <= seconds else { break }
      }
      let isShared = known[sequence] < start
      _ = context.forget(sequence, from: isShared ? 0 : start)
      if isShared { context.share(1 - sequence, with: sequence, upTo: start) }
      var chances = [Float](repeating: 0, count: 1 + told)
      func add(_ logits: UnsafeMutableBufferPointer<Float>) {
        let values = verdicts.prefix(1 + told).map { logits[Int($0)] }
        let total = Self.logTotal(values)
        for place in chances.indices { chances[place] += values[place] - total }
      }
      if otherwise.isEmpty {
        add(try evaluate(prompt[start...], from: start, in: sequence, reading: true))
      } else {
        // The passage is read once.
        add(try evaluate((tokens + otherwise)[start...], from: start, in: sequence, reading: true))
        _ = context.forget(sequence, from: tokens.count)
        add(try evaluate(question, from: tokens.count, in: sequence, reading: true))
        for place in chances.indices { chances[place] /= 2 }
      }
      held[sequence] = prompt
      tokensRead += unread
      let total = Self.logTotal(chances)
      // What there was no room for was not read.
      let untold = [Float](repeating: -1e9, count: passage.sentences.count - told)
      judgements.append(
        Judgement(none: chances[0] - total, sentences: chances.dropFirst().map { $0 - total } + untold))
      let place = judgements.count - 1
      if judgements[place].none < judgements[best.place].none { best = (place, sequence) }
    }
    if !judgements.isEmpty, let letter = judgements[best.place].likeliest {
      judgements[best.place].words = try words(
        after: verdicts[1 + letter], of: held[best.sequence], in: best.sequence)
    }
    return judgements
  }

  /// What comes after the last of the tokens, once the last `wanted` of them are known.
  private func evaluate(
    _ tokens: some Collection<TokenID>, from start: Int, in sequence: Int, reading: Bool = false, wanted: Int = 1
  ) throws -> UnsafeMutableBufferPointer<Float> {
    let items = tokens.enumerated().map { place, token in
      LlamaContext.Item(
        token: token, position: start + place, sequence: sequence, wanted: place >= tokens.count - wanted)
    }
    try context.evaluate(items, reading: reading, cancelled: cancelled)
    return try context.logits(at: tokens.count - 1)
  }

  /// The likeliest words after a letter, up to the end of their line. They mostly stand in what was read: what follows there is taken
  /// for what comes, and holds as far as it is the likeliest.
  private func words(
    after letter: TokenID, of prompt: [TokenID], in sequence: Int
  ) throws -> Judgement.Words? {
    var next = [letter] + vocabulary.untrusted(":", continuing: true).prefix(1)
    var position = prompt.count
    var written: [TokenID] = []
    var bytes: [UInt8] = []
    var chance: Float = 0
    while written.count < Self.mostWords {
      let guess = Self.following(written, in: prompt).prefix(Self.mostWords - written.count - 1)
      _ = try evaluate(next + guess, from: position, in: sequence, wanted: guess.count + 1)
      position += next.count
      var right = 0
      while true {
        let logits = try context.logits(at: next.count - 1 + right)
        guard let token = logits.indices.max(by: { logits[$0] < logits[$1] }).map(TokenID.init) else { return nil }
        chance += logits[Int(token)] - Self.logTotal(logits)
        let piece = vocabulary.bytes(of: token)
        guard !piece.isEmpty, !piece.contains(UInt8(ascii: "\n")) else { return Self.words(bytes, chance) }
        bytes += piece
        written.append(token)
        guard right < guess.count, guess[guess.startIndex + right] == token else { break }
        right += 1
      }
      position += right
      _ = context.forget(sequence, from: position)
      next = [written[written.count - 1]]
    }
    return Self.words(bytes, chance)
  }

  private static let longestGuess = 8

  /// What comes where the end of these tokens stands first, the longest end that stands anywhere.
  private static func following(_ end: [TokenID], in text: [TokenID]) -> ArraySlice<TokenID> {
    guard let last = end.last else { return [] }
    var best = (length: 0, next: text.endIndex)
    for place in text.indices where text[place] == last {
      let length = zip(text[...place].reversed(), end.reversed()).prefix { $0 == $1 }.count
      if length > best.length { best = (length, place + 1) }
    }
    return text[best.next...].prefix(longestGuess)
  }

  private static func words(_ bytes: [UInt8], _ chance: Float) -> Judgement.Words? {
    let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    return text.isEmpty ? nil : Judgement.Words(text: text, chance: chance)
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

  private static func logTotal(_ values: some Sequence<Float>) -> Float {
    let most = values.max() ?? 0
    return most + log(values.reduce(0) { $0 + exp($1 - most) })
  }
}
