import Core

/// Readings in, tiers out. A graver level counts at once; an easier one only after the graver has not been seen for a while.
package struct TierMachine: Sendable {
  package private(set) var tiers = Tiers()
  private var heat = Hold<Heat>(for: .seconds(10))
  private var memory = Hold<Memory>(for: .seconds(5))
  private var battery = Hold<Battery>(for: .zero)
  private var limitEvents: UInt64?
  private var kills: UInt64?
  private var warned = false
  /// Why the system asked for memory with the last reading, the first time it did.
  package private(set) var systemWarning: String?

  package init() {}

  @discardableResult
  package mutating func take(_ reading: Reading, at now: Duration) -> Tiers {
    let events = reading.memory?.limitEvents
    // A group that is new to us may have hit its limit long ago: only what happens from now on counts.
    let newEvents = events.map { $0 - min($0, limitEvents ?? $0) } ?? 0
    limitEvents = events ?? limitEvents
    let newKills = reading.memory?.kills.map { $0 - min($0, kills ?? $0) } ?? 0
    kills = reading.memory?.kills ?? kills
    let warning = ReadingMeaning.systemWarning(reading, newKills: newKills)
    systemWarning = warned ? nil : warning
    warned = warning != nil
    tiers = Tiers(
      heat: heat.take(ReadingMeaning.heat(reading, current: heat.level), at: now),
      memory: memory.take(ReadingMeaning.memory(reading, current: memory.level, newEvents: newEvents), at: now),
      battery: battery.take(ReadingMeaning.battery(reading, current: battery.level), at: now),
      lowPower: reading.lowPower ?? false, background: reading.background)
    return tiers
  }
}

/// Remembers when each level was last seen; the gravest one seen within `span` stands.
private struct Hold<Scale: Level>: Sendable {
  private let span: Duration
  private var lastSeen: [Scale: Duration] = [:]
  private(set) var level: Scale

  init(for span: Duration) {
    self.span = span
    level = Array(Scale.allCases)[0]
  }

  mutating func take(_ seen: Tier<Scale>, at now: Duration) -> Tier<Scale> {
    lastSeen[seen.level] = now
    lastSeen = lastSeen.filter { $0.key == seen.level || now - $0.value < span }
    level = lastSeen.keys.max() ?? seen.level
    guard level > seen.level, let last = lastSeen[level] else { return seen }
    let wait = Int((span - (now - last)).seconds.rounded(.up))
    return Tier(
      level, known: true, reason: "\(level.rawValue) until it has been easier for \(wait) s more (now: \(seen.reason))")
  }
}
