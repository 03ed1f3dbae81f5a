import Core

// The one table behind every limit. A mode gives the base, the person's settings replace single values of it, and each row
// whose condition holds lowers what it names; where rows disagree the strictest wins, whatever was asked for.

/// The limits of a mode where no row below lowers them.
private struct Base {
  var passages: Int
  var threshold: Double
  var contextTokens: Int
  var generationTokens: Int
  var evidenceSeconds: Double
  var preference: PackPreference

  static func of(_ mode: Mode) -> Base {
    switch mode {
    case .fast:
      Base(
        passages: 16, threshold: 0, contextTokens: 4096, generationTokens: 384, evidenceSeconds: 1.5,
        preference: .fastest)
    case .deep:
      Base(
        passages: 24, threshold: 0, contextTokens: 16_384, generationTokens: 1024, evidenceSeconds: 6,
        preference: .strongest)
    }
  }
}

/// What a row allows at most; nil leaves a quantity alone. Pauses and intervals are "at least".
private struct Ceiling {
  var passages: Int?
  var contextTokens: Int?
  var generationTokens: Int?
  var evidenceSeconds: Double?
  var pauseMs: Int?
  var partialIntervalMs: Int?
  var smallSpeechPack = false
  var noEmbedding = false
  var noHeavyInference = false
  var noLoads = false
  var noDeep = false
}

private struct Row {
  var because: String
  var when: @Sendable (Situation) -> Bool
  var at: Ceiling
}

private let table: [Row] = [
  Row(
    because: "this device has less than 4 GB of memory", when: { $0.device.totalMemory < 4 << 30 },
    at: Ceiling(contextTokens: 4096)),
  Row(
    because: "this device has less than 12 GB of memory", when: { $0.device.totalMemory < 12 << 30 },
    at: Ceiling(contextTokens: 8192)),

  Row(
    because: "the device is warm, and Deep works it longest",
    when: { $0.tiers.heat.level >= .fair && $0.mode == .deep },
    at: Ceiling(passages: 16, pauseMs: 8)),
  Row(
    because: "the device is hot", when: { $0.tiers.heat.level >= .serious },
    at: Ceiling(
      passages: 3, contextTokens: 4096, generationTokens: 320, evidenceSeconds: 1.5, pauseMs: 40,
      partialIntervalMs: 500,
      smallSpeechPack: true, noEmbedding: true)),
  Row(
    because: "the device is too hot", when: { $0.tiers.heat.level == .critical },
    at: Ceiling(
      passages: 2, contextTokens: 2048, generationTokens: 96, evidenceSeconds: 0.75, pauseMs: 100,
      partialIntervalMs: 1000, noHeavyInference: true, noLoads: true, noDeep: true)),

  Row(
    because: "memory is short", when: { $0.tiers.memory.level >= .warning },
    at: Ceiling(contextTokens: 4096, noLoads: true)),
  Row(
    because: "memory is nearly used up", when: { $0.tiers.memory.level == .critical },
    at: Ceiling(
      passages: 2, contextTokens: 2048, generationTokens: 96, smallSpeechPack: true, noEmbedding: true,
      noHeavyInference: true, noDeep: true)),

  Row(
    because: "low-power mode is on", when: { $0.tiers.lowPower },
    at: Ceiling(passages: 6, contextTokens: 4096, generationTokens: 384, evidenceSeconds: 3)),
  Row(
    because: "the battery is low", when: { $0.tiers.battery.level >= .low },
    at: Ceiling(passages: 6, contextTokens: 4096, generationTokens: 384, evidenceSeconds: 3)),
  Row(
    because: "the battery is nearly empty", when: { $0.tiers.battery.level == .critical },
    at: Ceiling(
      passages: 3, contextTokens: 4096, generationTokens: 192, evidenceSeconds: 1.5, partialIntervalMs: 500,
      smallSpeechPack: true, noEmbedding: true, noDeep: true)),
]

/// Assumed until a prompt has been measured: low enough that a first answer does not keep anyone waiting.
private let assumedPromptSpeed = 200.0

