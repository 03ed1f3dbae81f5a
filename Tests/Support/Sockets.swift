package import Foundation

/// Sockets of a test's own, by their place in the file system or their port of this machine.
package enum Sockets {
  package static func bind(_ socket: CInt, to file: URL) -> Bool {
    at(file.path) { Foundation.bind(socket, $0, $1) == 0 }
  }

  package static func connect(_ socket: CInt, to file: URL) -> Bool {
    at(file.path) { Foundation.connect(socket, $0, $1) == 0 }
  }

  package static func connect(_ socket: CInt, toPort port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return withAddress(&address) { Foundation.connect(socket, $0, $1) == 0 }
  }

  private static func at(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path.utf8CString.withUnsafeBytes($0.copyBytes) }
    return withAddress(&address, call)
  }

  private static func withAddress<Address>(
    _ address: inout Address, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }
}
