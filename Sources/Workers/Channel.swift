import CLinux
import Core
import Foundation

/// Frames over one connected socket, blocking: one thread reads, any thread may write. Owns the descriptor.
package final class Channel: Sendable {
  package let socket: CInt
  private let writing = NSLock()
  /// What has arrived and is not yet a whole frame.
  // Only the one reading thread touches it; the type cannot say so.
  private nonisolated(unsafe) var arrived = Arrived()

  private struct Arrived {
    var bytes = Data()
    var start = 0
    var files: [CInt] = []
  }

  package init(_ socket: CInt) { self.socket = socket }

  deinit {
    for file in arrived.files { close(file) }
    close(socket)
  }

  /// Ends the conversation in both directions; a thread blocked in `read` or `write` comes back.
  package func shut() { shutdown(socket, CInt(SHUT_RDWR)) }

  /// Says that nothing more will be sent; what the other side still sends can be read.
  package func finish() { shutdown(socket, CInt(SHUT_WR)) }

  package func write(_ frame: WireFrame) throws {
    try frame.payload.withUnsafeBytes { try write(frame.kind, request: frame.request, $0, files: frame.files) }
  }

  /// One system call for header and payload, unless the socket is full.
  package func write(
    _ kind: WireFrame.Kind, request: UInt64,
    _ payload: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    files: [CInt] = []
  ) throws {
    let header = try WireFrame.Header(kind, request: request, length: payload.count, descriptors: files.count)
    try withUnsafeTemporaryAllocation(byteCount: WireFrame.headerBytes, alignment: 8) { head in
      header.write(to: head)
      writing.lock()
      defer { writing.unlock() }
      var sent = 0
      let total = head.count + payload.count
      while sent < total {
        let rest = UnsafeRawBufferPointer(rebasing: head[min(sent, head.count)...])
        let body = UnsafeRawBufferPointer(rebasing: payload[max(0, sent - head.count)...])
        let pieces = [piece(rest), piece(body)]
        let count = libera_send(socket, pieces, 2, files, sent == 0 ? CInt(files.count) : 0)
        guard count > 0 else { throw WorkerError.socket(systemReason()) }
        sent += count
      }
    }
  }

  /// The next frame; nil once the other side has gone. Its descriptors then belong to the caller.
  package func read() throws -> WireFrame? {
    while true {
      if let frame = try takeFrame() { return frame }
      guard try receive() else { return nil }
    }
  }

  /// A frame that has already arrived in whole.
  package func takeFrame() throws -> WireFrame? {
    let available = arrived.bytes.count - arrived.start
    guard available >= WireFrame.headerBytes else { return nil }
    let header = try arrived.bytes.withUnsafeBytes {
      try WireFrame.Header(
        reading: UnsafeRawBufferPointer(rebasing: $0[arrived.start..<(arrived.start + WireFrame.headerBytes)]))
    }
    guard available >= WireFrame.headerBytes + header.length else { return nil }
    guard arrived.files.count >= header.descriptors else {
      throw WorkerError.malformed("a frame whose descriptors did not come with it")
    }
    let from = arrived.start + WireFrame.headerBytes
    let payload = arrived.bytes.withUnsafeBytes { Data($0[from..<(from + header.length)]) }
    let files = Array(arrived.files.prefix(header.descriptors))
    arrived.files.removeFirst(header.descriptors)
    arrived.start = from + header.length
    if arrived.start == arrived.bytes.count {
      arrived.bytes.removeAll(keepingCapacity: arrived.bytes.count <= 1 << 20)
      arrived.start = 0
    }
    return WireFrame(header.kind, request: header.request, payload: payload, files: files)
  }

  /// Waits for more bytes; false at the end of the stream.
  package func receive() throws -> Bool {
    if arrived.start > 0 {
      arrived.bytes.removeSubrange(0..<arrived.start)
      arrived.start = 0
    }
    let room = WireFrame.mostDescriptors * 4
    guard arrived.files.count < room else { throw WorkerError.malformed("descriptors that belong to no frame") }
    var files = [CInt](repeating: -1, count: WireFrame.mostDescriptors * 2)
    var fileCount = CInt(files.count)
    let received = try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
      let count = libera_receive(socket, buffer.baseAddress, buffer.count, &files, &fileCount)
      let reason = errno
      arrived.files.append(contentsOf: files.prefix(Int(fileCount)))
      if count > 0 { arrived.bytes.append(contentsOf: buffer[..<count]) }
      guard count >= 0 || reason == ECONNRESET else { throw WorkerError.socket(systemReason(reason)) }
      return count
    }
    return received > 0
  }

  private func piece(_ bytes: UnsafeRawBufferPointer) -> iovec {
    iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
  }
}
