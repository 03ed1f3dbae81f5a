package import Assistant
package import Core

/// Who is let in: browsers by their session, other programs by their key.
package struct Access: Sendable {
  package let sessions = Sessions()
  package let keys: Keys

  package func caller(bearer: String?) throws -> Caller {
    guard let bearer else { return .stranger }
    if let page = sessions.caller(bearer) { return page }
    return try keys.caller(bearer) ?? .stranger
  }

  /// Whether somebody who was let in still would be.
  package func holds(_ caller: Caller) throws -> Bool {
    switch caller {
    case .page(let session): sessions.holds(session)
    case .key(let id, _): try keys.holds(id)
    case .terminal: true
    case .stranger: false
    }
  }
}
