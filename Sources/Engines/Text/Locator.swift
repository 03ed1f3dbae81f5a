import CLlama
import Foundation
import Inference
import Workers

/// Reads question and passage in one piece, as an adapter of the encoder and the heads in the adapter's file make of it: where the words
/// stand that answer, and whether any do. As Training/Reading computes it; a test holds the two together.
struct Locator {
  /// Who computes the vectors of tokens, with the adapter.
  enum Source {
    case loops(Encoder)
    case llama(LlamaContext)
  }

  let source: Source
  let heads: Heads
  let vocabulary: Vocabulary
  let width: Int

  /// Tokens of one piece, as in training.
  static let window = 256
  private static let questionTokens = 62
  private static let titleTokens = 24
  private static let longestAnswer = 30

  /// What the encoder's vectors are multiplied with: for each token whether the answer begins there, ends there, and whether it belongs
  /// to a sentence that answers; for the whole, whether it answers.
  struct Heads {
    var tokens: [Float]
    var tokenBias: [Float]
    var whole: [Float]
    var wholeBias: Float

    /// From the entries of the adapter's file.
    init(_ file: PackFile, dimensions: Int) throws {
      let opened = try file.withStream { gguf_init_from_file_ptr($0, gguf_init_params(no_alloc: true, ctx: nil)) }
      guard let opened else { throw EngineError.adapterRefused(reason: "its entries cannot be read") }
      defer { gguf_free(opened) }
      func numbers(_ key: String, _ count: Int) throws -> [Float] {
        let place = gguf_find_key(opened, key)
        guard place >= 0, gguf_get_kv_type(opened, place) == GGUF_TYPE_ARRAY,
          gguf_get_arr_type(opened, place) == GGUF_TYPE_FLOAT32, gguf_get_arr_n(opened, place) == count,
          let data = gguf_get_arr_data(opened, place)
        else { throw EngineError.adapterRefused(reason: "its \(key) is missing or of another size") }
        return Array(UnsafeBufferPointer(start: data.assumingMemoryBound(to: Float.self), count: count))
      }
      tokens = try numbers("reading.tokens.weight", 3 * 2 * dimensions)
      tokenBias = try numbers("reading.tokens.bias", 3)
      whole = try numbers("reading.whole.weight", 3 * dimensions)
      wholeBias = try numbers("reading.whole.bias", 1)[0]
    }
  }

  /// nil where the model was loaded without a locator's adapter.
  init?(_ model: LlamaModel, request: LoadRequest, encoder: @autoclosure () throws -> Encoder?) throws {
    guard let locator = model.locator else { return nil }
    (heads, vocabulary, width) = (locator.heads, model.vocabulary, model.dimensions)
    if let encoder = try encoder() {
      source = .loops(encoder)
    } else {
      var request = request
      request.contextTokens = Self.window
      request.batch = Self.window
      source = .llama(try LlamaContext(model, request: request, reading: locator.adapter))
    }
  }

  /// As many pieces are computed at a time as keep all threads busy; between them the clock is looked at.
  private static let atOnce = 4

  func run(_ request: LocateRequest, cancelled: CancelFlag, _ reply: some ReplySink) throws {
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(request.milliseconds)
    var waiting = pieces(of: request)[...]
    var found: [Located] = []
    // Some is always read.
    while !waiting.isEmpty, found.isEmpty || clock.now < end {
      let portion = Array(waiting.prefix(Self.atOnce))
      waiting = waiting.dropFirst(portion.count)
      var rows = try vectors(of: portion.map(\.tokens), cancelled)[...]
      for piece in portion {
        found.append(located(piece, Array(rows.prefix(piece.tokens.count * width))))
        rows = rows.dropFirst(piece.tokens.count * width)
      }
    }
    try reply.event(found)
  }

  /// The vectors of all tokens of each text, one after the other.
  private func vectors(of texts: [[Token]], _ cancelled: CancelFlag) throws -> [Float] {
    switch source {
    case .loops(let encoder): return try encoder.tokenVectors(of: texts, cancelled: cancelled)
    case .llama(let context):
      return try texts.flatMap { tokens in
        context.forgetEverything()
        try context.evaluate(
          tokens.enumerated().map { LlamaContext.Item(token: $1, position: $0, wanted: true) }, cancelled: cancelled)
        return try tokens.indices.flatMap { Array(try context.embedding(at: $0)) }
      }
    }
  }

  // MARK: Taking apart

  /// Some sentences of a passage as they are read: between the edges the question, then the passage.
  private struct Piece {
    var passage: Int
    /// Its first sentence, and how many it has.
    var start: Int
    var count: Int
    var tokens: [Token]
    var asked: Range<Int>
    var inside: Range<Int>
    /// Where each token of the passage comes from; a title comes from nowhere.
    var origins: [Origin?]
  }

  private struct Origin {
    var sentence: Int
    var word: Int
  }

  private func pieces(of request: LocateRequest) -> [Piece] {
    let question = Array(tokens(of: request.question).prefix(Self.questionTokens))
    var found: [Piece] = []
    for (number, passage) in request.passages.enumerated() {
      let title = Array(tokens(of: passage.title).prefix(Self.titleTokens))
      let sentences = passage.sentences.map { $0.map(tokens) }
      for piece in Self.pieces(sentences.map { $0.reduce(0) { $0 + $1.count } }, room: room(question, title)) {
        found.append(self.piece(question, title, Array(sentences[piece]), of: number, from: piece.lowerBound))
      }
    }
    return found
  }

