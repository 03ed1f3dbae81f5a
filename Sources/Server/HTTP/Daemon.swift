import CHTTP
import Core
import Foundation
import Resources
import Synchronization

/// libmicrohttpd on the bound loopback sockets, one event-driven thread each.
final class Daemon: Sendable {
  let desk: any ExchangeDesk
  private let bounds: Bounds
  let lines: ClientConnections
  let requests: RequestCount
  let long = Scheduler(cores: 1)
  /// Where what is handed over is written, so that the thread of all connections waits for no disk.
  let disk = DispatchQueue(label: "libera.server.disk")
  private let exchanges = Mutex<[ObjectIdentifier: Exchange]>([:])
  // Pointers of the C library, started and stopped once under the lock.
  private let running = Mutex<[UInt]>([])
  private let stopping = Atomic(false)

  init(desk: any ExchangeDesk, bounds: Bounds) {
    self.desk = desk
    self.bounds = bounds
    lines = ClientConnections(limit: bounds.connections)
    requests = RequestCount(bounds)
  }

  /// The listeners belong to the daemon from here on. It is kept alive until `stop`.
  func start(on listeners: [CInt]) throws {
    for listener in listeners {
      let context = Unmanaged.passRetained(self).toOpaque()
      let started = libera_http_start(
        listener, UInt32(bounds.connections + 256), UInt32(max(1, bounds.idleSeconds)), 32768, context, onRequest,
        onCompleted, onConnection)
      guard let started else {
        Unmanaged<Daemon>.fromOpaque(context).release()
        throw ServerError.notListening(systemReason())
      }
      running.withLock { $0.append(UInt(bitPattern: started)) }
    }
  }

  /// Ends every connection; afterwards no callback comes any more.
  func stop() {
    stopping.store(true, ordering: .sequentiallyConsistent)
    let daemons = running.withLock { list -> [UInt] in
      defer { list = [] }
      return list
    }
    for daemon in daemons {
      let listener = MHD_quiesce_daemon(OpaquePointer(bitPattern: daemon))
      if listener >= 0 { close(listener) }
    }
    for exchange in exchanges.withLock({ Array($0.values) }) { exchange.abandon() }
    for daemon in daemons {
      MHD_stop_daemon(OpaquePointer(bitPattern: daemon))
      Unmanaged.passUnretained(self).release()
    }
  }

  /// Whether anybody has not been given all of an answer.
  var owes: Bool { exchanges.withLock { Array($0.values) }.contains { $0.owes } }

  var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

  /// `holds`: whether somebody who was let in still would be.
  func inspect(holds: (Caller) -> Bool) { lines.inspect(idleSeconds: bounds.idleSeconds, holds: holds) }

  fileprivate func began(_ connection: OpaquePointer, _ request: Request) -> Exchange? {
    guard let context = libera_http_context(connection) else { return nil }
    let line = Unmanaged<ClientConnection>.fromOpaque(context).takeUnretainedValue()
    let exchange = Exchange(connection, line: line, daemon: self, request: request)
    exchanges.withLock { $0[ObjectIdentifier(exchange)] = exchange }
    return exchange
  }

  fileprivate func ended(_ exchange: Exchange) {
    exchanges.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(exchange)) }
    exchange.completed()
  }
}

// The C library calls these on its own threads, so they are plain functions outside of any actor.

private func onConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
  guard let context, let connection, let slot else { return }
  let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
  if code == .CONNECTION_NOTIFY_STARTED {
    let line = ClientConnection(socket: libera_http_socket(connection))
    slot.pointee = Unmanaged.passRetained(line).toOpaque()
    daemon.lines.add(line)
  } else if let known = slot.pointee {
    daemon.lines.remove(Unmanaged<ClientConnection>.fromOpaque(known).takeRetainedValue())
    slot.pointee = nil
  }
}

private func onRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
  _ uploaded: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let path, let method, let uploaded, let slot else { return .NO }
  guard let known = slot.pointee else {
    let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
    let request = head(of: connection, method: String(cString: method), path: String(cString: path))
    guard let exchange = daemon.began(connection, request) else { return .NO }
    slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return exchange.begin()
  }
  let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
  guard uploaded.pointee > 0 else { return exchange.proceed() }
  defer { uploaded.pointee = 0 }
  return exchange.receive(UnsafeRawBufferPointer(start: upload, count: uploaded.pointee))
}

private func onCompleted(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let context, let slot, let known = slot.pointee else { return }
  slot.pointee = nil
  Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
    .ended(Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue())
}

private func head(of connection: OpaquePointer, method: String, path: String) -> Request {
  var request = Request(method: method, path: path)
  withUnsafeMutablePointer(to: &request) { pointer in
    MHD_get_connection_values(connection, .HEADER_KIND, onHeader, pointer)
    MHD_get_connection_values(connection, .GET_ARGUMENT_KIND, onQuery, pointer)
  }
  return request
}

private func onHeader(
  _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let request = context?.assumingMemoryBound(to: Request.self), let name else { return .NO }
  let written = String(cString: name)
  // One that is not plain stays as it is, and is refused: Swift makes a k of the sign for kelvin.
  let key = written.utf8.allSatisfy { $0 < 0x80 } ? written.lowercased() : written
  let text = value.map { String(cString: $0) } ?? ""
  if request.pointee.headers.updateValue(text, forKey: key) != nil { request.pointee.repeated.insert(key) }
  return .YES
}

private func onQuery(
  _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let request = context?.assumingMemoryBound(to: Request.self), let name else { return .NO }
  request.pointee.query[String(cString: name)] = value.map { String(cString: $0) } ?? ""
  return .YES
}
