import Core
import Testing

@testable import Resources

private func heat(_ celsius: Double) -> Reading {
  var reading = Reading()
  reading.temperatures = [Temperature("cpu", celsius: celsius, passive: 85, critical: 100)]
  return reading
}

private func memory(_ megabytes: UInt64, of total: UInt64 = 16 << 10) -> Reading {
  var reading = Reading()
  reading.memory = MemoryReading(available: megabytes << 20, total: total << 20)
  return reading
}

@Suite("Tiers") struct TierMachineTests {
  @Test(
    "A temperature is judged by the device's own trip points",
    arguments: [
      (40, Heat.nominal), (74, .nominal), (75, .fair), (84, .fair), (85, .serious), (94, .serious), (95, .critical),
    ])
  func temperatures(_ celsius: Double, _ level: Heat) {
    var machine = TierMachine()
    #expect(machine.take(heat(celsius), at: .zero).heat.level == level)
  }

  @Test("Getting worse counts at once, getting better only after ten calm seconds") func hold() {
    var machine = TierMachine()
    #expect(machine.take(heat(86), at: .seconds(0)).heat.level == .serious)
    #expect(machine.take(heat(50), at: .seconds(1)).heat.level == .serious)
    #expect(machine.take(heat(50), at: .seconds(9)).heat.level == .serious)
    #expect(machine.take(heat(50), at: .seconds(10)).heat.level == .nominal)
  }

  @Test("A temperature that trembles around a threshold changes the tier once") func flapping() {
    var machine = TierMachine()
    var changes = 0
    var last = Heat.nominal
    for second in 0..<600 {
      let level = machine.take(heat(second.isMultiple(of: 2) ? 85.4 : 84.6), at: .seconds(second)).heat.level
      if level != last { changes += 1 }
      last = level
    }
    #expect(changes == 1)
    #expect(last == .serious)
  }

  @Test("A slow tremble around a threshold stays within the margin") func slowFlapping() {
    var machine = TierMachine()
    var levels: [Heat] = []
    for second in stride(from: 0, to: 600, by: 30) {
      levels.append(machine.take(heat(second.isMultiple(of: 60) ? 86 : 83), at: .seconds(second)).heat.level)
    }
    #expect(levels.allSatisfy { $0 == .serious })
  }

  @Test("From critical the way back leads through what was really seen") func stepwise() {
    var machine = TierMachine()
    machine.take(heat(96), at: .seconds(0))
    machine.take(heat(87), at: .seconds(5))
    #expect(machine.take(heat(50), at: .seconds(11)).heat.level == .serious)
    #expect(machine.take(heat(50), at: .seconds(16)).heat.level == .nominal)
  }

  @Test(
    "Free memory is judged against what there is",
    arguments: [(4000 as UInt64, Memory.normal), (1200, .warning), (500, .critical)])
  func memoryLevels(_ free: UInt64, _ level: Memory) {
    var machine = TierMachine()
    #expect(machine.take(memory(free), at: .zero).memory.level == level)
  }

  @Test("Stalled programs and limits hit count as scarce memory even with bytes free") func pressure() {
    var machine = TierMachine()
    var reading = memory(8000)
    reading.memory?.limitEvents = 700
    #expect(machine.take(reading, at: .zero).memory.level == .normal, "what happened before us is not ours")
    reading.memory?.limitEvents = 703
    #expect(machine.take(reading, at: .seconds(1)).memory.level == .normal, "much of what is used can be had back")
    reading.memory?.available = 2_000 << 20
    reading.memory?.limitEvents = 706
    #expect(machine.take(reading, at: .seconds(1)).memory.level == .warning)
    reading = memory(8000)
    reading.memory?.limitEvents = 706
    #expect(machine.take(reading, at: .seconds(7)).memory.level == .normal)
    reading.memory?.allStalled = 40
    #expect(machine.take(reading, at: .seconds(8)).memory.level == .critical)
  }

  @Test("Contradicting sources: the graver one stands") func contradiction() {
    var machine = TierMachine()
    var reading = heat(40)
    reading.heat = .critical
    #expect(machine.take(reading, at: .zero).heat.level == .critical)
    var other = TierMachine()
    reading.heat = .nominal
    reading.temperatures[0].celsius = 99
    #expect(other.take(reading, at: .zero).heat.level == .critical)
  }

  @Test("A battery counts only off the mains, and its tier does not tremble") func battery() {
    var machine = TierMachine()
    var reading = Reading()
    func level(_ charge: Double, mains: Bool?, _ second: Int) -> Battery {
      reading.battery = charge
      reading.onMains = mains
      return machine.take(reading, at: .seconds(second)).battery.level
    }
    #expect(level(0.08, mains: true, 0) == .normal)
    #expect(level(0.21, mains: false, 1) == .normal)
    #expect(level(0.20, mains: false, 2) == .low)
    #expect(level(0.21, mains: false, 3) == .low)
    #expect(level(0.08, mains: nil, 4) == .critical)
    #expect(level(0.08, mains: true, 5) == .normal)
  }

  @Test("What cannot be read is unknown, not fine") func unknown() {
    var machine = TierMachine()
    var reading = Reading()
    reading.unknown = ["heat": "no sensor here"]
    let tiers = machine.take(reading, at: .zero)
    #expect(!tiers.heat.known && tiers.heat.reason == "no sensor here")
    #expect(!tiers.memory.known && !tiers.battery.known)
  }

  @Test("A quarter of an hour of inference suggests a break once; pauses that cool start anew") func endurance() {
    var endurance = Endurance()
    let busy = (0..<3600).filter { endurance.take(busy: true, at: .seconds($0)) }
    #expect(busy == [900])
    var interrupted = Endurance()
    let suggestions = (0..<3600).filter { interrupted.take(busy: $0 % 900 < 800, at: .seconds($0)) }
    #expect(suggestions.isEmpty)
  }
}