  /// Each word is split by itself, so that it is known where it begins.
  private func tokens(of word: String) -> [Token] { vocabulary.untrusted(word, continuing: false) }

  /// The question stands between the two edges, the passage before another closing one.
  private func room(_ question: [Token], _ title: [Token]) -> Int { Self.window - question.count - title.count - 3 }

  /// Whole sentences that fit together, in order; one that is too long by itself stands alone and is cut.
  static func pieces(_ counts: [Int], room: Int) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var used = 0
    for (place, count) in counts.enumerated() {
      if let last = pieces.last, used + count <= room {
        pieces[pieces.count - 1] = last.lowerBound..<place + 1
        used += count
      } else {
        pieces.append(place..<place + 1)
        used = count
      }
    }
    return pieces
  }

  private func piece(
    _ question: [Token], _ title: [Token], _ sentences: [[[Token]]], of passage: Int, from start: Int
  ) -> Piece {
    let edges = vocabulary.whole("")
    let opening = Array(edges.prefix(1)) + question + edges.dropFirst().prefix(1)
    var inside = title
    var origins: [Origin?] = title.map { _ in nil }
    for (sentence, words) in sentences.enumerated() {
      for (word, pieces) in words.enumerated() {
        inside += pieces
        origins += pieces.map { _ in Origin(sentence: sentence, word: word) }
      }
    }
    inside = Array(inside.prefix(Self.window - opening.count - 1))
    return Piece(
      passage: passage, start: start, count: sentences.count, tokens: opening + inside + edges.dropFirst().prefix(1),
      asked: 1..<1 + question.count, inside: opening.count..<opening.count + inside.count,
      origins: Array(origins.prefix(inside.count)))
  }

  // MARK: Judging one piece

  /// What the heads say of each token of the passage, and of the whole.
  private struct Logits {
    var begins: [Float] = []
    var ends: [Float] = []
    var evidence: [Float] = []
    var answers: Float = 0
    /// Of the opening token, which stands for "nowhere".
    var nowhere: Float = 0
  }

  /// `rows`: the vectors of the piece's tokens.
  private func logits(_ piece: Piece, _ rows: [Float]) -> Logits {
    func mean(_ places: Range<Int>) -> [Float] {
      var sum = [Float](repeating: 0, count: width)
      for place in places {
        for index in 0..<width { sum[index] += rows[place * width + index] / Float(places.count) }
      }
      return sum
    }
    let (question, passage) = (mean(piece.asked), mean(piece.inside))
    func heads(of place: Int) -> (Float, Float, Float) {
      var sums = (self.heads.tokenBias[0], self.heads.tokenBias[1], self.heads.tokenBias[2])
      let weights = self.heads.tokens
      for index in 0..<width {
        let value = rows[place * width + index]
        let product = value * question[index]
        sums.0 += weights[index] * value + weights[width + index] * product
        sums.1 += weights[2 * width + index] * value + weights[3 * width + index] * product
        sums.2 += weights[4 * width + index] * value + weights[5 * width + index] * product
      }
      return sums
    }
    var logits = Logits(answers: self.heads.wholeBias)
    let opening = heads(of: 0)
    logits.nowhere = opening.0 + opening.1
    for place in piece.inside {
      let (begin, end, evidence) = heads(of: place)
      logits.begins.append(begin)
      logits.ends.append(end)
      logits.evidence.append(evidence)
    }
    for index in 0..<width {
      logits.answers +=
        self.heads.whole[index] * rows[index] + self.heads.whole[width + index] * passage[index]
        + self.heads.whole[2 * width + index] * passage[index] * question[index]
    }
    return logits
  }

  private func located(_ piece: Piece, _ rows: [Float]) -> Located {
    let (logits, origins, count) = (logits(piece, rows), piece.origins, piece.count)
    var evidence = [Double](repeating: 0, count: count)
    var begins = evidence, held = evidence
    let highest = logits.begins.max() ?? 0
    let all = logits.begins.reduce(0) { $0 + Double(exp($1 - highest)) }
    var best = (score: -Float.infinity, first: 0, last: 0)
    for (place, origin) in origins.enumerated() {
      // A title is read and is no answer.
      guard let origin else { continue }
      evidence[origin.sentence] += Double(logits.evidence[place])
      begins[origin.sentence] += Double(exp(logits.begins[place] - highest)) / all
      held[origin.sentence] += 1
      for last in place..<min(place + Self.longestAnswer, origins.count)
      where logits.begins[place] + logits.ends[last] > best.score && origins[last]?.sentence == origin.sentence {
        best = (logits.begins[place] + logits.ends[last], place, last)
      }
    }
    for sentence in 0..<count { evidence[sentence] = held[sentence] > 0 ? evidence[sentence] / held[sentence] : -10 }
    var words: Located.Words?
    if best.score.isFinite, let first = origins[best.first], let last = origins[best.last] {
      words = Located.Words(sentence: piece.start + first.sentence, first: first.word, last: last.word)
    }
    return Located(
      passage: piece.passage, start: piece.start, evidence: evidence, begins: begins, answers: Double(logits.answers),
      margin: best.score.isFinite ? Double(best.score - logits.nowhere) : -20, words: words)
  }
}
