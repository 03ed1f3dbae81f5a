import Core
import Synchronization

/// Who is waiting for the work, gravest last: a person in front of the screen goes before everything else.
package enum Priority: String, Level { case indexing, voice, person }

/// Shares the cores between pieces of work. Work of one kind and of the kinds above it never has more cores than there are;
/// what is less urgent does not keep anyone waiting: it is cut short and begins anew, or starts only when nobody more urgent
/// computes. Of two that are as urgent the person's goes before a program's, and a recording of the person's begins beside the
/// answers of programs.
package actor Scheduler {
  /// Permission to compute, with the number of threads to use.
  package struct Turn: Sendable {
    let number: UInt64
    package let cores: Int
  }

  package struct Job: Sendable, Equatable, Codable {
    package enum State: String, Sendable, Codable { case waiting, running }
    package var name: String
    package var priority: Priority
    package var cores: Int
    package var state: State
    var startsAtOnce = false
  }

  private struct Entry {
    var job: Job
    let caller: Caller
    /// Can be cut short and begin anew.
    var givesWay = false
    var wake: CheckedContinuation<Void, any Error>?
    var interrupt: (@Sendable () -> Void)?

    /// Which of those that wait go first: what a person waits for, then what is more urgent, and of that what a person has asked for.
    var rank: (Int, Priority, Int) { (isAwaited ? 1 : 0, job.priority, caller.isPerson ? 1 : 0) }

    /// A person's answers and recordings; an import is not waited for.
    var isAwaited: Bool { caller.isPerson && job.priority > .indexing }

    /// Whether this is cut short for the other, and does not begin while that is here.
    func givesWay(to other: Entry) -> Bool {
      guard givesWay, other.job.priority >= job.priority else { return false }
      if other.job.startsAtOnce, other.job.cores > 0 { return true }
      if job.priority == .indexing, other.job.priority > .indexing { return true }
      return other.caller.isPerson && !caller.isPerson
    }
  }

  private let cores: Int
  private var entries: [UInt64: Entry] = [:]  // a lower number came earlier
  private var next: UInt64 = 0
  /// Whose work was let in, and when in the order of all.
  private var served: [(caller: Caller, turn: UInt64)] = []
  private var turn: UInt64 = 0

  package init(cores: Int) { self.cores = max(1, cores) }

  /// Waits for its turn, runs, and gives the cores back whatever happens. Without cores it only says that somebody waits.
  /// What starts at once, such as listening to a person who speaks already, waits for nobody; others see its cores as taken.
  package func run<Value: Sendable>(
    _ name: String, _ priority: Priority, cores wanted: Int, atOnce: Bool = false,
    _ body: @Sendable (Turn) async throws -> Value
  ) async throws -> Value {
    try await run(name, priority, cores: wanted, atOnce: atOnce, givesWay: false, body)
  }

  private func run<Value: Sendable>(
    _ name: String, _ priority: Priority, cores wanted: Int, atOnce: Bool = false, givesWay: Bool,
    _ body: @Sendable (Turn) async throws -> Value
  ) async throws -> Value {
    next += 1
    let turn = Turn(number: next, cores: min(max(0, wanted), cores))
    let entry = Entry(
      job: Job(
        name: name, priority: priority, cores: turn.cores, state: .waiting, startsAtOnce: atOnce || turn.cores == 0),
      caller: .asking, givesWay: givesWay)
    entries[turn.number] = entry
    for other in entries.values where other.givesWay(to: entry) { other.interrupt?() }
    defer {
      entries[turn.number] = nil
      wakeReady()
    }
    try await wait(for: turn)
    return try await body(turn)
  }

  /// For work that can begin anew: an import gives way to all that is more urgent, what a program asks for to the person, and
  /// recordings to whoever speaks. It is interrupted at once, and runs again afterwards. Two workers that compute on the same cores
  /// slow each other far more than half.
  package func runAnew<Value: Sendable>(
    _ name: String, _ priority: Priority, cores: Int, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    while true {
      let interrupted = Mutex(false)
      do {
        return try await run(name, priority, cores: cores, givesWay: true) { turn in
          let task = Task(operation: body)
          await self.interruptible(turn) {
            interrupted.withLock { $0 = true }
            task.cancel()
          }
          return try await withTaskCancellationHandler {
            try await task.value
          } onCancel: {
            task.cancel()
          }
        }
      } catch let error as CancellationError {
        guard interrupted.withLock({ $0 }), !Task.isCancelled else { throw error }
      }
    }
  }

  private func interruptible(_ turn: Turn, _ interrupt: @escaping @Sendable () -> Void) {
    guard let entry = entries[turn.number] else { return }
    entries[turn.number]?.interrupt = interrupt
    if entries.values.contains(where: { entry.givesWay(to: $0) }) { interrupt() }
  }

  package var jobs: [Job] { entries.sorted { $0.key < $1.key }.map(\.value.job) }

  /// How many wait to be woken.
  var waiting: Int { entries.values.count { $0.wake != nil } }

  private func wait(for turn: Turn) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        entries[turn.number]?.wake = continuation
        wakeReady()
      }
    } onCancel: {
      Task { await self.giveUp(turn) }
    }
  }

  private func giveUp(_ turn: Turn) {
    guard let wake = entries[turn.number]?.wake else { return }
    entries[turn.number]?.wake = nil
    wake.resume(throwing: CancellationError())
  }

  private var running: [Entry] { entries.values.filter { $0.job.state == .running } }

  /// The waiting, most urgent first, the person's before programs'. Among those callers take turns: whoever was let in longest ago
  /// goes first, with one piece of work; then who came first.
  private var queue: [(key: UInt64, value: Entry)] {
    let waiting = entries.filter { $0.value.job.state == .waiting && $0.value.wake != nil }.sorted { $0.key < $1.key }
    var ahead: [(priority: Priority, caller: Caller, count: Int)] = []
    let turns = waiting.map { _, entry in
      let known = ahead.firstIndex { $0.priority == entry.job.priority && $0.caller.isSameParty(as: entry.caller) }
      guard let known else {
        ahead.append((entry.job.priority, entry.caller, 1))
        return 0
      }
      ahead[known].count += 1
      return ahead[known].count - 1
    }
    let places = waiting.map { entry in served.first { $0.caller.isSameParty(as: entry.value.caller) }?.turn ?? 0 }
    return waiting.indices.sorted { left, right in
      let ranks = (waiting[left].value.rank, waiting[right].value.rank)
      if ranks.0 != ranks.1 { return ranks.0 > ranks.1 }
      return (turns[left], places[left], left) < (turns[right], places[right], right)
    }.map { waiting[$0] }
  }

  /// Remembers that a caller's work was let in, for as long as more of it waits.
  private func serve(_ caller: Caller) {
    turn += 1
    served.removeAll { serving in
      serving.caller.isSameParty(as: caller)
        || !entries.values.contains { $0.wake != nil && $0.caller.isSameParty(as: serving.caller) }
    }
    served.append((caller, turn))
  }

  private func wakeReady() {
    var isBlocked = false
    for (number, entry) in queue {
      // No job overtakes: small ones behind a large and more urgent one would keep it waiting for ever.
      guard entry.job.startsAtOnce || (!isBlocked && mayStart(entry)) else {
        isBlocked = true
        continue
      }
      if entry.job.cores > 0 { serve(entry.caller) }
      entries[number]?.job.state = .running
      entries[number]?.wake = nil
      entry.wake?.resume()
    }
  }

  private func mayStart(_ entry: Entry) -> Bool {
    let job = entry.job
    if entries.values.contains(where: { entry.givesWay(to: $0) }) { return false }
    // A person's recording begins beside programs' answers, as those do beside it: one takes hours, the others may have no end.
    let isBeside = entry.isAwaited && job.priority == .voice
    let ahead = running.filter { $0.job.priority >= job.priority && ($0.caller.isPerson || !isBeside) }.map(\.job)
    if job.priority == .indexing, ahead.contains(where: { $0.priority > .indexing }) { return false }
    return ahead.reduce(0) { $0 + $1.cores } + job.cores <= cores
  }
}
