import CLlama
import Core
import Inference
import Models
import Workers

/// From a file to a working context: on a graphics card with as many layers as it takes where that is wanted and works, else on the
/// processor, with the reason kept for the person to see.
struct Loader {
  let file: PackFile
  let header: GGUFHeader
  let adapters: [PackFile]
  let request: LoadRequest

  func context(cancelled: CancelFlag, progress: @escaping (Double) throws -> Void) throws -> LlamaContext {
    guard request.gpu else {
      let backend = LlamaModel.Backend(reason: request.cardRefusal)
      return try make(nil, backend, cancelled, progress)
    }
    var refusal: String
    switch CardPart.card() {
    case .failure(let absence): refusal = "\(absence)"
    case .success(let card):
      let (share, backend) = offer(card)
      guard share.layers > 0 else {
        refusal = share.words
        break
      }
      do { return try make(card.device, backend, cancelled, progress) } catch let error as EngineError {
        refusal = error.message
      }
    }
    return try make(nil, LlamaModel.Backend(reason: refusal), cancelled, progress)
  }

  /// As much of the model as the card has room for, or as was asked for where that is less.
  private func offer(_ card: CardPart.Card) -> (CardShare, LlamaModel.Backend) {
    guard let need = CardNeed(header, microBatch: request.embeddings ? request.batch : request.microBatch) else {
      let none = CardShare(card: card.report.name, layers: 0, of: 0, bytes: 0, freeBytes: card.report.freeBytes)
      return (none, LlamaModel.Backend(reason: none.words))
    }
    var report = card.report
    if let most = request.cardBytes { report.freeBytes = min(report.freeBytes, most) }
    let share = CardShare.decide(need, context: request.contextTokens, on: report)
    return (share, LlamaModel.Backend(share))
  }

  private func make(
    _ card: ggml_backend_dev_t?, _ backend: LlamaModel.Backend, _ cancelled: CancelFlag,
    _ progress: @escaping (Double) throws -> Void
  ) throws -> LlamaContext {
    let model = try LlamaModel(file, card: card, backend: backend, cancelled: cancelled, progress: progress)
    for (use, file) in zip(request.adapters, adapters) { try model.addAdapter(file, for: use) }
    return try LlamaContext(model, request: request)
  }
}
