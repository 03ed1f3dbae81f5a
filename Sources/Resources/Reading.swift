/// Everything the sensors said at one moment. What could not be read is nil, and `unknown` says why.
package struct Reading: Sendable, Equatable, Codable {
  /// The platform's own word on heat, where it has one (Apple, a script).
  package var heat: Heat?
  package var temperatures: [Temperature] = []
  /// The allowed share of the processor's top frequency.
  package var frequencyShare: Double?
  /// Percent of the last ten seconds in which some task waited for a processor. No reason to do less: only what is measured
  /// meanwhile says little.
  package var processorStalled: Double?
  package var memory: MemoryReading?
  /// The platform's own memory warning (Apple, a script).
  package var memoryLevel: Memory?
  package var onMains: Bool?
  /// 0 empty, 1 full.
  package var battery: Double?
  package var dischargeWatts: Double?
  package var lowPower: Bool?
  package var background = false
  /// Signal -> why it is not there.
  package var unknown: [String: String] = [:]

  package init() {}

  enum CodingKeys: String, CodingKey {
    case heat, temperatures, memory, battery, background, unknown
    case frequencyShare = "frequency_share"
    case processorStalled = "processor_stalled"
    case memoryLevel = "memory_level"
    case onMains = "on_ac"
    case dischargeWatts = "discharge_watts"
    case lowPower = "low_power"
  }
}

package struct Temperature: Sendable, Equatable, Codable {
  package var name: String
  package var celsius: Double
  /// Trip points: from `passive` on the system slows the processor down, at `critical` it switches off.
  package var passive: Double?
  package var hot: Double?
  package var critical: Double?

  package init(_ name: String, celsius: Double, passive: Double? = nil, hot: Double? = nil, critical: Double? = nil) {
    self.name = name
    self.celsius = celsius
    self.passive = passive
    self.hot = hot
    self.critical = critical
  }
}

package struct MemoryReading: Sendable, Equatable, Codable {
  /// Bytes that can still be had: the system's estimate, or what a control group leaves if that is less.
  package var available: UInt64
  /// Bytes there are at all, for this process.
  package var total: UInt64
  /// The control group that binds, if it is not the system as a whole.
  package var boundBy: String?
  /// Percent of the last ten seconds in which some, or all, tasks waited for memory.
  package var someStalled: Double?
  package var allStalled: Double?
  /// How often the control group hit its limit since it exists, and how often something was killed for it.
  package var limitEvents: UInt64?
  package var kills: UInt64?

  package init(available: UInt64, total: UInt64) {
    self.available = available
    self.total = total
  }

  enum CodingKeys: String, CodingKey {
    case available, total, kills
    case boundBy = "bound_by"
    case someStalled = "some_stalled"
    case allStalled = "all_stalled"
    case limitEvents = "limit_events"
  }
}
