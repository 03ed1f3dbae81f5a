package import Core
import Foundation

/// Finds the route for a request. Everything under /api and /v1 asks for a session or a key before it tells what exists.
package struct Router: Sendable {
  package struct Match: Sendable {
    package var route: Route
    package var caller: Caller
  }

  private let exact: [String: [Route]]
  private let prefixes: [Route]
  private let gate: RequestGate
  private let access: Access

  package init(_ routes: [Route], gate: RequestGate, access: Access) {
    exact = Dictionary(grouping: routes.filter { !$0.isPrefix }, by: \.path)
    prefixes = routes.filter(\.isPrefix)
    self.gate = gate
    self.access = access
  }

  /// The head itself, host and origin first, then who it is, then the address, then the kind of body.
  package func admit(_ request: Request) throws -> Match {
    try gate.check(request)
    let guest = gate.guest(request)
    if guest != nil, request.method == "OPTIONS" {
      return Match(route: Route("OPTIONS", request.path, needs: .nothing, .now(RequestGate.welcome)), caller: .stranger)
    }
    var caller = try access.caller(of: request)
    // A session is our own page's alone.
    if guest != nil, case .page = caller { caller = .stranger }
    let isKnown = caller != .stranger
    let candidates = candidates(for: request.path)
    if !isKnown, !candidates.contains(where: { $0.needs == .nothing }), isGuarded(request.path) {
      throw ServerError.noToken
    }
    guard !candidates.isEmpty else { throw ServerError.notFound(request.path) }
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let route = candidates.first(where: { $0.method == method }) else {
      var allowed = candidates.map(\.method)
      if allowed.contains("GET") { allowed.append("HEAD") }
      throw ServerError.wrongMethod(allowed: allowed)
    }
    switch route.needs {
    case .nothing: break
    case .entry: guard isKnown else { throw ServerError.noToken }
    case .oneOf(let rights):
      guard isKnown else { throw ServerError.noToken }
      guard rights.contains(where: caller.may) else { throw CallerError.lacks(rights) }
    }
    if case .json = route.body, !RequestGate.isSentOnPurpose(request, by: caller) { throw ServerError.notJSON }
    return Match(route: route, caller: caller)
  }

  /// What lets the page of others that asked read the answer; for all others there is nothing of the kind.
  func headers(for request: Request) -> [(name: String, value: String)] {
    guard let guest = gate.guest(request) else { return [] }
    return [("Access-Control-Allow-Origin", guest), ("Vary", "Origin")]
  }

  private func candidates(for path: String) -> [Route] {
    if let found = exact[path] { return found }
    // An id is a single, non-empty path element.
    return prefixes.filter { route in
      path.hasPrefix(route.path) && path.count > route.path.count
        && !path.dropFirst(route.path.count).utf8.contains(UInt8(ascii: "/"))
    }
  }

  private func isGuarded(_ path: String) -> Bool {
    path.hasPrefix("/api") || path.hasPrefix("/v1") || path == "/mcp" || LlamaPath.has(path)
  }
}
