/// Chooses packs for this device: a pure function of the catalogue, the fits and what is wanted.
package enum Autopilot {
  package struct Candidate: Sendable, Equatable {
    package var pack: Pack
    package var footprint: Footprint
    package init(pack: Pack, footprint: Footprint) {
      self.pack = pack
      self.footprint = footprint
    }
  }

  package struct Choice: Sendable, Equatable {
    package var pack: Pack
    package var fit: Fit
    package var reason: String
  }

  /// The best quantisation of one family for this device: Q4_K_M, Q5_K_M where memory is plentiful, something smaller only
  /// when nothing else fits, and never two or fewer bits unless they are named.
  package static func best(
    of candidates: [Candidate], context: Int, available: Int64?, asked: String? = nil
  ) -> Choice? {
    let judged = candidates.compactMap { candidate -> (Choice, Int64)? in
      let name = candidate.pack.quantization
      if let asked { guard name == asked else { return nil } } else if isCoarse(name) { return nil }
      let fit = Fit.decide(candidate.footprint, context: context, available: available)
      guard fit.fits else { return nil }
      return (Choice(pack: candidate.pack, fit: fit, reason: ""), candidate.footprint.total(context: context))
    }
    func better(_ left: (Choice, Int64), _ right: (Choice, Int64)) -> Bool {
      let full = (left.0.fit.context >= context, right.0.fit.context >= context)
      if full.0 != full.1 { return full.0 }
      let ranks = (
        rank(left.0.pack.quantization, footprint: left.1, available: available),
        rank(right.0.pack.quantization, footprint: right.1, available: available)
      )
      return ranks.0 != ranks.1 ? ranks.0 < ranks.1 : left.0.pack.id < right.0.pack.id
    }
    guard var choice = judged.min(by: better)?.0 else { return nil }
    choice.reason = "\(choice.pack.quantization): \(choice.fit.reason)"
    return choice
  }

  /// In tokens a second. What is proposed writes as fast as a person reads, and reads what documents say in some seconds.
  private static let (slowestWriting, slowestReading) = (5.0, 78.0)

  /// The best pack of one kind over all families: more parameters first, as long as it is quick enough without a graphics card.
  package static func proposal(
    _ candidates: [Candidate], kind: Pack.Kind = .chat, context: Int, available: Int64?
  ) -> Choice? {
    let families = Dictionary(grouping: candidates.filter { $0.pack.kind == kind }, by: \.pack.family)
    let choices = families.values.compactMap { best(of: $0, context: context, available: available) }
    return
      choices
      .filter {
        let speed = expectedSpeed($0.pack)
        return speed.generate >= slowestWriting && speed.prompt >= slowestReading
      }
      .max { ($0.pack.parameters, $1.pack.id) < ($1.pack.parameters, $0.pack.id) }
  }

  /// What the catalogue measured, else an estimate: generating is bound by reading the weights, reading a prompt by
  /// arithmetic, so both fall with size from the measured Qwen2.5 Coder 1.5B.
  package static func expectedSpeed(_ pack: Pack) -> (prompt: Double, generate: Double, measured: Bool) {
    if let measured = pack.throughput { return (measured.prompt, measured.generate, true) }
    let prompt = 167 * 1.54e9 / Double(max(1, pack.parameters))
    let generate = 36 * 1.117e9 / Double(max(1, pack.bytes))
    return (prompt, generate, false)
  }

  private static func isCoarse(_ quantization: String) -> Bool {
    ["Q2_", "IQ1", "IQ2", "TQ"].contains { quantization.hasPrefix($0) }
  }

  /// Lower is better. Q5_K_M comes first only where it takes no more than half of what is available.
  private static func rank(_ quantization: String, footprint: Int64, available: Int64?) -> Int {
    let plenty = available.map { footprint <= $0 / 2 } ?? false
    switch quantization {
    case "Q5_K_M": return plenty ? 0 : 2
    case "Q4_K_M": return 1
    case "Q4_K_S", "Q4_1", "Q4_0", "IQ4_XS", "IQ4_NL": return 3
    case "Q5_K_S", "Q5_0", "Q5_1", "Q6_K": return 4
    case "Q8_0": return 5
    case let name where name.hasPrefix("Q3_") || name.hasPrefix("IQ3"): return 6
    default: return 7
    }
  }
}
