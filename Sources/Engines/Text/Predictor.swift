import Inference
import Workers

/// What the model would have written at every position of a text that it is given.
struct Predictor {
  let conversation: Conversation
  let vocabulary: Vocabulary
  let cancelled: CancelFlag

  private var context: LlamaContext { conversation.context }
  /// An outcome is as wide as the vocabulary, so only so many are held at once.
  private static let portion = 64

  func run(_ request: PredictRequest) throws -> [[Prediction]] {
    defer { conversation.cut(to: 0) }
    return try request.texts.map(predictions)
  }

  private func predictions(_ text: String) throws -> [Prediction] {
    let tokens = vocabulary.whole(text)
    guard tokens.count <= context.contextTokens else {
      throw EngineError.contextOverflow(
        promptTokens: tokens.count, maximumTokens: 0, contextTokens: context.contextTokens)
    }
    conversation.cut(to: 0)
    var predicted: [Prediction] = []
    while predicted.count < tokens.count {
      let end = min(predicted.count + min(Self.portion, context.batchTokens), tokens.count)
      let portion = tokens[predicted.count..<end]
      try conversation.append(portion, wantAll: true, cancelled: cancelled)
      for row in 0..<portion.count {
        let outcome = try context.logits(at: row)
        var best = 0
        var second = -Float.infinity
        for token in outcome.indices.dropFirst() {
          if outcome[token] > outcome[best] {
            (second, best) = (outcome[best], token)
          } else {
            second = max(second, outcome[token])
          }
        }
        predicted.append(Prediction(token: Int32(best), lead: outcome[best] - second))
      }
    }
    return predicted
  }
}
