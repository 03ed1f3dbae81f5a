import CLlama
import Inference
import Models
import Workers

/// Weights, vocabulary and template of one pack.
final class LlamaModel {
  let pointer: OpaquePointer
  let vocabulary: Tokeniser
  let backend: Backend
  /// They are freed with the model.
  private(set) var adapters: [AdapterUse: OpaquePointer] = [:]

  /// Where it computes, and for the processor why there, if a card was wanted.
  struct Backend {
    /// What lies on a graphics card; nil: nothing.
    var share: CardShare?
    var description: String

    init(_ share: CardShare) { (self.share, description) = (share, "a graphics card (\(share.words))") }
    init(reason: String? = nil) { description = "the processor" + (reason.map { " (\($0))" } ?? "") }

    var onCard: Bool { share != nil }
    /// The processor has nothing to do but to choose words.
    var isWhollyOnCard: Bool { share?.isWhole ?? false }
  }

  /// `card` takes as many layers as `backend` says; nil is how a refused card's model is tried again on the processor.
  init(
    _ file: PackFile, card: ggml_backend_dev_t?, backend: Backend, vocabularyAlone: Bool = false,
    cancelled: CancelFlag, progress: @escaping (Double) throws -> Void
  ) throws {
    var parameters = llama_model_default_params()
    parameters.n_gpu_layers = card == nil ? 0 : Int32(backend.share?.layers ?? 0)
    parameters.load_mode = LLAMA_LOAD_MODE_MMAP
    parameters.vocab_only = vocabularyAlone
    let watch = LoadWatch(cancelled: cancelled, progress: progress)
    parameters.progress_callback = { fraction, data in
      guard let data else { return true }
      return Unmanaged<LoadWatch>.fromOpaque(data).takeUnretainedValue().continues(Double(fraction))
    }
    parameters.progress_callback_user_data = Unmanaged.passUnretained(watch).toOpaque()

    EngineLog.clear()
    // A list ends with nil. An empty one keeps every layer and every large product on the processor, even where a card is present.
    let loaded = try withUnsafeTemporaryAllocation(of: ggml_backend_dev_t?.self, capacity: 2) { devices in
      (devices[0], devices[1]) = (card, nil)
      parameters.devices = devices.baseAddress
      return try withExtendedLifetime(watch) {
        try file.withStream { llama_model_load_from_file_ptr($0, parameters) }
      }
    }
    if let failure = watch.failure { throw failure }
    guard let loaded else {
      if cancelled.isSet { throw CancellationError() }
      throw EngineError.packRefused(reason: EngineLog.reason(orElse: "llama.cpp gave no reason"))
    }
    pointer = loaded
    self.backend = backend
    vocabulary = Tokeniser(model: loaded)
  }

  deinit { llama_model_free(pointer) }

  func addAdapter(_ file: PackFile, for use: AdapterUse) throws {
    try file.checkHeader()
    EngineLog.clear()
    guard let loaded = try file.withStream({ llama_adapter_lora_init_from_file_ptr(pointer, $0) }) else {
      throw EngineError.adapterRefused(reason: EngineLog.reason(orElse: "llama.cpp gave no reason"))
    }
    adapters[use] = loaded
  }

  var trainedContextTokens: Int { Int(llama_model_n_ctx_train(pointer)) }
  /// How token vectors become one for the whole text: as the file says, by their mean where it does not.
  var pooling: llama_pooling_type {
    switch metadata("\(metadata("general.architecture") ?? "").pooling_type") {
    case "2": LLAMA_POOLING_TYPE_CLS
    case "3": LLAMA_POOLING_TYPE_LAST
    default: LLAMA_POOLING_TYPE_MEAN
    }
  }

  private func metadata(_ key: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
      llama_model_meta_val_str(pointer, key, text.baseAddress, text.count) >= 0
        ? String(cString: text.baseAddress!) : nil
    }
  }

  var dimensions: Int { Int(llama_model_n_embd_out(pointer)) }
  /// Such models cannot forget a part of a sequence, so nothing that needs it is tried.
  var isRecurrent: Bool { llama_model_is_recurrent(pointer) || llama_model_is_hybrid(pointer) }

  var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      llama_model_desc(pointer, text.baseAddress, text.count)
      return String(cString: text.baseAddress!)
    }
  }

  var templateSource: String? { llama_model_chat_template(pointer, nil).map { String(cString: $0) } }

  /// A template that cannot be read is no reason to refuse the model: raw prompts need none.
  func template(cancelled: CancelFlag = CancelFlag()) -> Result<ChatTemplate, EngineError> {
    guard let source = templateSource else { return .failure(.templateMissing) }
    func spelling(_ token: TokenID) -> String { token == LLAMA_TOKEN_NULL ? "" : vocabulary.text(of: token) }
    return Result { () throws(EngineError) in
      try ChatTemplate(
        source: source, beginning: spelling(vocabulary.beginning), end: spelling(llama_vocab_eos(vocabulary.pointer)),
        cancelled: cancelled)
    }
  }
}

/// What llama.cpp's progress callback reaches: reports, and stops a load that nobody wants any more.
private final class LoadWatch {
  private let cancelled: CancelFlag
  private let progress: (Double) throws -> Void
  private(set) var failure: (any Error)?
  private var reported = -1.0

  init(cancelled: CancelFlag, progress: @escaping (Double) throws -> Void) {
    self.cancelled = cancelled
    self.progress = progress
  }

  func continues(_ fraction: Double) -> Bool {
    if cancelled.isSet { return false }
    guard fraction - reported >= 0.01 || fraction >= 1 else { return true }
    reported = fraction
    do {
      try progress(fraction)
      return true
    } catch {
      failure = error
      return false
    }
  }
}
