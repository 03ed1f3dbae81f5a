import Core
import Foundation
import Inference

/// `options` of a request. What would change the answer and cannot be done is refused; what only tunes the machine is the
/// device's to decide, and is read past.
struct OllamaOptions: Decodable, Sendable {
  private var values: [String: JSONNode]
  private var place: String

  init(from decoder: any Decoder) throws { self.init(try [String: JSONNode](from: decoder)) }

  /// `place`: what stands before a name where it is complained of.
  init(_ values: [String: JSONNode], in place: String = "options.") { (self.values, self.place) = (values, place) }

  private static let ofTheMachine: Set = [
    "num_keep", "num_batch", "num_gpu", "main_gpu", "num_thread", "use_mmap", "use_mlock", "low_vram", "numa", "f16_kv",
    "vocab_only", "logits_all", "embedding_only", "draft_num_predict",
  ]
  static let endless = 1_000_000
  /// What these stand at when they change nothing.
  private static let idle: [String: Double] = [
    "tfs_z": 1, "typical_p": 1, "mirostat": 0, "mirostat_tau": 5, "mirostat_eta": 0.1, "dynatemp_range": 0,
    "xtc_probability": 0, "dry_multiplier": 0, "top_n_sigma": -1,
  ]
  /// What the engine looks back on for its penalties.
  private static let penaltyWindow = 256.0

  func apply(to request: inout GenerateRequest) throws {
    for (name, value) in values where value != .null {
      switch name {
      case "temperature": request.sampling.temperature = Float(try number(name, 0...2))
      case "top_p": request.sampling.topP = Float(try number(name, 0...1))
      case "min_p": request.sampling.minP = Float(try number(name, 0...1))
      case "top_k": request.sampling.topK = Int32(max(0, try number(name, -1...1_000_000)))
      case "repeat_penalty": request.sampling.repeatPenalty = Float(try number(name, 0.01...10))
      case "presence_penalty": request.sampling.presencePenalty = Float(try number(name, -2...2))
      case "frequency_penalty": request.sampling.frequencyPenalty = Float(try number(name, -2...2))
      case "seed": request.sampling.seed = UInt32(truncatingIfNeeded: Int64(try number(name, -1e15...1e15)))
      case "num_predict":
        // Negative: for as long as the context has room.
        let most = try number(name, -2...1_000_000)
        request.maximumTokens = most > 0 ? Int(most) : Self.endless
      case "num_ctx": request.contextTokens = Int(try number(name, 1...10_000_000))
      case "stop": request.stop = try stops(value)
      case _ where Self.ofTheMachine.contains(name) || name == "repeat_last_n" || name == "penalize_newline": break
      default:
        guard let idle = Self.idle[name] else { throw ServerError.unsupported("the option \(name.prefix(40))") }
        // Only the first three switch anything on.
        if !name.hasPrefix("mirostat_"), try number(name, -1e9...1e9) != idle {
          throw ServerError.unsupported("the option \(name)")
        }
      }
    }
    try CompletionBounds.check(stops: request.stop)
    try checkWindow(request.sampling)
  }

  /// How far back a penalty looks matters where there is one.
  private func checkWindow(_ sampling: Sampling) throws {
    let penalises = sampling.repeatPenalty != 1 || sampling.presencePenalty != 0 || sampling.frequencyPenalty != 0
    guard penalises, let asked = values["repeat_last_n"], asked != .null else { return }
    guard try number("repeat_last_n", -1...1e9) == Self.penaltyWindow else {
      throw ServerError.unsupported("repeat_last_n other than \(Int(Self.penaltyWindow)) beside a penalty")
    }
  }

  private func number(_ name: String, _ range: ClosedRange<Double>) throws -> Double {
    let value: Double
    switch values[name] {
    case .whole(let number): value = Double(number)
    case .number(let number): value = number
    default: throw ServerError.unreadable("\(place)\(name) is no number")
    }
    return try CompletionBounds.within(value, range, "\(place)\(name)") ?? value
  }

  private func stops(_ value: JSONNode) throws -> [String] {
    let all: [JSONNode] = if case .list(let list) = value { list } else { [value] }
    return try all.compactMap { one in
      guard case .text(let text) = one else { throw ServerError.unreadable("\(place)stop holds texts") }
      return text.isEmpty ? nil : text
    }
  }
}

/// How long a model is to stay in memory: "5m", seconds as a number, 0 for no longer than the answer. Any other than 0 is the
/// device's to decide.
struct OllamaStay: Decodable, Sendable {
  private static let longest = 64
  // Nothing is given back once it is taken: what is no time is else tried in more ways than anybody can wait for.
  private static var time: Regex<Substring> { /-?(?>\d++(?:\.\d++)?(?:ns|us|µs|ms|s|m|h)?)++/ }
  var endsAtOnce: Bool

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let seconds = try? container.decode(Double.self) {  // else it is a text
      endsAtOnce = seconds == 0
      return
    }
    let text = try container.decode(String.self)
    let isTime = text.utf8.count <= Self.longest && text.wholeMatch(of: Self.time) != nil
    guard isTime else {
      throw ServerError.unreadable("keep_alive is a time as in \"5m\", or seconds")
    }
    endsAtOnce = !text.contains { ("1"..."9").contains($0) }
  }
}
