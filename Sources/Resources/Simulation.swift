package import Core

/// What `governor simulate` prints: every moment at which something changed, decided by the same code as in a live run.
package struct SimulationStep: Sendable, Equatable, Codable {
  package var milliseconds: Int
  package var reading: Reading
  package var tiers: Tiers
  package var limits: [LimitEntry]
  /// What differs from the step before, in words.
  package var changes: [String]

  enum CodingKeys: String, CodingKey {
    case milliseconds = "t_ms"
    case reading, tiers, limits, changes
  }
}

package enum Simulation {
  /// Plays the script at the governor's own pace, and on until the tiers have settled after its last line.
  package static func play(
    _ script: Script, mode: Mode, settings: Settings, device: Device, promptSpeed: Double? = nil
  ) -> [SimulationStep] {
    var machine = TierMachine()
    var steps: [SimulationStep] = []
    var before: Limits?
    let pace = Duration.milliseconds(500)
    var moments = Set(script.steps.map(\.at))
    var now = Duration.zero
    let last = script.end + .seconds(12)
    // A script may span days; between its lines nothing can change once the holds have run out.
    for step in script.steps {
      now = step.at
      let next = script.steps.first { $0.at > step.at }?.at ?? last
      while now < min(next, step.at + .seconds(12)) {
        moments.insert(now)
        now += pace
      }
      // What held until the next line was last seen just before it.
      if next - pace > step.at { moments.insert(next - pace) }
    }
    for moment in moments.sorted() {
      let reading = script.reading(at: moment)
      let tiers = machine.take(reading, at: moment)
      let limits = Limits.decide(
        Situation(tiers: tiers, mode: mode, settings: settings, device: device, promptSpeed: promptSpeed))
      let changes = changes(from: steps.last?.tiers, before, to: tiers, limits)
      before = limits
      guard steps.isEmpty || !changes.isEmpty else { continue }
      steps.append(
        SimulationStep(
          milliseconds: Int(moment.milliseconds.rounded()), reading: reading, tiers: tiers, limits: limits.all,
          changes: changes))
    }
    return steps
  }

  private static func changes(from old: Tiers?, _ before: Limits?, to new: Tiers, _ limits: Limits) -> [String] {
    guard let old, let before else { return [] }
    var changes: [String] = []
    func compare<Scale>(_ name: String, _ from: Tier<Scale>, _ to: Tier<Scale>) {
      if from.level != to.level {
        changes.append("\(name): \(from.level.rawValue) -> \(to.level.rawValue), \(to.reason)")
      } else if from.known != to.known {
        changes.append("\(name): \(to.known ? "known" : "unknown"), \(to.reason)")
      }
    }
    compare("heat", old.heat, new.heat)
    compare("memory", old.memory, new.memory)
    compare("battery", old.battery, new.battery)
    if old.lowPower != new.lowPower { changes.append("low power: \(new.lowPower ? "on" : "off")") }
    if old.background != new.background { changes.append("background: \(new.background ? "yes" : "no")") }
    for (one, other) in zip(before.all, limits.all) where one.value != other.value {
      changes.append("\(other.what): \(one.words) -> \(other.words), \(other.reason)")
    }
    return changes
  }
}

extension LimitEntry {
  /// The value as a person reads it.
  package var words: String {
    switch value {
    case .flag(let flag): flag ? "yes" : "no"
    case .text(let word): word
    default: value.words
    }
  }
}
