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
  func memory(of process: Int32) -> ProcessMemory? {
    state.withLock { $0.footprints[process].map { ProcessMemory(resident: $0, own: $0 / 2) } }
  }
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

  @Test("Work that begins ends the idle look's pause, so that heat is seen while it runs")
  func wakes() async {
    let bench = Bench(free: 8 * giga)
    let (pauses, asked) = AsyncStream<Duration>.makeStream()
    let isCut = Atomic(false)
    let time = Timekeeper(
      now: { .zero },
      sleep: { span in
        try await withTaskCancellationHandler {
          asked.yield(span)
          try await Task.sleep(for: .seconds(3600))
        } onCancel: {
          isCut.store(true, ordering: .sequentiallyConsistent)
        }
      })
    let governor = Governor(
      sensors: bench, device: Device(totalMemory: 16 << 30, cores: 4), settings: Settings(), time: time)
    await governor.start()
    var each = pauses.makeAsyncIterator()
    let idle = await each.next()
    #expect(idle == .seconds(3))
    bench.set { $0.heat = .serious }
    await governor.during {
      guard isCut.load(ordering: .sequentiallyConsistent) else {
        Issue.record("the pause goes on")
        return
      }
      var each = pauses.makeAsyncIterator()
      let busy = await each.next()
      #expect(busy == .milliseconds(500))
      #expect(await governor.state.tiers.heat.level == .serious)
    }
    await governor.stop()
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
    bench.move(.seconds(21))
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

  @Test("Out of sight, a pack leaves when it has been unused for a while and nothing is under way") func unseen()
    async throws
  {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    let gone = Gone()
    try await governor.load("chat", giga, gone)
    await governor.background(true)
    #expect(gone.all.isEmpty)
    bench.move(.seconds(21))
    await governor.during { _ = await governor.observe() }
    #expect(gone.all.isEmpty)
    await governor.observe()
    #expect(gone.all == ["chat: nobody is looking and nothing is running"])
    #expect(await governor.departure(of: "chat") == .background)
  }

  @Test("Who looks again while one pack goes keeps the next") func seenAgain() async throws {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    let gone = Gone()
    try await governor.admit("first", bytes: giga)
    await governor.loaded("first", process: nil) { [weak governor] in
      gone.note("first", $0)
      await governor?.background(false)
    }
    bench.move(.seconds(1))
    try await governor.load("second", giga, gone)
    bench.move(.seconds(21))
    await governor.background(true)
    #expect(gone.all == ["first: nobody is looking and nothing is running"])
    #expect(await governor.isLoaded("second"))
  }

  @Test("When the system ends a program for lack of memory, everything goes at once, and once") func killed()
    async throws
  {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    let gone = Gone()
    bench.set { $0.memory?.kills = 4 }
    try await governor.load("chat", giga, gone)
    #expect(gone.all.isEmpty)
    bench.set { $0.memory?.kills = 5 }
    await governor.using("chat") { _ = await governor.observe() }
    #expect(gone.all == ["chat: the system asked for memory"])
    try await governor.load("chat", giga, gone)
    await governor.observe()
    #expect(gone.all.count == 1)
  }

  @Test("A limit that is hit while much can be reclaimed is no warning") func reclaimable() async {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    bench.set { $0.memory?.limitEvents = 1 }
    await governor.observe()
    bench.set { $0.memory?.limitEvents = 2_000 }
    await governor.observe()
    #expect(await governor.state.tiers.memory.level == .normal)
    bench.set {
      $0.memory?.available = 2 * giga
      $0.memory?.limitEvents = 2_001
    }
    await governor.observe()
    #expect(await governor.state.tiers.memory.level == .warning)
  }

  @Test("A quarter of an hour of work suggests a break, once, until it was taken") func rest() async throws {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    try await governor.load("chat", giga, Gone())
    var changes = await governor.changes().makeAsyncIterator()
    await governor.using("chat") {
      for _ in 0..<40 {
        bench.move(.seconds(30))
        await governor.observe()
      }
    }
    #expect(await changes.next() == .breakSuggested)
    #expect(await governor.state.breakSuggested)
    bench.move(.seconds(120))
    await governor.observe()
    #expect(await !governor.state.breakSuggested)
  }

  @Test("What a worker really holds replaces what its pack declared") func measured() async throws {
    let bench = Bench(free: 8 * giga)
    let governor = bench.governor()
    bench.weigh(42, 123 << 20)
    try await governor.load("chat", giga, Gone(), process: 42)
    await governor.observe()
    #expect(await governor.state.residents.first?.bytes == 123 << 20)
    #expect(governor.reachableMemory == 8 * giga + 123 << 19)
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
