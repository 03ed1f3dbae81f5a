import Foundation

/// Who may speak to this server, decided from the head alone.
///
/// A page anywhere on the internet can make a browser send requests to loopback, and a hostile name can point there (DNS
/// rebinding). So the host must be ours to the letter, and what a browser says about the calling page must name our own.
package struct Gate: Sendable {
  package let hosts: Set<String>

  package init(port: UInt16) {
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
  }

  package func check(_ request: Request) throws {
    guard let host = request.headers["host"], !request.repeated.contains("host"), hosts.contains(host) else {
      throw ServerError.foreignHost
    }
    guard request.path.hasPrefix("/") else { throw ServerError.badTarget }
    if let origin = request.headers["origin"] {
      guard !request.repeated.contains("origin"), origin == "http://\(host)" else { throw ServerError.foreignOrigin }
    }
    if let site = request.headers["sec-fetch-site"] {
      // "none" is an address the person typed or a link a program opened, and only ever a navigation.
      guard site == "same-origin" || (site == "none" && request.method == "GET") else {
        throw ServerError.foreignOrigin
      }
    }
    guard !request.repeated.contains("authorization"), !request.repeated.contains("content-type"),
      !request.repeated.contains("cookie")
    else { throw ServerError.badTarget }
  }

  /// The media type of a body, without its parameters.
  package static func mediaType(_ request: Request) -> String? {
    request.headers["content-type"]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
  }
}
