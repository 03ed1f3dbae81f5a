import Foundation

/// Where something may be fetched from: https, or http to this machine itself. Numeric addresses and "localhost" only, so that no name
/// can point elsewhere.
package enum WebAddress {
  package static let longest = 2048

  package static func isAllowed(_ text: String) -> Bool {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil else {
      return false
    }
    return parts.scheme == "https" || (parts.scheme == "http" && isThisMachine(text))
  }

  package static func isThisMachine(_ text: String) -> Bool {
    ["127.0.0.1", "localhost", "[::1]", "::1"].contains(URLComponents(string: text)?.host ?? "")
  }

  /// Letters, digits and signs alone, so that nobody reads it in another way.
  package static func isPlain(_ text: String) -> Bool {
    text.utf8.count <= longest && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }
  }

  /// Whether both are the same server: scheme, host and port.
  package static func sameServer(_ one: String, _ other: String) -> Bool {
    guard let one = URLComponents(string: one), let other = URLComponents(string: other), other.user == nil,
      other.host != nil
    else { return false }
    func port(_ parts: URLComponents) -> Int { parts.port ?? (parts.scheme?.lowercased() == "https" ? 443 : 80) }
    return one.scheme?.lowercased() == other.scheme?.lowercased() && one.host?.lowercased() == other.host?.lowercased()
      && port(one) == port(other)
  }
}
