import Core
import Foundation

/// Who may speak to this server, decided from the head alone.
///
/// A page anywhere on the internet can make a browser send requests to loopback, and a hostile name can point there (DNS
/// rebinding). So the host must be ours to the letter, and what a browser says about the calling page must name our own.
package struct RequestGate: Sendable {
  package let hosts: Set<String>
  /// Pages of others that a person has allowed to use what programs use, with a key.
  package let origins: Set<String>

  package init(port: UInt16, origins: Set<String> = []) {
    self.origins = origins
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
  }

  package func check(_ request: Request) throws {
    try checkShape(request)
    guard let host = request.headers["host"], hosts.contains(host) else { throw ServerError.foreignHost }
    guard request.path.hasPrefix("/") else { throw ServerError.badTarget }
    if guest(request) != nil { return }
    if let origin = request.headers["origin"] {
      guard origin == "http://\(host)" else { throw ServerError.foreignOrigin }
    }
    if let site = request.headers["sec-fetch-site"] {
      // "none" is an address the person typed or a link a program opened, and only ever a navigation.
      guard site == "same-origin" || (site == "none" && request.method == "GET") || isArrival(request) else {
        throw ServerError.foreignOrigin
      }
    }
  }

  /// The page of others that this comes from, where it is allowed to come. Nothing but what programs use is for it.
  package func guest(_ request: Request) -> String? {
    guard let origin = request.headers["origin"], origins.contains(origin), Self.isForPrograms(request.path) else {
      return nil
    }
    return origin
  }

  private static func isForPrograms(_ path: String) -> Bool {
    path.hasPrefix("/v1/") || path == "/mcp" || OllamaPath.has(path) || LlamaPath.has(path)
  }

  /// A browser asks before it sends what the page wants to send; the answer tells nothing that is not known there.
  static func welcome(_ request: Request) -> Response {
    var response = Response.empty(204)
    response.headers += [
      ("Access-Control-Allow-Methods", "GET, POST"),
      ("Access-Control-Allow-Headers", request.headers["access-control-request-headers"].map(plain) ?? "authorization"),
      ("Access-Control-Max-Age", "600"),
    ]
    if request.headers["access-control-request-private-network"] == "true" {
      response.headers.append(("Access-Control-Allow-Private-Network", "true"))
    }
    return response
  }

  private static func plain(_ names: String) -> String {
    String(names.prefix(1000).filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_, ".contains($0)) })
  }

  /// Somebody comes to the front door from elsewhere, as from the file that hands a browser over: the page is shown, whole and
  /// in a window of its own, and nothing behind it.
  private func isArrival(_ request: Request) -> Bool {
    request.method == "GET" && request.path == "/" && request.query.isEmpty && request.headers["origin"] == nil
      && request.headers["sec-fetch-site"] == "cross-site" && request.headers["sec-fetch-mode"] == "navigate"
      && request.headers["sec-fetch-dest"] == "document"
  }

  /// What can be read in two ways is not read at all: another reader of the same bytes might see another request.
  private func checkShape(_ request: Request) throws {
    if let name = request.repeated.intersection(Self.single).sorted().first {
      throw ServerError.ambiguous("\(name) comes twice")
    }
    guard request.headers.keys.allSatisfy(Self.isName) else { throw ServerError.ambiguous("a header's name is none") }
    let (length, coding) = (request.headers["content-length"], request.headers["transfer-encoding"])
    if length != nil, coding != nil { throw ServerError.ambiguous("content-length beside transfer-encoding") }
    if let length, Int(length) == nil || !length.utf8.allSatisfy({ (48...57).contains($0) }) {
      throw ServerError.ambiguous("content-length is no number")
    }
    // By bytes: Swift makes a k of the sign for kelvin.
    if let coding, !coding.utf8.map({ $0 | 0x20 }).elementsEqual("chunked".utf8) {
      throw ServerError.ambiguous("transfer-encoding is not chunked")
    }
  }

  /// A space before the colon, for one, makes it a header to some and none to others.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        (48...57).contains($0) || (97...122).contains($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
  }

  /// The headers that mean one thing, so that a second one contradicts the first.
  private static let single: Set = [
    "host", "origin", "authorization", "x-api-key", "content-type", "content-length", "transfer-encoding",
    "content-encoding",
    "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "idempotency-key", "last-event-id", "expect", "range",
    "user-agent",
  ]

  /// Whether no form of a page elsewhere can have sent this body: it is declared as JSON, which forms cannot do, or comes with a
  /// key in a header that no page can add unasked. Ollama's examples for curl declare nothing.
  static func isSentOnPurpose(_ request: Request, by caller: Caller) -> Bool {
    if mediaType(request) == "application/json" { return true }
    guard case .key = caller else { return false }
    return request.headers["authorization"]?.lowercased().hasPrefix("basic") != true
  }

  /// The media type of a body, without its parameters.
  package static func mediaType(_ request: Request) -> String? {
    request.headers["content-type"]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
  }
}
