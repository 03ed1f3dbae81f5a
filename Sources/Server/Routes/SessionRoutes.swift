import Foundation

/// How a browser is let in: the code from the page's address, once, for a cookie that scripts cannot read.
struct SessionRoutes: Sendable {
  private struct Entry: Decodable { var code: String }

  let access: Access
  let cookieName: String

  var routes: [Route] {
    [
      Route(
        "POST", "/api/session", needs: .nothing, body: .json(limit: 1024, seconds: 10),
        .now { request in
          guard access.redeem(try request.decode(Entry.self).code) else { throw ServerError.codeSpent }
          var response = Response.empty(204)
          response.headers.append(
            (
              "Set-Cookie",
              "\(cookieName)=\(try access.session()); Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict"
            ))
          return response
        }),
      Route("GET", "/api/session", needs: .entry, .now { _ in .json(["ok": true]) }),
    ]
  }
}
