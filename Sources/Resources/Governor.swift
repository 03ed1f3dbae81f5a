package import Core
import Synchronization

/// Watches the device, decides what it can bear, and keeps the list of who is loaded.
///
/// `limits` is asked before every request and again while one streams; `changes` tells when asking again is worth it.
package actor Governor {
  package enum Change: Sendable, Equatable {
    case tiers(Tiers)
    case unloaded(pack: String, why: Eviction)
    /// Once, after a quarter of an hour of sustained inference.
    case breakSuggested
  }

  package struct State: Sendable, Equatable, Codable {
    package var reading: Reading
    package var tiers: Tiers
    package var residents: [Resident]
    /// Long work without a pause: a break would let the device cool.
    package var breakSuggested: Bool

    enum CodingKeys: String, CodingKey {
      case reading, tiers, residents
      case breakSuggested = "break_suggested"
    }
  }

  private nonisolated let sensors: any Sensors
  private nonisolated let held = Mutex<UInt64>(0)
  private let time: Timekeeper
  private let device: Device
  private var settings: Settings
  private var machine = TierMachine()
  private var endurance: Endurance
  private var reading: Reading
  private var residents = Residents() {
    didSet {
      let freed = residents.all.filter { $0.ownBytes != nil }.reduce(0) { $0 + $1.freed }
      held.withLock { $0 = freed }
    }
  }
  private var unloaders: [String: @Sendable (Eviction) async -> Void] = [:]
  private var departures: [String: Eviction] = [:]
  private var listeners: [UInt64: AsyncStream<Change>.Continuation] = [:]
  private var nextListener: UInt64 = 0
  private var outOfSight = false
  private var working = 0
  private var watch: Task<Void, Never>?
  /// The pause until the next look.
  private var nap: Task<Void, Never>?

  package init(sensors: any Sensors, device: Device, settings: Settings, time: Timekeeper = .system()) {
    self.sensors = sensors
    self.device = device
    self.settings = settings
    self.time = time
    endurance = Endurance(stretch: .seconds(60 * settings.breakAfterMinutes))
    reading = sensors.read()
    machine.take(reading, at: time.now())
  }

  deinit { watch?.cancel() }

  // MARK: Watching

  /// Polls slowly when nothing runs and quickly when something does; an alarm is read at once, and so is the moment work begins.
  package func start() {
    guard watch == nil else { return }
    let sensors = sensors
    watch = Task { [weak self] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { [weak self] in
          for await _ in sensors.alarms() { await self?.observe() }
        }
        group.addTask { [weak self] in
          while !Task.isCancelled {
            guard let nap = await self?.look() else { return }
            await withTaskCancellationHandler {
              await nap.value
            } onCancel: {
              nap.cancel()
            }
          }
        }
      }
    }
  }

  package func stop() {
    watch?.cancel()
    watch = nil
    listeners.values.forEach { $0.finish() }
  }

  private func look() async -> Task<Void, Never> {
    let busy = await observe()
    // Sleeping fails only when it is cut short, and then the next look is due.
    let nap = Task { [time] in _ = try? await time.sleep(busy ? .milliseconds(500) : .seconds(3)) }
    self.nap = nap
    return nap
  }

  private var isBusy: Bool { working > 0 || residents.all.contains { $0.users > 0 } }

  /// Called before work is counted: the first of it ends the long pause of an idle program.
  private func wake() { if !isBusy { nap?.cancel() } }

  /// Reads once and acts on it. True while something runs.
  @discardableResult
  package func observe() async -> Bool {
    reading = sensors.read()
    let now = time.now()
    let before = machine.tiers
    let tiers = machine.take(reading, at: now)
    if !tiers.sameLevels(as: before) { tell(.tiers(tiers)) }
    for resident in residents.all {
      if let process = resident.process, let memory = sensors.memory(of: process) {
        residents.measured(resident.id, memory)
      }
    }
    if machine.systemWarning != nil { await systemWarning() }
    // One at a time, and asked anew after each: while a pack goes, another may come into use or be loaded again.
    while let (id, why) = nextDue() { await unload(id, why) }
    let busy = isBusy
    if endurance.take(busy: busy, at: now) { tell(.breakSuggested) }
    return busy
  }

  private func nextDue() -> (id: String, why: Eviction)? {
    residents.due(
      tiers: machine.tiers, idleMinutes: settings.idleUnloadMinutes, working: working > 0,
      unseen: outOfSight ? .seconds(settings.backgroundUnloadSeconds) : nil, at: time.now()
    ).first { unloaders[$0.id] != nil }
  }

  package var state: State {
    State(
      reading: reading, tiers: machine.tiers, residents: residents.all, breakSuggested: endurance.isDue)
  }

  package func limits(_ mode: Mode, promptSpeed: Double? = nil) -> Limits {
    Limits.decide(
      Situation(tiers: machine.tiers, mode: mode, settings: settings, device: device, promptSpeed: promptSpeed))
  }

  /// Everything from now on; the listener is there when this returns.
  package func changes() -> AsyncStream<Change> {
    nextListener += 1
    let number = nextListener
    return AsyncStream { continuation in
      listeners[number] = continuation
      continuation.onTermination = { [weak self] _ in Task { await self?.forget(number) } }
    }
  }

  package func use(_ settings: Settings) {
    self.settings = settings
    endurance.stretch = .seconds(60 * settings.breakAfterMinutes)
  }

  /// Joules used since some moment: the processor's own count.
  package nonisolated func joules() -> Double? { sensors.joules() }

  // MARK: Memory

  /// What a pack can have: what is free, and what the packs that are loaded would give back.
  package nonisolated var reachableMemory: UInt64? {
    sensors.read().memory.map { $0.available + held.withLock { $0 } }
  }

  /// Asks whether a pack may load and reserves its place; the least recently used go first. Follow with `loaded` or `unloaded`.
  package func admit(_ id: String, bytes: UInt64) async throws(ResourcesError) {
    await observe()
    let loads = limits(settings.mode).loads
    switch residents.admission(
      of: id, bytes: bytes, memory: reading.memory, level: machine.tiers.memory.level, loads: loads)
    {
    case .refused(let reason): throw .loadRefused(pack: id, reason: reason)
    case .admitted(let evict):
      residents.reserve(id, bytes: bytes, at: time.now())
      departures[id] = nil
      for old in evict where !isUsed(old) { await unload(old, .makeRoom(for: id)) }
    }
  }

  /// The pack is in memory. `unload` ends its worker and returns when the memory is back.
  package func loaded(
    _ id: String, process: Int32?, unload: @escaping @Sendable (Eviction) async -> Void
  ) {
    residents.loaded(id, process: process, at: time.now())
    unloaders[id] = unload
    if let process, let memory = sensors.memory(of: process) { residents.measured(id, memory) }
  }

  /// The pack is gone, or its load failed.
  package func unloaded(_ id: String) {
    residents.remove(id)
    unloaders[id] = nil
  }

  package func isLoaded(_ id: String) -> Bool { residents.all.contains { $0.id == id && !$0.loading } }

  package func isUsed(_ id: String) -> Bool { residents.all.contains { $0.id == id && $0.users > 0 } }

  /// Why a pack left memory last; nil if it did not, or is back.
  package func departure(of id: String) -> Eviction? { departures[id] }

  /// Marks a pack as in use while `body` runs: it is not unloaded for idleness, for others, or in the background.
  package func using<Value: Sendable>(
    _ id: String, _ body: @Sendable () async throws -> Value
  ) async rethrows -> Value {
    wake()
    residents.used(id, by: 1, at: time.now())
    defer { residents.used(id, by: -1, at: time.now()) }
    return try await body()
  }

  /// Marks that an answer, a recording or an import is under way, also where it uses no pack at the moment.
  package func during<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value {
    wake()
    working += 1
    defer { working -= 1 }
    return try await body()
  }

  /// No page is visible. Takes effect once no answer, recording or import is running.
  package func background(_ hidden: Bool) async {
    outOfSight = hidden
    await observe()
  }

  /// The system wants memory now: everything goes, in use or not.
  package func systemWarning() async {
    for resident in residents.all where !resident.loading { await unload(resident.id, .systemWarning) }
  }

  private func unload(_ id: String, _ why: Eviction) async {
    // Taken out first: the actor is open to others while the callback runs, and nobody may unload a pack twice.
    guard let unload = unloaders.removeValue(forKey: id) else { return }
    residents.remove(id)
    departures[id] = why
    await unload(why)
    tell(.unloaded(pack: id, why: why))
  }

  private func tell(_ change: Change) { listeners.values.forEach { $0.yield(change) } }
  private func forget(_ number: UInt64) { listeners[number] = nil }
}
