import Assistant
package import Core
package import Foundation

/// Operations that run on their own, whoever watches: started by a request, published into the ring under their id, and kept
/// for a while after their end, so that a page that was closed finds its answer.
package actor Runs {
  private struct Run {
    var id: String
    var name: String
    var owner: Caller
    var started = Date()
    var ended: String?
    var error: RemoteError?
    var events: [Data] = []
    var bytes = 0
    var dropped = 0
    var task: Task<Void, Never>?

    mutating func forget() {
      dropped += events.count
      (events, bytes) = ([], 0)
    }
  }

  private let ring: EventRing
  private let limit: Int
  private var runs: [String: Run] = [:]
  private var order: [String] = []
  private var isStopping = false
  private static let kept = 64
  private static let journalBytes = 2 << 20
  /// What the events of all ended runs of one caller may take together: one event may be a whole document's text.
  private static let endedBytes = 32 << 20

  package init(ring: EventRing, limit: Int) {
    self.ring = ring
    self.limit = limit
  }

  /// Starts an operation under the caller's id or a new one. The same id again is the same run: a repeated request, after
  /// a lost connection, starts nothing twice.
  package func start(
    _ name: String, id wanted: String?, for caller: Caller,
    _ stream: @Sendable () throws -> AsyncThrowingStream<Data, any Error>
  ) throws -> String {
    let id = try wanted.map(Self.checked) ?? UUID().uuidString.lowercased()
    if let run = runs[id] {
      guard caller.sees(run.owner) else { throw ServerError.badRunID }
      return id
    }
    // Each for itself: however much a program has begun, the page begins what it likes.
    let mine = Handed.folder(of: caller)
    guard runs.values.count(where: { $0.ended == nil && Handed.folder(of: $0.owner) == mine }) < limit else {
      throw ServerError.busy(limit: limit)
    }
    let events = try stream()
    runs[id] = Run(id: id, name: name, owner: caller)
    order.append(id)
    publish(id, name, caller, key: "started", Data("true".utf8))
    runs[id]?.task = Task {
      var failure: (any Error)?
      do {
        var index = 0
        for try await event in events {
          self.publish(id, name, caller, key: "index", Data("\(index),\"event\":".utf8) + event)
          self.note(id, event)
          index += 1
        }
      } catch { failure = error }
      self.end(id, failure, cancelled: Task.isCancelled)
    }
    forgetOldest(of: mine)
    return id
  }

  package func cancel(_ id: String, for caller: Caller) throws { try run(id, for: caller).task?.cancel() }

  /// Ends what programs have started that are not let in any more. A browser that is let go has had its answers begun.
  package func cancel(where isGone: (Caller) -> Bool) {
    for run in runs.values where run.ended == nil {
      if case .key = run.owner, isGone(run.owner) { run.task?.cancel() }
    }
  }

  private func run(_ id: String, for caller: Caller) throws -> Run {
    guard let run = runs[id], caller.sees(run.owner) else { throw ServerError.unknownRun(id) }
    return run
  }

  /// The server stops. Pages are not told that their runs were cancelled: after the restart they learn that it ended them.
  package func cancelAll() {
    isStopping = true
    for run in runs.values { run.task?.cancel() }
  }

  var areBusy: Bool { runs.values.contains { $0.ended == nil } }

  package func count(for caller: Caller) -> Int { runs.values.count { caller.sees($0.owner) } }

  /// The runs that are the caller's to know, oldest first.
  package func list(for caller: Caller) -> Data {
    let lines = order.compactMap { runs[$0] }.filter { caller.sees($0.owner) }.map { summary($0, events: nil) }
    return Data(#"{"operations":["#.utf8) + Data(lines.joined(separator: Data(",".utf8))) + Data("]}".utf8)
  }

  /// One run with the events kept of it.
  package func show(_ id: String, for caller: Caller) throws -> Data {
    let run = try run(id, for: caller)
    return summary(run, events: run.events)
  }

  /// Keeps nothing of what was told until now: it may be what a person has just destroyed.
  package func forget() {
    for id in order where runs[id]?.ended != nil { runs[id] = nil }
    order.removeAll { runs[$0] == nil }
    for id in order { runs[id]?.forget() }
    ring.forget()
  }

  private static func checked(_ id: String) throws -> String {
    let allowed = id.utf8.allSatisfy { ($0 >= 48 && $0 <= 57) || ($0 | 32 >= 97 && $0 | 32 <= 122) || $0 == 45 }
    guard allowed, (8...64).contains(id.utf8.count) else { throw ServerError.badRunID }
    return id
  }

  private func note(_ id: String, _ event: Data) {
    guard var run = runs.removeValue(forKey: id) else { return }
    run.events.append(event)
    run.bytes += event.count
    while run.bytes > Self.journalBytes, run.events.count > 1 {
      let half = run.events.count / 2
      run.bytes -= run.events[..<half].reduce(0) { $0 + $1.count }
      run.events.removeFirst(half)
      run.dropped += half
    }
    runs[id] = run
  }

  private func end(_ id: String, _ failure: (any Error)?, cancelled: Bool) {
    guard !isStopping, var run = runs[id] else { return }
    let stopped = cancelled || failure is CancellationError
    run.ended = stopped ? "cancelled" : failure == nil ? "done" : "failed"
    if !stopped, let failure { run.error = Response.describe(failure).told }
    run.task = nil
    runs[id] = run
    var value = Data("\"\(run.ended ?? "done")\"".utf8)
    if let error = run.error { value += Data(",".utf8) + Response.errorLine(error).dropFirst().dropLast() }
    publish(id, run.name, run.owner, key: "ended", value)
    forgetOldest(of: Handed.folder(of: run.owner))
  }

  private func publish(_ id: String, _ name: String, _ owner: Caller, key: String, _ value: Data) {
    ring.publish(
      Data("{\"operation\":\"\(id)\",\"name\":\"\(name)\",\"\(key)\":".utf8) + value + Data("}".utf8),
      from: owner)
  }

  private func summary(_ run: Run, events: [Data]?) -> Data {
    let state = run.ended ?? "running"
    var line = Data(#"{"operation":"\#(run.id)","name":"\#(run.name)","state":"\#(state)""#.utf8)
    line += Data(#","started":"\#(run.started.ISO8601Format())","events_dropped":\#(run.dropped)"#.utf8)
    if let error = run.error { line += Data(",".utf8) + Response.errorLine(error).dropFirst().dropLast() }
    if let events {
      line += Data(#","events":["#.utf8) + Data(events.joined(separator: Data(",".utf8))) + Data("]".utf8)
    }
    return line + Data("}".utf8)
  }

  /// Each for itself: however much a program has run, what the page ran is there to be found.
  private func forgetOldest(of party: String) {
    let mine = order.filter { runs[$0].map { Handed.folder(of: $0.owner) } == party }
    let ended = mine.filter { runs[$0]?.ended != nil }
    var bytes = ended.reduce(0) { $0 + (runs[$1]?.bytes ?? 0) }
    var count = mine.count
    // The one that ended last stays, however much it told.
    for id in ended where count > Self.kept || (bytes > Self.endedBytes && id != ended.last) {
      bytes -= runs.removeValue(forKey: id)?.bytes ?? 0
      order.removeAll { $0 == id }
      count -= 1
    }
  }
}
