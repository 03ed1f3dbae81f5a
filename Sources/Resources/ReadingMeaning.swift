import Foundation

/// What one reading means, by itself. `current` lowers the thresholds that were already crossed, so that a value trembling
/// around one does not count as crossing it again and again.
enum ReadingMeaning {
  static func heat(_ reading: Reading, current: Heat) -> Tier<Heat> {
    var candidates: [Tier<Heat>] = []
    if let heat = reading.heat { candidates.append(Tier(heat, reason: "the system reports heat as \(heat.rawValue)")) }
    candidates += reading.temperatures.map { heat(of: $0, current: current) }
    if let share = reading.frequencyShare, share <= 0.5, reading.lowPower != true {
      candidates.append(Tier(.fair, reason: "the processor is held at \(percent(share)) of its top frequency"))
    }
    let gravest = candidates.max { $0.level < $1.level }
    return gravest
      ?? Tier(.nominal, known: false, reason: reading.unknown["heat"] ?? "this device reports no temperature")
  }

  private static func heat(of one: Temperature, current: Heat) -> Tier<Heat> {
    let serious = one.passive ?? one.hot ?? one.critical.map { $0 - 10 } ?? 85
    let critical = max(min(one.hot ?? .infinity, one.critical.map { $0 - 5 } ?? serious + 10), serious + 5)
    let margin = 3.0
    func crossed(_ threshold: Double, _ level: Heat) -> Bool {
      one.celsius >= (current >= level ? threshold - margin : threshold)
    }
    let level: Heat =
      crossed(critical, .critical)
      ? .critical : crossed(serious, .serious) ? .serious : crossed(serious - 10, .fair) ? .fair : .nominal
    return Tier(level, reason: "\(one.name) at \(Int(one.celsius.rounded())) °C, slows down at \(Int(serious)) °C")
  }

  static func memory(_ reading: Reading, current: Memory, newEvents: UInt64) -> Tier<Memory> {
    var candidates: [Tier<Memory>] = []
    if let level = reading.memoryLevel {
      candidates.append(Tier(level, reason: "the system reports memory as \(level.rawValue)"))
    }
    if let memory = reading.memory {
      let bounds = bounds(total: memory.total)
      func below(_ bound: UInt64, _ level: Memory) -> Bool {
        memory.available < (current >= level ? bound + bound / 5 : bound)
      }
      let level: Memory =
        below(bounds.critical, .critical) ? .critical : below(bounds.warning, .warning) ? .warning : .normal
      let whose = memory.boundBy.map { " in \($0)" } ?? ""
      candidates.append(Tier(level, reason: "\(size(memory.available)) of \(size(memory.total)) free\(whose)"))
      if let all = memory.allStalled, all >= 15 {
        candidates.append(Tier(.critical, reason: "everything waited for memory \(Int(all)) % of the last 10 s"))
      } else if let some = memory.someStalled, some >= 10 {
        candidates.append(Tier(.warning, reason: "programs waited for memory \(Int(some)) % of the last 10 s"))
      }
      // A group whose limit is hit while much of it can be reclaimed only keeps fewer files in memory.
      if newEvents > 0, memory.available < bounds.warning * 2 {
        candidates.append(Tier(.warning, reason: "the memory limit\(whose) was hit \(newEvents) times"))
      }
    }
    let gravest = candidates.max { $0.level < $1.level }
    return gravest
      ?? Tier(.normal, known: false, reason: reading.unknown["memory"] ?? "free memory cannot be read here")
  }

  /// Why the system itself is out of memory now, beyond what any threshold of ours says.
  static func systemWarning(_ reading: Reading, newKills: UInt64) -> String? {
    if reading.memoryLevel == .critical { return "the system asked for memory" }
    if newKills > 0 { return "the system ended a program for lack of memory" }
    if let all = reading.memory?.allStalled, all >= 40 {
      return "everything waited for memory \(Int(all)) % of the last 10 s"
    }
    return nil
  }

  /// Below which free memory counts as scarce; also what a load must leave free.
  static func bounds(total: UInt64) -> (warning: UInt64, critical: UInt64) {
    let mega: UInt64 = 1 << 20
    return (
      min(max(total / 100 * 8, 400 * mega), 2048 * mega), min(max(total / 100 * 4, 200 * mega), 1024 * mega)
    )
  }

  static func battery(_ reading: Reading, current: Battery) -> Tier<Battery> {
    if reading.onMains == true { return Tier(.normal, reason: "on mains power") }
    guard let charge = reading.battery else {
      let reason = reading.unknown["battery"] ?? "no battery is reported; mains power is assumed"
      return Tier(.normal, known: false, reason: reason)
    }
    func below(_ bound: Double, _ level: Battery) -> Bool { charge <= (current >= level ? bound + 0.02 : bound) }
    let level: Battery = below(0.10, .critical) ? .critical : below(0.20, .low) ? .low : .normal
    let draw = reading.dischargeWatts.map { String(format: ", drawing %.1f W", $0) } ?? ""
    return Tier(level, reason: "battery at \(percent(charge))\(draw)")
  }

  static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

  static func size(_ bytes: UInt64) -> String {
    bytes >= 1 << 30
      ? String(format: "%.1f GB", Double(bytes) / Double(1 << 30)) : "\(bytes >> 20) MB"
  }
}
