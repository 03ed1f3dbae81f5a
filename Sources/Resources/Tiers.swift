/// A scale of levels, written from the easiest to the gravest.
package protocol Level: RawRepresentable<String>, CaseIterable, Comparable, Hashable, Codable, Sendable {}

extension Level {
  private var rank: Int { Self.allCases.enumerated().first { $0.element == self }?.offset ?? 0 }
  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

package enum Heat: String, Level { case nominal, fair, serious, critical }
package enum Memory: String, Level { case normal, warning, critical }
package enum Battery: String, Level { case normal, low, critical }

/// Where the device stands on one scale, and why.
package struct Tier<Scale: Level>: Sendable, Equatable, Codable {
  package var level: Scale
  /// False when nothing could be read: the level is then the easiest one, and the reason says that it is a guess.
  package var known: Bool
  package var reason: String

  package init(_ level: Scale, known: Bool = true, reason: String) {
    self.level = level
    self.known = known
    self.reason = reason
  }
}

package struct Tiers: Sendable, Equatable, Codable {
  package var heat: Tier<Heat>
  package var memory: Tier<Memory>
  package var battery: Tier<Battery>
  package var lowPower: Bool
  package var background: Bool

  package init(
    heat: Tier<Heat> = Tier(.nominal, known: false, reason: "not read yet"),
    memory: Tier<Memory> = Tier(.normal, known: false, reason: "not read yet"),
    battery: Tier<Battery> = Tier(.normal, known: false, reason: "not read yet"),
    lowPower: Bool = false, background: Bool = false
  ) {
    self.heat = heat
    self.memory = memory
    self.battery = battery
    self.lowPower = lowPower
    self.background = background
  }

  enum CodingKeys: String, CodingKey {
    case heat, memory, battery, background
    case lowPower = "low_power"
  }

  /// Whether the levels are the same; the reasons hold numbers that change with every reading.
  package func sameLevels(as other: Tiers) -> Bool {
    heat.level == other.heat.level && memory.level == other.memory.level && battery.level == other.battery.level
      && heat.known == other.heat.known && memory.known == other.memory.known
      && battery.known == other.battery.known && lowPower == other.lowPower && background == other.background
  }
}
