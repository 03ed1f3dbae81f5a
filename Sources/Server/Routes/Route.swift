package import Core

/// One address of the server: who may use it, what it takes, what it answers.
package struct Route: Sendable {
  package enum Body: Sendable {
    case none
    case json(limit: Int, seconds: Double)
    case file(limit: Int, seconds: Double)

    static func json(within bounds: Bounds) -> Body { .json(limit: bounds.jsonBytes, seconds: bounds.bodySeconds) }

    var limit: Int {
      switch self {
      case .none: 0
      case .json(let limit, _), .file(let limit, _): limit
      }
    }
    var seconds: Double {
      switch self {
      case .none: 30
      case .json(_, let seconds), .file(_, let seconds): seconds
      }
    }
  }

  package enum Need: Sendable, Equatable {
    /// For everybody; it serves nothing that is the person's.
    case nothing
    /// A page's session or a key with whatever rights; the answer shows no more than these allow.
    case entry
    /// A caller with one of these rights.
    case oneOf(Set<Right>)

    package static func right(_ right: Right) -> Need { .oneOf([right]) }
  }

  package enum Answer: Sendable {
    /// On the daemon's thread: for what is in memory already.
    case now(@Sendable (Request) throws -> Response)
    case later(@Sendable (Request) async throws -> Response)
  }

  package var method: String
  package var path: String
  /// The path is the beginning of the address, and what follows is an id.
  package var isPrefix = false
  package var needs: Need
  package var body: Body
  package var answer: Answer

  package init(
    _ method: String, _ path: String, isPrefix: Bool = false, needs: Need, body: Body = .none,
    _ answer: Answer
  ) {
    self.method = method
    self.path = path
    self.isPrefix = isPrefix
    self.needs = needs
    self.body = body
    self.answer = answer
  }
}
