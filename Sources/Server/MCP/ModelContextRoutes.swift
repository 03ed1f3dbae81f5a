import Core
import Foundation

/// The Model Context Protocol over HTTP: each message is a request of its own, and nothing is kept between two of them. What is
/// told on the way comes as events where the client takes them.
package struct ModelContextRoutes: Sendable {
  private let services: [Service]

  package init(_ services: [Service]) { self.services = services }

  package var routes: [Route] {
    [
      Route(
        "POST", "/mcp", needs: .right(.ask),
        body: .json(limit: ModelContext.longestLine, seconds: Bounds.usual.bodySeconds), .later { try await answer($0) }
      )
    ]
  }

  private struct Kind: Decodable {
    struct Params: Decodable {
      var meta: ToolRequest.Meta?
      enum CodingKeys: String, CodingKey { case meta = "_meta" }
    }
    var jsonrpc: String
    var id: RequestID?
    var method: String?
    var params: Params?
  }

  private func answer(_ request: Request) async throws -> Response {
    if let version = request.headers["mcp-protocol-version"], !ModelContext.versions.contains(version) {
      throw ServerError.unsupported("version \(version.prefix(20)) of the Model Context Protocol")
    }
    let kind = try request.decode(Kind.self)
    guard kind.jsonrpc == "2.0" else { throw ServerError.unreadable("it is not a JSON-RPC 2.0 message") }
    // A notification, or an answer to a question we never ask.
    guard kind.id != nil, kind.method != nil else { return .empty(202) }
    let messages = messages(request)
    if kind.params?.meta?.progressToken != nil, request.headers["accept"]?.contains("text/event-stream") == true {
      let frames = CountedEvents.counting(
        streaming { emit in
          for try await message in messages { emit(Data("event: message\ndata: ".utf8) + message + Data("\n".utf8)) }
        })
      return try await LineFeed.response(CountedEvents(frames), type: "text/event-stream") {
        Data("event: message\ndata: ".utf8) + Response.errorLine(Response.describe($0).told) + Data("\n\n".utf8)
      }
    }
    var last = Data()
    for try await message in messages { last = message }
    try Task.checkCancellation()
    return .json(last)
  }

  /// Each is a line.
  private func messages(_ request: Request) -> AsyncThrowingStream<Data, any Error> {
    let desk = ServiceDesk(services: services, caller: request.caller)
    return streaming { emit in
      let (lines, line) = AsyncStream.makeStream(of: Data.self)
      line.yield(request.body)
      line.finish()
      await ModelContext(desk) { emit($0) }.serve(lines)
    }
  }
}
