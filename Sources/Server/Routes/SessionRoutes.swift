import Core
import Foundation

/// How a browser is let in: by the hash of the code in the page's address, once. It proves nothing else here, and nothing is
/// sent back that was not public; see `Sessions`.
struct SessionRoutes: Sendable {
  private struct Entry: Decodable { var ticket: String }

  let sessions: Sessions

  var routes: [Route] {
    [
      Route(
        "POST", "/api/session", needs: .nothing, body: .json(limit: 1024, seconds: 10),
        .now { request in
          let ticket = try request.decode(Entry.self).ticket
          guard let id = sessions.open(ticket, browser: request.headers["user-agent"] ?? "") else {
            throw ServerError.codeSpent
          }
          return .json(["session": id])
        }),
      Route(
        "GET", "/api/session/", isPrefix: true, needs: .nothing,
        .now { request in
          let nonce = request.query["nonce"] ?? ""
          // A nonce is a question of this very moment, never words that mean something elsewhere.
          guard SHA256.isHash(nonce) else { throw ServerError.unreadable("a nonce is 64 hexadecimal digits") }
          guard let proof = sessions.proof(of: request.tail(after: "/api/session/"), nonce) else {
            throw ServerError.sessionOver
          }
          return .json(["proof": proof])
        }),
    ]
  }
}
