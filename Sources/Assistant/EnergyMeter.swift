import Core
import Resources

/// What the processor used while an answer was written: its own count, or what the battery gave meanwhile. It measures the
/// whole device, so that other work on it counts against the answer.
struct EnergyMeter {
  private let began = ContinuousClock.now
  private let joules: Double?

  init(_ governor: Governor) { joules = governor.joules() }

  func tokensPerJoule(_ tokens: Int, _ governor: Governor) async -> Double? {
    Self.tokensPerJoule(
      tokens, from: joules, to: governor.joules(), seconds: began.msUntilNow / 1000,
      watts: await governor.state.reading.dischargeWatts)
  }

  /// nil where nothing can be read, or the count began anew in between.
  static func tokensPerJoule(_ tokens: Int, from: Double?, to: Double?, seconds: Double, watts: Double?) -> Double? {
    let counted: Double? = if let from, let to, to > from { to - from } else { watts.map { $0 * seconds } }
    guard let counted, counted > 0, tokens > 0 else { return nil }
    return Double(tokens) / counted
  }
}
