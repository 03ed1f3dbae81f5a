import Core
package import Foundation

package struct Response: Sendable {
  package enum Body: Sendable {
    case data(Data)
    case stream(any BodySource)
  }

  package var status = 200
  package var headers: [(name: String, value: String)] = []
  package var body: Body

  /// Nobody on the way keeps it, where `cache` says nothing else.
  package init(status: Int = 200, type: String? = nil, cache: String = "no-store", _ body: Body) {
    self.status = status
    self.body = body
    if let type { headers.append(("Content-Type", type)) }
    headers.append(("Cache-Control", cache))
  }

  package static func json(_ data: Data, status: Int = 200) -> Response {
    Response(status: status, type: "application/json", .data(data))
  }

  package static func json(_ value: some Encodable, status: Int = 200) -> Response {
    do { return .json(try JSON.encode(value), status: status) } catch { return .failure(error) }
  }

  package static func empty(_ status: Int) -> Response { Response(status: status, .data(Data())) }

  /// `{"error": {"code", "message", "remedy"}}`, or what the dialect of the path has for it.
  package static func failure(_ error: any Error, at path: String = "/") -> Response {
    var response = Response.json(ErrorForm.of(path).line(error), status: describe(error).status)
    if case ServerError.wrongMethod(let allowed) = error {
      response.headers.append(("Allow", allowed.joined(separator: ", ")))
    }
    // What follows on such a connection may be another request to us than to whoever sent it.
    if case ServerError.ambiguous = error { response.headers.append(("Connection", "close")) }
    if case ServerError.noToken = error { response.headers.append(("WWW-Authenticate", "Bearer")) }
    return response
  }

  static func describe(_ error: any Error) -> (status: Int, told: RemoteError) {
    switch error {
    case let refusal as ServerError: return (refusal.status, RemoteError(refusal))
    case let refusal as CallerError: return (403, RemoteError(refusal))
    case is DecodingError: return describe(ServerError.unreadable(Request.reason(error)))
    case is CancellationError: return (409, RemoteError(error))
    case let explained as any Explained: return (422, RemoteError(explained))
    default: return (500, RemoteError(error))
    }
  }

  static func errorLine(_ told: RemoteError) -> Data {
    do { return try JSON.encode(["error": told]) } catch { return Data(#"{"error":{"code":"unexpected"}}"#.utf8) }
  }
}

/// A body that comes while it is made. Called on the daemon's thread: it must not wait.
package protocol BodySource: AnyObject, Sendable {
  /// Called once before the first read; `wake` may be called from any thread whenever there may be more to read.
  func attach(_ wake: @escaping @Sendable () -> Void)
  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead
  /// The reader has not been given everything yet.
  var owes: Bool { get }
  /// The reader is gone or has everything.
  func close()
}

package enum BodyRead: Sendable {
  case bytes(Int)
  case nothingYet
  case end
}
