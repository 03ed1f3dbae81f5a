import Core
import Inference
import Models
import Resources

/// What is slow: the pack that answers, as it was last measured here.
extension Doctor {
  static func speed(_ house: House) async -> Check? {
    let limits = await house.governor.limits(house.settings.mode)
    guard let status = await house.candidates(nil, limits).pack else { return nil }
    let expected = Autopilot.expectedSpeed(status.pack)
    let tuned = await house.models.measurements(of: status.pack.id)
    return speed(
      of: status.pack.id, tuned.best, expected: expected.generate, isProvisional: tuned.isProvisional == true)
  }

  /// Reading speed of a person is about five words a second: a pack below that keeps them waiting.
  static func speed(of pack: String, _ row: TuneRow?, expected: Double, isProvisional: Bool = false) -> Check {
    guard let row, row.tokensPerSecond > 0 else {
      return Check(
        name: "speed", state: .ok, detail: "\(pack) was not measured here yet; its first answer does that", remedy: nil)
    }
    let doubt = isProvisional ? " (measured beside other programs; again when it loads in quiet)" : ""
    let detail =
      "\(pack) reads \(Int(row.promptTokensPerSecond)) tokens/s and writes \(Int(row.tokensPerSecond)) tokens/s here\(doubt)"
    if row.tokensPerSecond < 5 {
      return Check(
        name: "speed", state: .warning, detail: "\(detail): slower than one reads",
        remedy: "Choose a smaller pack (libera packs list), or answer in Fast.")
    }
    if row.tokensPerSecond < expected / 3 {
      return Check(
        name: "speed", state: .warning, detail: "\(detail), less than a third of the \(Int(expected)) that is usual",
        remedy: "Close what keeps the processor busy, then measure again: libera tune \(pack)")
    }
    return Check(name: "speed", state: .ok, detail: detail, remedy: nil)
  }
}
