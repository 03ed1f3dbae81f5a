/// A pack that is in memory, or about to be.
package struct Resident: Sendable, Equatable, Codable {
  package var id: String
  package var declaredBytes: UInt64
  /// What its worker really holds, and how much of that comes back when it goes; nil until measured.
  package var measuredBytes: UInt64?
  package var ownBytes: UInt64?
  package var process: Int32?
  package var lastUsed: Duration
  /// Answers, recordings and imports that use it now.
  package var users = 0
  package var loading = true

  package var bytes: UInt64 { measuredBytes ?? declaredBytes }
  /// What its end would give back.
  package var freed: UInt64 { ownBytes ?? bytes }
}

/// Why a pack has to go.
package enum Eviction: Sendable, Equatable, Codable {
  case makeRoom(for: String)
  case memoryCritical
  case systemWarning
  case background
  case idle(minutes: Int)
  case stopped

  /// Memory is wanted at once.
  package var isUrgent: Bool { self == .memoryCritical || self == .systemWarning }

  package var reason: String {
    switch self {
    case .makeRoom(let pack): "to make room for \(pack)"
    case .memoryCritical: "memory is nearly used up"
    case .systemWarning: "the system asked for memory"
    case .background: "nobody is looking and nothing is running"
    case .idle(let minutes): "unused for \(minutes) minutes"
    case .stopped: "its process ended unexpectedly"
    }
  }
}

/// Who is loaded, and who must go: decisions only, no processes.
package struct Residents: Sendable, Equatable {
  package private(set) var all: [Resident] = []

  package init() {}

  package enum Admission: Sendable, Equatable {
    /// After these have gone, in this order.
    case admitted(evict: [String])
    case refused(String)
  }

  /// Whether a pack may load now. What others have reserved and not yet touched counts as used.
  package func admission(
    of id: String, bytes: UInt64, memory: MemoryReading?, level: Memory, loads: Limit<Bool>
  ) -> Admission {
    guard loads.value else { return .refused(loads.reason) }
    guard level == .normal else { return .refused("memory is short") }
    guard let memory else { return .admitted(evict: []) }
    let reserve = ReadingMeaning.bounds(total: memory.total).warning
    let pending = all.filter { $0.loading && $0.id != id }.reduce(0) { $0 + $1.declaredBytes }
    var free = memory.available > pending ? memory.available - pending : 0
    var evicted: [String] = []
    for candidate in idleFirst where free < bytes + reserve && candidate.id != id {
      free += candidate.freed
      evicted.append(candidate.id)
    }
    guard free >= bytes + reserve else {
      let missing = ReadingMeaning.size(bytes + reserve - free)
      return .refused(
        "it needs \(ReadingMeaning.size(bytes)) and \(ReadingMeaning.size(reserve)) must stay free; \(missing) are missing"
      )
    }
    return .admitted(evict: evicted)
  }

  /// Least recently used first; a pack in use is never in this list.
  private var idleFirst: [Resident] {
    all.filter { $0.users == 0 && !$0.loading }.sorted { $0.lastUsed < $1.lastUsed }
  }

  /// Who has to go in this state. A pack in use stays until its work is done: no answer is lost. `working`: an answer, a
  /// recording or an import runs, with or without a pack at this moment. `unseen`: no page is visible, and that is how long
  /// a pack may then still lie unused.
  package func due(
    tiers: Tiers, idleMinutes: Int, working: Bool = false, unseen: Duration? = nil, at now: Duration
  ) -> [(id: String, why: Eviction)] {
    if tiers.memory.level == .critical { return idleFirst.map { ($0.id, .memoryCritical) } }
    if !working, all.allSatisfy({ $0.users == 0 }), tiers.background || unseen != nil {
      let left = idleFirst.filter { tiers.background || now - $0.lastUsed >= unseen ?? .zero }
      if !left.isEmpty { return left.map { ($0.id, .background) } }
    }
    guard idleMinutes > 0 else { return [] }
    return idleFirst.filter { now - $0.lastUsed >= .seconds(60 * idleMinutes) }
      .map { ($0.id, .idle(minutes: idleMinutes)) }
  }

  package mutating func reserve(_ id: String, bytes: UInt64, at now: Duration) {
    remove(id)
    all.append(Resident(id: id, declaredBytes: bytes, lastUsed: now))
  }
  package mutating func remove(_ id: String) { all.removeAll { $0.id == id } }
  package mutating func loaded(_ id: String, process: Int32?, at now: Duration) {
    change(id) {
      $0.loading = false
      $0.process = process
      $0.lastUsed = now
    }
  }
  package mutating func used(_ id: String, by delta: Int, at now: Duration) {
    change(id) {
      $0.users = max(0, $0.users + delta)
      $0.lastUsed = now
    }
  }
  package mutating func measured(_ id: String, _ memory: ProcessMemory) {
    change(id) { ($0.measuredBytes, $0.ownBytes) = (memory.resident, memory.own) }
  }

  private mutating func change(_ id: String, _ body: (inout Resident) -> Void) {
    guard let index = all.firstIndex(where: { $0.id == id }) else { return }
    body(&all[index])
  }
}
