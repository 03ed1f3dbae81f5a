import Foundation
import Models

/// A published BERT sentence embedder on its way into the GGUF that llama.cpp reads. Matrices become f16; vectors stay f32.
struct BertModel {
  private struct Configuration: Decodable {
    var layers: UInt32
    var context: UInt32
    var width: UInt32
    var innerWidth: UInt32
    var heads: UInt32
    var epsilon: Float
    var tokenTypes: UInt32

    enum CodingKeys: String, CodingKey {
      case layers = "num_hidden_layers"
      case context = "max_position_embeddings"
      case width = "hidden_size"
      case innerWidth = "intermediate_size"
      case heads = "num_attention_heads"
      case epsilon = "layer_norm_eps"
      case tokenTypes = "type_vocab_size"
    }
  }

  private struct Pooling: Decodable {
    var takesMean: Bool
    enum CodingKeys: String, CodingKey { case takesMean = "pooling_mode_mean_tokens" }
  }

  private let configuration: Configuration
  private let words: WordPieces
  private let poolsMean: Bool
  private let name: String

  init(
    config: UnsafeRawBufferPointer, tokenizer: UnsafeRawBufferPointer, pooling: UnsafeRawBufferPointer, name: String
  ) throws {
    configuration = try decoded(Configuration.self, config, "config.json")
    words = try WordPieces(tokenizer)
    poolsMean = try decoded(Pooling.self, pooling, "1_Pooling/config.json").takesMean
    self.name = name
  }

  func write(weights: Safetensors, to out: WrittenFile) throws {
    var file = GGUFFile()
    file.add("general.architecture", .text("bert"))
    file.add("general.name", .text(name))
    file.add("general.file_type", .number(1))  // mostly f16
    file.add("bert.block_count", .number(configuration.layers))
    file.add("bert.context_length", .number(configuration.context))
    file.add("bert.embedding_length", .number(configuration.width))
    file.add("bert.feed_forward_length", .number(configuration.innerWidth))
    file.add("bert.attention.head_count", .number(configuration.heads))
    file.add("bert.attention.layer_norm_epsilon", .single(configuration.epsilon))
    file.add("bert.attention.causal", .truth(false))
    file.add("bert.pooling_type", .number(poolsMean ? 1 : 2))
    file.add("tokenizer.ggml.token_type_count", .number(configuration.tokenTypes))
    try words.describe(in: &file)
    for theirs in weights.names {
      guard let ours = try Self.name(theirs) else { continue }
      let tensor = try weights.tensor(theirs)
      // llama.cpp reads positions and token types as f32.
      let isMatrix = tensor.shape.count >= 2 && !["position_embd.weight", "token_types.weight"].contains(ours)
      file.tensors.append(.init(name: ours, tensor: tensor, kind: isMatrix ? .half : .single))
    }
    try file.write(to: out)
  }

  private static let outer = [
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
  ]
  private static let inner = [
    "attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm",
  ]
  private static let unused = ["embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"]

  /// llama.cpp's name for a tensor; nil for one it has no use for.
  private static func name(_ theirs: String) throws -> String? {
    if unused.contains(theirs) { return nil }
    if let name = outer[theirs] { return name }
    // encoder.layer.3.attention.self.query.weight
    let words = theirs.split(separator: ".").map(String.init)
    guard words.count > 4, let layer = UInt(words[2]),
      let ours = inner[words[3..<(words.count - 1)].joined(separator: ".")]
    else { throw PackError.unsupported("nothing is known of \(theirs)") }
    return "blk.\(layer).\(ours).\(words[words.count - 1])"
  }
}

/// BERT's word pieces. llama.cpp marks a word's beginning where BERT marks its continuation.
private struct WordPieces {
  private struct Published: Decodable {
    struct Added: Decodable {
      var id: Int
      var special: Bool
    }
    struct Model: Decodable { var vocab: [String: Int] }
    var added: [Added]
    var model: Model
    enum CodingKeys: String, CodingKey {
      case model
      case added = "added_tokens"
    }
  }

  private var texts: [String] = []
  private var kinds: [Int32] = []
  private var special: [String: UInt32] = [:]
  private static let (normal, control): (Int32, Int32) = (1, 3)

  init(_ bytes: UnsafeRawBufferPointer) throws {
    let published = try decoded(Published.self, bytes, "tokenizer.json")
    let marked = Set(published.added.filter(\.special).map(\.id))
    for (place, (text, id)) in published.model.vocab.sorted(by: { $0.value < $1.value }).enumerated() {
      guard place == id else { throw PackError.malformed("the vocabulary has gaps") }
      let isSpecial = marked.contains(id)
      kinds.append(isSpecial ? Self.control : Self.normal)
      if isSpecial { special[text] = UInt32(id) }
      texts.append(isSpecial ? text : Self.marked(text))
    }
  }

  /// By bytes: a mark that is written over the letter before it would make another character of the second sign.
  private static func marked(_ text: String) -> String {
    text.utf8.starts(with: "##".utf8) ? String(decoding: text.utf8.dropFirst(2), as: UTF8.self) : "\u{2581}" + text
  }

  func describe(in file: inout GGUFFile) throws {
    file.add("tokenizer.ggml.model", .text("bert"))
    file.add("tokenizer.ggml.pre", .text("jina-v2-en"))  // the name llama.cpp gives to lower-casing word pieces
    file.add("tokenizer.ggml.tokens", .texts(texts))
    file.add("tokenizer.ggml.token_type", .numbers(kinds))
    for (key, word) in [
      ("unknown", "[UNK]"), ("seperator", "[SEP]"), ("padding", "[PAD]"), ("bos", "[CLS]"), ("mask", "[MASK]"),
    ] {
      guard let id = special[word] else { throw PackError.unsupported("its vocabulary has no \(word)") }
      file.add("tokenizer.ggml.\(key)_token_id", .number(id))
    }
    file.add("tokenizer.ggml.add_bos_token", .truth(true))
    file.add("tokenizer.ggml.add_eos_token", .truth(true))
  }
}
