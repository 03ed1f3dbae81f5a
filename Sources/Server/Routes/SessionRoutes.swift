import Core
import Foundation

/// How a browser is let in: by the hash of the code in the page's address, once. It proves nothing else here, and nothing is
/// sent back that was not public; see `Sessions`.
struct SessionRoutes: Sendable {
  private struct Entry: Decodable {
    var ticket: String
    /// Who brings one is given the proof at once.
    var nonce: String?
  }

  let sessions: Sessions

  var routes: [Route] {
    [
      Route(
        "POST", "/api/session", needs: .nothing, body: .json(limit: 1024, seconds: 10),
        .now { request in
          let entry = try request.decode(Entry.self)
          let nonce = try entry.nonce.map(Self.asked)
          guard let id = sessions.open(entry.ticket, browser: request.headers["user-agent"] ?? "") else {
            throw ServerError.codeSpent
          }
          guard let nonce else { return .json(["session": id]) }
          guard let proof = sessions.proof(of: id, nonce) else { throw ServerError.sessionOver }
          return .json(["session": id, "proof": proof])
        }),
      Route(
        "GET", "/api/session/", isPrefix: true, needs: .nothing,
        .now { request in
          let nonce = try Self.asked(request.query["nonce"] ?? "")
          guard let proof = sessions.proof(of: request.tail(after: "/api/session/"), nonce) else {
            throw ServerError.sessionOver
          }
          return .json(["proof": proof])
        }),
    ]
  }

  /// A nonce is a question of this very moment, never words that mean something elsewhere.
  private static func asked(_ nonce: String) throws -> String {
    guard SHA256.isHash(nonce) else { throw ServerError.unreadable("a nonce is 64 hexadecimal digits") }
    return nonce
  }
}
