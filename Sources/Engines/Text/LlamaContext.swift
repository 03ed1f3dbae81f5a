import CLlama
import Core
import Foundation
import Inference
import Workers

/// The working memory of a model: evaluates batches of tokens, stops when told to, forgets what it is told to forget.
final class LlamaContext {
  let pointer: OpaquePointer
  let model: LlamaModel
  let contextTokens: Int
  let batchTokens: Int
  /// Products of Q8_0 weights are our own (Engine/products.h); false: ggml's, to compare with.
  var multipliesItself = true
  private let abort: AbortSwitch
  private var batch: llama_batch
  private var chosenThreads = (generation: 1, batch: 1)
  private var tokenThreads = TokenThreads(threads: 1)
  private var mostThreads = 0
  private let clock = ContinuousClock()

  /// The conversation is sequence 0; the others hold candidates being scored, or packed texts.
  static let sequences = 16

  /// With the adapter for this use alone; for words, every token has a vector of its own.
  init(_ model: LlamaModel, request: LoadRequest, for use: AdapterUse = .writing) throws {
    let threads = Int32(min(max(request.threads ?? 1, 1), 512))
    var parameters = llama_context_default_params()
    parameters.n_ctx = UInt32(min(max(request.contextTokens, 32), 1 << 22))
    parameters.n_batch = Self.whole(request.batch)
    // An encoder sees a text in one piece or not at all.
    parameters.n_ubatch = request.embeddings ? Self.whole(request.batch) : Self.whole(request.microBatch)
    parameters.n_seq_max = UInt32(Self.sequences)
    parameters.kv_unified = true
    parameters.n_threads = threads
    parameters.n_threads_batch = threads
    parameters.swa_full = true  // a window-limited cache could not be cut back to a shared beginning
    parameters.no_perf = true
    parameters.offload_kqv = model.backend.onCard
    parameters.op_offload = model.backend.onCard
    parameters.embeddings = request.embeddings
    if request.embeddings {
      parameters.pooling_type = use == .words ? LLAMA_POOLING_TYPE_NONE : model.pooling
    }
    let type = request.kvType == .q8 ? GGML_TYPE_Q8_0 : GGML_TYPE_F16
    parameters.type_k = type
    parameters.type_v = type
    parameters.flash_attn_type =
      switch request.flashAttention {
      case true?: LLAMA_FLASH_ATTN_TYPE_ENABLED
      case false?: LLAMA_FLASH_ATTN_TYPE_DISABLED
      case nil: LLAMA_FLASH_ATTN_TYPE_AUTO
      }
    let abort = AbortSwitch()
    parameters.abort_callback = { data in
      guard let data else { return false }
      return Unmanaged<AbortSwitch>.fromOpaque(data).takeUnretainedValue().isOn
    }
    parameters.abort_callback_data = Unmanaged.passUnretained(abort).toOpaque()

    EngineLog.clear()
    guard let pointer = llama_init_from_model(model.pointer, parameters) else {
      throw EngineError.contextRefused(reason: EngineLog.reason(orElse: "llama.cpp gave no reason"))
    }
    self.pointer = pointer
    self.model = model
    self.abort = abort
    contextTokens = Int(llama_n_ctx(pointer))
    batchTokens = Int(llama_n_batch(pointer))
    chosenThreads = (Int(threads), Int(threads))
    tokenThreads = TokenThreads(threads: Int(threads))
    batch = llama_batch_init(Int32(batchTokens), 0, 1)
    if let adapter = model.adapters[use] {
      var adapters: [OpaquePointer?] = [adapter]
      var scales: [Float] = [1]
      guard llama_set_adapters_lora(pointer, &adapters, 1, &scales) == 0 else {
        throw EngineError.adapterRefused(reason: EngineLog.reason(orElse: "llama.cpp gave no reason"))
      }
    }
  }

  /// llama.cpp aborts where a batch is not a multiple of the number of sequences.
  private static func whole(_ tokens: Int) -> UInt32 {
    UInt32(min(max(tokens, 32), 8192) + sequences - 1) / UInt32(sequences) * UInt32(sequences)
  }

  deinit {
    llama_batch_free(batch)
    llama_free(pointer)
  }

  var threads: Int { chosenThreads.generation }

  func setThreads(generation: Int, batch: Int) {
    chosenThreads = (generation, batch)
    useThreads()
  }

  /// Others compute beside this one and have their share of the cores; 0: nobody does.
  func limit(threads most: Int) {
    guard most != mostThreads else { return }
    mostThreads = most
    useThreads()
  }

  private func useThreads() {
    tokenThreads = TokenThreads(threads: usedThreads.generation)
    llama_set_n_threads(pointer, Int32(usedThreads.generation), Int32(usedThreads.batch))
  }

  private var usedThreads: (generation: Int, batch: Int) {
    let most = mostThreads > 0 ? mostThreads : .max
    return (min(chosenThreads.generation, most), min(chosenThreads.batch, most))
  }

  private func adaptThreads(after milliseconds: Double) {
    guard usedThreads.generation > 1, !model.backend.isWhollyOnCard else { return }
    let alone = tokenThreads.isAlone(after: milliseconds)
    guard alone != (llama_n_threads(pointer) == 1) else { return }
    // A batch has long steps and few waits: there several threads are faster beside other programs too.
    llama_set_n_threads(pointer, alone ? 1 : Int32(usedThreads.generation), Int32(usedThreads.batch))
  }

