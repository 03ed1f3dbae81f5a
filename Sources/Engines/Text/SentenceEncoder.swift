import CLlama
import Inference
import Models
import Workers

/// The Universal Sentence Encoder of many languages: words in windows of two, three and five, summed up over the text. It has no
/// attention, and a token takes a sixth of the multiplications that MiniLM takes. Its products are ggml's, which has them for every
/// processor; llama.cpp reads its vocabulary.
final class SentenceEncoder: TextEncoder {
  let vocabulary: Tokeniser
  static let dimensions = 512
  /// A longer text is cut: the sum of so many words says what all of them say.
  static let window = 512
  /// So many tokens are computed at a time.
  private static let groupTokens = 512
  private static let wide = 256
  /// How many words stand together, and how many of them before the word itself.
  private static let windows = [(size: 2, before: 0), (size: 3, before: 1), (size: 5, before: 2)]
  private static let epsilon: Float = 1e-12

  private let model: LlamaModel
  private let file: MappedPack
  private let words: Words
  private let weights: Weights
  private let backend: ggml_backend_t
  private let allocator: ggml_gallocr_t
  private let cores: Int

  static func reads(_ header: GGUFHeader) -> Bool { header.tensors["words.steps"] != nil }

  init(_ pack: PackFile, _ header: GGUFHeader, threads: Int, cancelled: CancelFlag) throws {
    model = try LlamaModel(
      pack, card: nil, backend: LlamaModel.Backend(), vocabularyAlone: true, cancelled: cancelled, progress: { _ in })
    vocabulary = model.vocabulary
    let tensors = try Self.tensors(of: header, words: vocabulary.size)
    guard let file = MappedPack(pack, header), let weights = Weights(file, tensors),
      let backend = ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nil)
    else { throw EngineError.packRefused(reason: "memory is short") }
    guard let allocator = ggml_gallocr_new(ggml_backend_get_default_buffer_type(backend)) else {
      ggml_backend_free(backend)
      throw EngineError.packRefused(reason: "memory is short")
    }
    (self.file, self.weights, self.backend, self.allocator) = (file, weights, backend, allocator)
    words = Words(file, tensors)
    cores = threads
  }

  deinit {
    ggml_gallocr_free(allocator)
    ggml_backend_free(backend)
  }

  /// What is computed with, each of the shape that the computation takes for granted. What else stands in the file is not looked at.
  private static func tensors(of header: GGUFHeader, words: Int) throws -> [String: GGUFHeader.Tensor] {
    let (all, steps) = (UInt64(dimensions), header.tensors["words.step"]?.shape.first ?? 0)
    let branches = UInt64(wide * windows.count)
    var shapes: [String: [UInt64]] = [
      "words.steps": [all, UInt64(words)], "words.step": [steps], "words.least": [steps],
      "wide.weight": [all, branches], "wide.bias": [branches], "wide.norm.scale": [branches],
      "wide.norm.shift": [branches], "norm.scale": [all + branches], "norm.shift": [all + branches],
      "text.weight": [all + branches, all], "text.bias": [all],
      "first.in.weight": [all, 320], "first.out.weight": [320, 320], "first.past.weight": [all, 320],
      "second.in.weight": [320, all], "second.out.weight": [all, all], "second.past.weight": [320, all],
    ]
    for window in windows {
      for step in 1...2 {
        shapes["near.\(window.size).\(step).weight"] = [UInt64(window.size * wide), UInt64(wide)]
        shapes["near.\(window.size).\(step).bias"] = [UInt64(wide)]
      }
    }
    return try shapes.reduce(into: [:]) { found, expected in
      let (name, shape) = expected
      let types: [GGUFType] = name == "words.steps" ? [.i8] : shape.count == 1 ? [.f32] : [.f16, .f32]
      guard let tensor = header.tensors[name], tensor.shape == shape, types.contains(tensor.type) else {
        throw EngineError.packRefused(reason: "its \(name) is missing or of another shape")
      }
      found[name] = tensor
    }
  }

  func info(_ header: GGUFHeader, threads: Int, loadMs: Double) -> ModelInfo {
    ModelInfo(
      description: header.name ?? "a sentence encoder", contextTokens: Self.window, trainedContextTokens: Self.window,
      dimensions: Self.dimensions, threads: threads, backend: model.backend.description, loadMs: loadMs)
  }

  func vectors(of texts: [[TokenID]], threads: Int?, cancelled: CancelFlag) throws -> [Float] {
    use(threads: min(threads ?? cores, cores))
    let starts = texts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    let groups = Encoder.groups(starts, of: Self.groupTokens)
    var vectors: [Float] = []
    for (first, last) in zip(groups, groups.dropFirst()) {
      try cancelled.check()
      vectors += try Sheet(texts[first..<last], words: words).vectors(weights, backend, allocator)
    }
    return vectors
  }

  private func use(threads: Int) {
    guard let device = ggml_backend_get_device(backend), let registry = ggml_backend_dev_backend_reg(device),
      let function = ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads")
    else { return }
    typealias Setting = @convention(c) (ggml_backend_t?, CInt) -> Void
    unsafeBitCast(function, to: Setting.self)(backend, CInt(max(1, threads)))
  }

  // MARK: Parts

  /// The tables of words: steps of 64 between a least and a most, which differ from table to table.
  private struct Words {
    private let steps: UnsafePointer<UInt8>
    private let tables: Int
    private let step: UnsafePointer<Float>
    private let least: UnsafePointer<Float>

    init(_ file: MappedPack, _ tensors: [String: GGUFHeader.Tensor]) {
      func address<Number>(_ name: String, _ type: Number.Type) -> UnsafePointer<Number> {
        file.address(of: tensors[name]!).assumingMemoryBound(to: type)
      }
      steps = address("words.steps", UInt8.self)
      (step, least) = (address("words.step", Float.self), address("words.least", Float.self))
      tables = Int(tensors["words.step"]!.shape[0])
    }

    func write(_ word: TokenID, to row: UnsafeMutablePointer<Float>) {
      let (table, from) = (Int(word) % tables, steps + Int(word) * dimensions)
      for place in 0..<dimensions { row[place] = Float(from[place]) * step[table] + least[table] }
    }
  }

  /// The matrices, where they lie in the file.
  private final class Weights {
    private let context: OpaquePointer
    private let buffer: ggml_backend_buffer_t
    private var made: [String: UnsafeMutablePointer<ggml_tensor>] = [:]

    init?(_ file: MappedPack, _ tensors: [String: GGUFHeader.Tensor]) {
      let room = ggml_init_params(
        mem_size: ggml_tensor_overhead() * (tensors.count + 1), mem_buffer: nil, no_alloc: true)
      guard let context = ggml_init(room) else { return nil }
      let start = UnsafeMutableRawPointer(mutating: file.bytes.baseAddress!)
      guard let buffer = ggml_backend_cpu_buffer_from_ptr(start, file.bytes.count) else {
        ggml_free(context)
        return nil
      }
      (self.context, self.buffer) = (context, buffer)
      for (name, tensor) in tensors where tensor.type != .i8 {
        let type = tensor.type == .f16 ? GGML_TYPE_F16 : GGML_TYPE_F32
        let shape = tensor.shape.map(Int64.init)
        guard let matrix = ggml_new_tensor_2d(context, type, shape[0], shape.count > 1 ? shape[1] : 1),
          ggml_backend_tensor_alloc(buffer, matrix, UnsafeMutableRawPointer(mutating: file.address(of: tensor)))
            == GGML_STATUS_SUCCESS
        else { return nil }
        made[name] = matrix
      }
    }

    deinit {
      ggml_backend_buffer_free(buffer)
      ggml_free(context)
    }

    subscript(_ name: String) -> UnsafeMutablePointer<ggml_tensor>? { made[name] }
  }

  /// Texts that are computed together: their words one below the other.
  private struct Sheet {
    let texts: ArraySlice<[TokenID]>
    let words: Words
    private var count: Int { texts.reduce(0) { $0 + $1.count } }

    init(_ texts: ArraySlice<[TokenID]>, words: Words) { (self.texts, self.words) = (texts, words) }

    func vectors(_ weights: Weights, _ backend: ggml_backend_t, _ allocator: ggml_gallocr_t) throws -> [Float] {
      let parts = 160
      let room = ggml_init_params(
        mem_size: ggml_tensor_overhead() * parts + ggml_graph_overhead_custom(parts, false), mem_buffer: nil,
        no_alloc: true)
      guard count > 0, let context = ggml_init(room) else {
        return [Float](repeating: 0, count: texts.count * dimensions)
      }
      defer { ggml_free(context) }
      let inputs = Inputs(context, rows: Int64(count), texts: Int64(texts.count))
      let vector = computed(from: inputs, weights, context)
      ggml_set_output(vector)
      let graph = ggml_new_graph_custom(context, parts, false)
      ggml_build_forward_expand(graph, vector)
      guard ggml_gallocr_alloc_graph(allocator, graph) else {
        throw EngineError.evaluationFailed(reason: "memory is short")
      }
      fill(inputs)
      guard ggml_backend_graph_compute(backend, graph) == GGML_STATUS_SUCCESS else {
        throw EngineError.evaluationFailed(reason: "the processor's part of ggml gave up")
      }
      return [Float](unsafeUninitializedCapacity: texts.count * dimensions) { buffer, count in
        ggml_backend_tensor_get(vector, buffer.baseAddress, 0, buffer.count * MemoryLayout<Float>.size)
        count = buffer.count
      }
    }

    /// What a graph begins with, filled once it has its place in memory.
    private struct Inputs {
      let words, sums, roots: UnsafeMutablePointer<ggml_tensor>?
      let near: [UnsafeMutablePointer<ggml_tensor>?]
      let rows: Int64

      init(_ context: OpaquePointer, rows: Int64, texts: Int64) {
        func input(_ type: ggml_type, _ width: Int64, _ height: Int64) -> UnsafeMutablePointer<ggml_tensor>? {
          let made = ggml_new_tensor_2d(context, type, width, height)
          ggml_set_input(made)
          return made
        }
        words = input(GGML_TYPE_F32, Int64(dimensions), rows)
        sums = input(GGML_TYPE_F32, rows, texts)
        roots = input(GGML_TYPE_F32, 1, texts)
        near = windows.map { input(GGML_TYPE_I32, rows * Int64($0.size), 1) }
        self.rows = rows
      }
    }

    private func computed(
      from inputs: Inputs, _ weights: Weights, _ context: OpaquePointer
    ) -> UnsafeMutablePointer<ggml_tensor>? {
      let product = { ggml_mul_mat(context, weights[$0], $1) }
      func normal(_ values: UnsafeMutablePointer<ggml_tensor>?, _ name: String) -> UnsafeMutablePointer<ggml_tensor>? {
        let even = ggml_mul(context, ggml_norm(context, values, epsilon), weights["\(name).scale"])
        return ggml_add(context, even, weights["\(name).shift"])
      }
      let spread = normal(ggml_add(context, product("wide.weight", inputs.words), weights["wide.bias"]), "wide.norm")
      var features = inputs.words
      for (place, window) in windows.enumerated() {
        let start = place * wide * MemoryLayout<Float>.size
        let stride = wide * windows.count * MemoryLayout<Float>.size
        var column = ggml_cont(context, ggml_view_2d(context, spread, Int64(wide), inputs.rows, stride, start))
        for step in 1...2 {
          // A row of nothing below the last stands for what lies outside a text.
          let all = ggml_get_rows(context, ggml_pad(context, column, 0, 1, 0, 0), inputs.near[place])
          let beside = ggml_reshape_2d(context, all, Int64(wide * window.size), inputs.rows)
          let name = "near.\(window.size).\(step)"
          let made = ggml_add(context, product("\(name).weight", beside), weights["\(name).bias"])
          column = ggml_add(context, ggml_relu(context, made), column)
        }
        features = ggml_concat(context, features, column, 0)
      }
      let turned = ggml_cont(context, ggml_transpose(context, normal(features, "norm")))
      let bias = ggml_reshape_2d(context, weights["text.bias"], 1, Int64(dimensions))
      let text = ggml_add(
        context, product("text.weight", ggml_mul_mat(context, turned, inputs.sums)),
        ggml_mul_mat(context, bias, inputs.roots))
      var vector = text
      for (name, end) in [("first", ggml_relu), ("second", ggml_tanh)] {
        let inner = ggml_relu(context, product("\(name).in.weight", vector))
        let both = ggml_add(context, product("\(name).past.weight", vector), product("\(name).out.weight", inner))
        vector = end(context, both)
      }
      return vector
    }

    private func fill(_ inputs: Inputs) {
      fill(inputs.words) { (values: UnsafeMutablePointer<Float>) in
        for (row, word) in texts.joined().enumerated() { words.write(word, to: values + row * dimensions) }
      }
      // Of what is summed up over a text, the root of its length is taken out.
      fill(inputs.sums) { (values: UnsafeMutablePointer<Float>) in
        values.update(repeating: 0, count: count * texts.count)
        var row = 0
        for (place, text) in texts.enumerated() {
          for _ in text {
            values[place * count + row] = 1 / Float(text.count).squareRoot()
            row += 1
          }
        }
      }
      fill(inputs.roots) { (values: UnsafeMutablePointer<Float>) in
        for (place, text) in texts.enumerated() { values[place] = Float(text.count).squareRoot() }
      }
      for (list, window) in zip(inputs.near, windows) {
        fill(list) { (values: UnsafeMutablePointer<Int32>) in
          var (start, place) = (0, 0)
          for text in texts {
            for at in text.indices {
              for slot in at - window.before..<at - window.before + window.size {
                values[place] = Int32(text.indices.contains(slot) ? start + slot : count)
                place += 1
              }
            }
            start += text.count
          }
        }
      }
    }

    private func fill<Number>(
      _ tensor: UnsafeMutablePointer<ggml_tensor>?, _ body: (UnsafeMutablePointer<Number>) -> Void
    ) {
      guard let data = tensor?.pointee.data else { return }
      body(data.assumingMemoryBound(to: Number.self))
    }
  }
}