extension Limits {
  package static func decide(_ situation: Situation) -> Limits {
    let rows = table.filter { $0.when(situation) }
    let asked = situation.mode
    let noDeep = rows.first { $0.at.noDeep }
    let mode: Limit<Mode> =
      if asked == .deep, let noDeep {
        Limit(value: .fast, reason: "\(noDeep.because) (\(cause(of: situation))); Deep became Fast", inForce: true)
      } else {
        Limit(value: asked, reason: "as asked")
      }
    let base = Base.of(mode.value)
    let settings = situation.settings
    let named = mode.value == .fast ? "Fast" : "Deep"

    func least<Value: Comparable & Sendable>(
      _ usual: Value, _ set: Value?, _ ceiling: (Ceiling) -> Value?
    ) -> Limit<Value> {
      let wanted = set ?? usual
      let strictest = rows.compactMap { row in ceiling(row.at).map { (value: $0, because: row.because) } }
        .min { $0.value < $1.value }
      if let strictest, strictest.value < wanted {
        let asked = set.map { "; \($0) was set" } ?? ""
        return Limit(value: strictest.value, reason: "\(strictest.because)\(asked)", inForce: true)
      }
      return Limit(value: wanted, reason: set == nil ? "usual for \(named)" : "as set")
    }
    func atLeast(_ usual: Int, _ floor: (Ceiling) -> Int?) -> Limit<Int> {
      let strictest = rows.compactMap { row in floor(row.at).map { (value: $0, because: row.because) } }
        .max { $0.value < $1.value }
      guard let strictest, strictest.value > usual else { return Limit(value: usual, reason: "nothing presses") }
      return Limit(value: strictest.value, reason: strictest.because, inForce: true)
    }
    func allowed(_ refused: (Ceiling) -> Bool) -> Limit<Bool> {
      guard let row = rows.last(where: { refused($0.at) }) else { return Limit(value: true, reason: "nothing presses") }
      return Limit(value: false, reason: row.because, inForce: true)
    }

    let context = least(base.contextTokens, settings.contextTokens) { $0.contextTokens }
    let small = rows.last { $0.at.smallSpeechPack }
    return Limits(
      mode: mode,
      passages: least(base.passages, settings.passages) { $0.passages },
      threshold: Limit(
        value: settings.threshold ?? base.threshold, reason: settings.threshold == nil ? "usual for \(named)" : "as set"
      ),
      contextTokens: context,
      generationTokens: least(base.generationTokens, settings.generationTokens) { $0.generationTokens },
      pauseMs: atLeast(0) { $0.pauseMs },
      evidenceTokens: evidence(
        seconds: least(base.evidenceSeconds, settings.evidenceSeconds) { $0.evidenceSeconds },
        speed: situation.promptSpeed, context: context.value),
      preference: Limit(value: base.preference, reason: "usual for \(named)"),
      embedding: allowed { $0.noEmbedding },
      heavyInference: allowed { $0.noHeavyInference },
      loads: allowed { $0.noLoads },
      partialIntervalMs: atLeast(250) { $0.partialIntervalMs },
      speechPack: small.map { Limit(value: .fastest, reason: $0.because, inForce: true) }
        ?? Limit(value: .strongest, reason: "nothing presses"))
  }

  /// Half of the context stays free for the conversation and the answer.
  private static func evidence(seconds: Limit<Double>, speed: Double?, context: Int) -> Limit<Int> {
    let rate = max(speed ?? assumedPromptSpeed, 1)
    let inTime = Int(seconds.value * rate)
    let how = speed == nil ? "assumed, not measured yet" : "measured"
    guard inTime <= context / 2 else {
      return Limit(value: context / 2, reason: "half of the context", inForce: false)
    }
    let reason = "\(seconds.value) s of reading at \(Int(rate)) tokens/s, \(how) (\(seconds.reason))"
    return Limit(value: inTime, reason: reason, inForce: seconds.inForce)
  }

  private static func cause(of situation: Situation) -> String {
    let tiers = situation.tiers
    if tiers.heat.level == .critical { return tiers.heat.reason }
    return tiers.memory.level == .critical ? tiers.memory.reason : tiers.battery.reason
  }
}
