import Core
import Synchronization
import Testing

@testable import Resources

/// Sensors whose readings a test writes, and a clock it moves.
private final class Bench: Sensors {
  private let state = Mutex((reading: Reading(), now: Duration.zero, footprints: [Int32: UInt64]()))

  init(free: UInt64) { set { $0.memory = MemoryReading(available: free, total: 16 << 30) } }

  func set(_ change: (inout Reading) -> Void) { state.withLock { change(&$0.reading) } }
  func move(_ span: Duration) { state.withLock { $0.now += span } }
  func weigh(_ process: Int32, _ bytes: UInt64) { state.withLock { $0.footprints[process] = bytes } }
  func read() -> Reading { state.withLock { $0.reading } }
  func footprint(of process: Int32) -> UInt64? { state.withLock { $0.footprints[process] } }
  func alarms() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  var time: Timekeeper {
    Timekeeper(now: { self.state.withLock { $0.now } }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
  }
  func governor(_ settings: Settings = Settings()) -> Governor {
    Governor(sensors: self, device: Device(totalMemory: 16 << 30, cores: 4), settings: settings, time: time)
  }
}

private final class Gone: Sendable {
  private let list = Mutex<[String]>([])
  func note(_ id: String, _ why: Eviction) { list.withLock { $0.append("\(id): \(why.reason)") } }
  var all: [String] { list.withLock { $0 } }
}

extension Governor {
  fileprivate func load(_ id: String, _ bytes: UInt64, _ gone: Gone, process: Int32? = nil) async throws {
    try await admit(id, bytes: bytes)
    loaded(id, process: process) { gone.note(id, $0) }
  }
}

private let giga: UInt64 = 1 << 30

@Suite("Governor") struct GovernorTests {
  @Test("A load that leaves no reserve is refused with the numbers") func refused() async {
    let governor = Bench(free: 3 * giga).governor()
    let error = await #expect(throws: ResourcesError.self) { try await governor.admit("large", bytes: 2 * giga) }
    #expect(error?.message.contains("2.0 GB") == true && error?.code == "load_refused")
  }

  @Test("The least recently used pack makes room; one in use does not") func room() async throws {
    let bench = Bench(free: 6 * giga)
    let governor = bench.governor()
    let gone = Gone()
    for id in ["a", "b", "c"] {
      try await governor.load(id, giga, gone)
      bench.move(.seconds(1))
    }
    bench.set { $0.memory?.available = 2 * giga }
    try await governor.using("a") {
      try await governor.load("d", giga + giga / 2, gone)
    }
    #expect(gone.all == ["b: to make room for d"])
    #expect(await governor.state.residents.map(\.id) == ["a", "c", "d"])
  }

  @Test("Two loads at once do not both take the same free memory") func reserved() async throws {
    let governor = Bench(free: 5 * giga).governor()
    try await governor.admit("first", bytes: 2 * giga)
    await #expect(throws: ResourcesError.self) { try await governor.admit("second", bytes: 2 * giga) }
    await governor.unloaded("first")
    try await governor.admit("second", bytes: 2 * giga)
  }

  @Test("Warning refuses loads; critical unloads what is idle, and the busy when their work is done") func levels()
    async throws
  {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    let gone = Gone()
    try await governor.load("idle", giga, gone)
    try await governor.load("busy", giga, gone)
    bench.set { $0.memory?.available = giga }
    await #expect(throws: ResourcesError.self) { try await governor.admit("late", bytes: 1) }
    #expect(gone.all.isEmpty)
    await governor.using("busy") {
      bench.set { $0.memory?.available = 300 << 20 }
      await governor.observe()
      #expect(gone.all == ["idle: memory is nearly used up"])
    }
    await governor.observe()
    #expect(gone.all.count == 2)
  }

  @Test("Background and idleness unload, but not under a running answer; the system's warning takes all") func leave()
    async throws
  {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    let gone = Gone()
    try await governor.load("chat", giga, gone)
    await governor.using("chat") { await governor.background(true) }
    #expect(gone.all.isEmpty)
    await governor.observe()
    #expect(gone.all == ["chat: nobody is looking and nothing is running"])
    await governor.background(false)

    try await governor.load("embed", giga, gone)
    bench.move(.seconds(599))
    await governor.observe()
    #expect(gone.all.count == 1)
    bench.move(.seconds(1))
    await governor.observe()
    #expect(gone.all.last == "embed: unused for 10 minutes")

    try await governor.load("speech", giga, gone)
    await governor.using("speech") { await governor.systemWarning() }
    #expect(gone.all.last == "speech: the system asked for memory")
    #expect(await governor.state.residents.isEmpty)
  }

  @Test("What a worker really holds replaces what its pack declared") func measured() async throws {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    bench.weigh(42, 123 << 20)
    try await governor.load("chat", giga, Gone(), process: 42)
    await governor.observe()
    #expect(await governor.state.residents.first?.bytes == 123 << 20)
  }

  @Test("Every change of a tier is told with its reason, and limits follow at once") func told() async {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    var changes = await governor.changes().makeAsyncIterator()
    bench.set { $0.heat = .critical }
    await governor.observe()
    guard case .tiers(let tiers) = await changes.next() else { return #expect(Bool(false), "no change was told") }
    #expect(tiers.heat.level == .critical)
    #expect(await governor.limits(.deep).mode.value == .fast)
  }

  @Test("A script in place of the sensors makes the running governor react by itself") func scripted() async throws {
    let script = try Script("{\"t_ms\":0,\"thermal\":\"nominal\"}\n{\"t_ms\":30,\"thermal\":\"serious\"}", total: 1)
    let time = Timekeeper.system()
    let governor = Governor(
      sensors: ScriptedSensors(script, time: time), device: Device(totalMemory: 16 << 30, cores: 2),
      settings: Settings(), time: time)
    let changes = await governor.changes()
    await governor.start()
    for await case .tiers(let tiers) in changes where tiers.heat.level == .serious { break }
    #expect(await governor.limits(.deep).pauseMs.value == 40)
    await governor.stop()
  }
}