  // MARK: Evaluating

  /// Fewer tokens of a prompt than these do not fill tiles of attention well enough.
  private static let fewestInTiles: Int32 = 3

  /// One token of a batch: where it stands, and whether its outcome is wanted.
  struct Item {
    var token: TokenID
    var position: Int
    var sequence: Int = 0
    var wanted: Bool = false
  }

  /// Evaluates at most `batchTokens` items. A cancelled evaluation throws `CancellationError`; how far it came is then told
  /// by `end(of:)`. `reading`: a prompt, whose smaller batches too are worth an attention by tiles; a draft must come to the sums
  /// that its tokens come to alone.
  func evaluate(_ items: some Collection<Item>, reading: Bool = false, cancelled: CancelFlag) throws {
    precondition(items.count <= batchTokens)
    for (index, item) in items.enumerated() {
      batch.token[index] = item.token
      batch.pos[index] = Int32(item.position)
      batch.n_seq_id[index] = 1
      batch.seq_id[index]![0] = Int32(item.sequence)
      batch.logits[index] = item.wanted ? 1 : 0
    }
    batch.n_tokens = Int32(items.count)
    if cancelled.isSet { throw CancellationError() }
    EngineLog.clear()
    abort.flag = cancelled
    defer { abort.flag = nil }
    let began = clock.now
    libera_batches_from(multipliesItself ? 1 : .max, reading ? Self.fewestInTiles : Int32(Lookup.longestDraft) + 2)
    switch llama_decode(pointer, batch) {
    case 0: if items.count == 1 { adaptThreads(after: (clock.now - began).milliseconds) }
    case 1: throw EngineError.evaluationFailed(reason: "the context is full")
    case 2: throw CancellationError()
    case let status:
      throw EngineError.evaluationFailed(reason: EngineLog.reason(orElse: "llama.cpp returned \(status)"))
    }
  }

  /// The outcome for the `index`th item of the last batch: one number per token of the vocabulary.
  func logits(at index: Int) throws -> UnsafeMutableBufferPointer<Float> {
    guard let row = llama_get_logits_ith(pointer, Int32(index)) else {
      throw EngineError.evaluationFailed(reason: "no outcome was computed")
    }
    return UnsafeMutableBufferPointer(start: row, count: model.vocabulary.size)
  }

  func embedding(ofSequence sequence: Int) throws -> UnsafeBufferPointer<Float> {
    guard let row = llama_get_embeddings_seq(pointer, Int32(sequence)) else {
      throw EngineError.evaluationFailed(reason: "no vector was computed")
    }
    return UnsafeBufferPointer(start: row, count: model.dimensions)
  }

  func embedding(at index: Int) throws -> UnsafeBufferPointer<Float> {
    guard let row = llama_get_embeddings_ith(pointer, Int32(index)) else {
      throw EngineError.evaluationFailed(reason: "no vector was computed")
    }
    return UnsafeBufferPointer(start: row, count: model.dimensions)
  }

  // MARK: Memory of sequences

  private var memory: OpaquePointer? { llama_get_memory(pointer) }

  /// How many positions of a sequence are evaluated.
  func end(of sequence: Int) -> Int { Int(llama_memory_seq_pos_max(memory, Int32(sequence))) + 1 }

  /// Forgets everything from `position`; false where the model can only forget whole sequences.
  func forget(_ sequence: Int, from position: Int) -> Bool {
    llama_memory_seq_rm(memory, Int32(sequence), Int32(position), -1)
  }

  /// What is held of a sequence, as far as `end` if there is one, is from now on held of another as well.
  func share(_ sequence: Int, with other: Int, upTo end: Int? = nil) {
    llama_memory_seq_cp(memory, Int32(sequence), Int32(other), -1, end.map(Int32.init) ?? -1)
  }

  /// What was evaluated of a sequence, to be put back later into a context of the same form; nil where it takes more than `mostBytes`.
  func state(of sequence: Int, mostBytes: Int) throws -> Data? {
    let size = llama_state_seq_get_size(pointer, Int32(sequence))
    guard size > 0, size <= mostBytes else { return nil }
    var state = Data(count: size)
    EngineLog.clear()
    let written = state.withUnsafeMutableBytes { bytes in
      llama_state_seq_get_data(pointer, bytes.baseAddress, bytes.count, Int32(sequence))
    }
    guard written == size else {
      throw EngineError.stateRefused(reason: EngineLog.reason(orElse: "\(written) of \(size) bytes were written"))
    }
    return state
  }

  /// Puts such a state in the place of everything that is held.
  func putBack(_ state: Data, to sequence: Int) throws {
    forgetEverything()
    EngineLog.clear()
    let read = state.withUnsafeBytes { bytes in
      llama_state_seq_set_data(pointer, bytes.baseAddress, bytes.count, Int32(sequence))
    }
    guard read == state.count else {
      forgetEverything()
      throw EngineError.stateRefused(reason: EngineLog.reason(orElse: "\(read) of \(state.count) bytes were read"))
    }
  }

  func forgetEverything() { llama_memory_clear(memory, false) }
}

/// Read by llama.cpp between the steps of a computation, on the thread that called it.
private final class AbortSwitch {
  var flag: CancelFlag?
  var isOn: Bool { flag?.isSet ?? false }
}
