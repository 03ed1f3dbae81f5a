import CHTTP
import Core
import Foundation

/// Bound loopback sockets, opened before the process seals itself and served from afterwards.
package struct LoopbackSockets: Sendable {
  package let port: UInt16
  /// False where the system has no IPv6; then nobody else can hold the name localhost there either.
  package let hasIPv6: Bool
  let sockets: [CInt]

  /// The wanted port or the next one free on both loopback addresses. Port 0 takes any.
  ///
  /// Both, because a stranger's program on the other one would receive what is sent to "localhost".
  package static func open(port wanted: UInt16 = 4242, attempts: UInt16 = 20) throws -> LoopbackSockets {
    let last = wanted == 0 ? 0 : UInt16(min(65535, Int(wanted) + Int(attempts) - 1))
    for port in wanted...last {
      for _ in 0..<(port == 0 ? 20 : 1) {
        if let found = try pair(port) { return found }
      }
    }
    throw ServerError.portsTaken(first: wanted, last: last)
  }

  private static func pair(_ port: UInt16) throws -> LoopbackSockets? {
    var bound: UInt16 = 0
    let four = libera_http_listen(port, 0, &bound)
    if four == -EADDRINUSE { return nil }
    guard four >= 0 else { throw ServerError.notListening(systemReason(-four)) }
    var boundSix: UInt16 = 0
    let six = libera_http_listen(bound, 1, &boundSix)
    if six >= 0 { return LoopbackSockets(port: bound, hasIPv6: true, sockets: [four, six]) }
    if six == -EAFNOSUPPORT || six == -EADDRNOTAVAIL {
      return LoopbackSockets(port: bound, hasIPv6: false, sockets: [four])
    }
    close(four)
    if six == -EADDRINUSE { return nil }
    throw ServerError.notListening(systemReason(-six))
  }
}
