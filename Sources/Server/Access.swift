package import Assistant
package import Core
import Foundation

/// Who is let in: browsers by their session, other programs by their key.
package struct Access: Sendable {
  package let sessions = Sessions()
  package let keys: Keys

  /// A key may come as a bearer, in the header of Anthropic's clients, or as the password of an address as in
  /// `http://x:KEY@127.0.0.1:4242`, which programs turn into a header; a browser would keep that and send it unasked, so from a
  /// browser it is not taken.
  package func caller(of request: Request) throws -> Caller {
    let words = (request.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1)
    let value = words.count == 2 ? words[1].trimmingCharacters(in: .whitespaces) : ""
    switch words.first?.lowercased() {
    case "bearer": return try sessions.caller(value) ?? keys.caller(value) ?? .stranger
    case "basic":
      guard request.headers["sec-fetch-site"] == nil, request.headers["origin"] == nil,
        let plain = Data(base64Encoded: value).map({ String(decoding: $0, as: UTF8.self) }),
        let colon = plain.firstIndex(of: ":")
      else { return .stranger }
      return try keys.caller(String(plain[plain.index(after: colon)...])) ?? .stranger
    default: return try request.headers["x-api-key"].flatMap { try keys.caller($0) } ?? .stranger
    }
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
