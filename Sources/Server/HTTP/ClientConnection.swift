import CHTTP
import Core
import Foundation
import Synchronization

/// One open connection, as the watch over idle, slow and vanished clients sees it.
final class ClientConnection: Sendable {
  enum Phase { case waiting, receiving(deadline: Double), working }

  struct State {
    var phase = Phase.waiting
    var since = ContinuousClock.now
    /// Who was let in on this line, last.
    var caller = Caller.stranger
    var open = true
    weak var exchange: Exchange?
  }

  let socket: CInt
  private let state = Mutex(State())

  init(socket: CInt) { self.socket = socket }

  func enter(_ phase: Phase, _ exchange: Exchange? = nil) {
    state.withLock {
      $0.phase = phase
      $0.since = .now
      $0.exchange = exchange
    }
  }

  func admit(_ caller: Caller) { if caller != .stranger { state.withLock { $0.caller = caller } } }
  func ended() { state.withLock { $0.open = false } }

  /// Ends the connection from our side; the daemon then sees it closed and cleans up. Under the lock, because after `ended`
  /// the descriptor belongs to someone else.
  func shut() {
    state.withLock { if $0.open { _ = shutdown(socket, CInt(SHUT_RDWR)) } }
  }

  /// What the choice of who has to leave is made from.
  var standing: ClientConnections.Standing {
    state.withLock { ClientConnections.Standing(line: self, caller: $0.caller, since: $0.since) }
  }

  /// Closes the line when it overstays its phase or its session or key has ended, and tells its exchange when the client is gone.
  func inspect(idleSeconds: Double, now: ContinuousClock.Instant, holds: (Caller) -> Bool) {
    let (overdue, exchange) = state.withLock { state -> (Bool, Exchange?) in
      guard state.open else { return (false, nil) }
      if state.caller != .stranger, !holds(state.caller) { return (true, state.exchange) }
      switch state.phase {
      case .waiting: return (now - state.since > .seconds(idleSeconds), nil)
      case .receiving(let deadline): return (now - state.since > .seconds(deadline), nil)
      case .working:
        return (false, libera_http_gone(socket) != 0 ? state.exchange : nil)
      }
    }
    if overdue { shut() }
    exchange?.abandon()
  }
}

/// All open connections of one server.
final class ClientConnections: Sendable {
  private let open = Mutex<[ObjectIdentifier: ClientConnection]>([:])
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  var count: Int { open.withLock { $0.count } }

  func add(_ line: ClientConnection) {
    let crowd = open.withLock { lines -> [ClientConnection] in
      lines[ObjectIdentifier(line)] = line
      return lines.count > limit ? Array(lines.values) : []
    }
    guard !crowd.isEmpty else { return }
    // A flood pays for itself, a quarter of the house at a time, so that the sorting stays rare.
    for line in Self.leaving(crowd.map(\.standing), most: max(1, limit / 4)) { line.shut() }
  }

  struct Standing {
    var line: ClientConnection
    var caller: Caller
    /// When it came into its phase.
    var since: ContinuousClock.Instant
  }

  /// Who makes room: the oldest lines of whoever holds most of them, which are all those that were not let in, or a program by its
  /// key, whatever they are doing; the person's pages stay.
  static func leaving(_ crowd: [Standing], most: Int) -> [ClientConnection] {
    let groups = Dictionary(grouping: crowd) { standing -> String? in
      switch standing.caller {
      case .terminal, .page: nil
      case .key(let id, _): id
      case .stranger: ""
      }
    }
    let largest = groups.filter { $0.key != nil }.values.max { $0.count < $1.count } ?? []
    return largest.sorted { $0.since < $1.since }.prefix(most).map(\.line)
  }

  func remove(_ line: ClientConnection) {
    line.ended()
    open.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(line)) }
  }

  func inspect(idleSeconds: Double, holds: (Caller) -> Bool) {
    let now = ContinuousClock.now
    for line in open.withLock({ Array($0.values) }) { line.inspect(idleSeconds: idleSeconds, now: now, holds: holds) }
  }
}
