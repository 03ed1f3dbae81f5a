package import Assistant
package import Core
import Foundation
import Synchronization

/// The browsers that a terminal has let in. They are held in memory alone, so they end with the program: what an open page
/// still sends to whoever listens on this port afterwards opens nothing.
///
/// A browser comes with a code, once: it opens one session, and opens it again only while nobody has used that, because a page that is
/// loaded again may have missed the answer. It shows the code's hash and both sides make the session's secret from the code, which
/// so never travels. Before it sends the secret it has the server prove that it knows it.
package final class Sessions: Sendable {
  private struct Code {
    var code: String
    var until: ContinuousClock.Instant
    /// The session that it has opened and that nobody has used yet.
    var session: String?
    var spent: @Sendable () -> Void
  }

  private struct Session {
    var secret: String
    var entry: SessionEntry
  }

  private struct State {
    var codes: [Code] = []
    /// By what their secrets hash to.
    var sessions: [String: Session] = [:]
  }

  private static let mostCodes = 8
  private static let mostSessions = 64
  private let state = Mutex(State())

  package init() {}

  /// A code that holds once and so long. `spent` is called when it is used.
  package func mint(for life: Duration, spent: @escaping @Sendable () -> Void = {}) -> String {
    let code = SHA256.secret()
    state.withLock { state in
      state.codes.append(Code(code: code, until: .now + life, spent: spent))
      if state.codes.count > Self.mostCodes { state.codes.removeFirst() }
    }
    return code
  }

  /// The id of the session that the code with this hash opens; nil where there is no such code any more.
  package func open(_ ticket: String, browser: String) -> String? {
    let found = state.withLock { state -> (id: String, spent: @Sendable () -> Void)? in
      state.codes.removeAll { $0.until < .now }
      guard let place = state.codes.firstIndex(where: { SHA256.of(Data($0.code.utf8)) == ticket }) else { return nil }
      let code = state.codes[place]
      if let known = code.session {
        return state.sessions.values.contains { $0.entry.id == known } ? (known, {}) : nil
      }
      if state.sessions.count >= Self.mostSessions,
        let oldest = state.sessions.min(by: { $0.value.entry.used < $1.value.entry.used })
      {
        state.sessions[oldest.key] = nil
      }
      let secret = SHA256.keyed(code.code, "session")
      let entry = SessionEntry(
        id: UUID().uuidString.lowercased(), browser: Self.name(of: browser), made: Date(), used: Date())
      state.sessions[SHA256.of(Data(secret.utf8))] = Session(secret: secret, entry: entry)
      state.codes[place].session = entry.id
      return (entry.id, code.spent)
    }
    found?.spent()
    return found?.id
  }

  /// What only a server that knows this session can say to the nonce.
  package func proof(of id: String, _ nonce: String) -> String? {
    state.withLock { state in
      state.sessions.values.first { $0.entry.id == id }.map { SHA256.keyed($0.secret, "server \(nonce)") }
    }
  }

  package func caller(_ secret: String) -> Caller? {
    state.withLock { state in
      let hash = SHA256.of(Data(secret.utf8))
      guard let session = state.sessions[hash] else { return nil }
      state.sessions[hash]?.entry.used = Date()
      state.codes.removeAll { $0.session == session.entry.id }
      return .page(session: session.entry.id)
    }
  }

  package func list() -> [SessionEntry] {
    state.withLock { $0.sessions.values.map(\.entry).sorted { $0.made < $1.made } }
  }

  package func holds(_ id: String) -> Bool { state.withLock { $0.sessions.values.contains { $0.entry.id == id } } }

  package func end(_ id: String) -> Bool {
    state.withLock { state in
      guard let place = state.sessions.first(where: { $0.value.entry.id == id })?.key else { return false }
      state.sessions[place] = nil
      return true
    }
  }

  /// A browser in a word or two; of what it says of itself only names that are known are kept.
  static func name(of agent: String) -> String {
    let browsers = [
      ("Firefox/", "Firefox"), ("Edg/", "Edge"), ("OPR/", "Opera"), ("Chrome/", "Chrome"), ("Version/", "Safari"),
    ]
    let systems = [("Android", "Android"), ("Linux", "Linux"), ("Mac OS X", "macOS"), ("Windows", "Windows")]
    guard let (mark, browser) = browsers.first(where: { agent.contains($0.0) }), let place = agent.range(of: mark)
    else {
      return "a browser"
    }
    let version = agent[place.upperBound...].prefix { ("0"..."9").contains($0) }.prefix(4)
    let system = systems.first { agent.contains($0.0) }.map { " on \($0.1)" } ?? ""
    return "\(browser)\(version.isEmpty ? "" : " \(version)")\(system)"
  }
}
