import CLinux
import Core
import Foundation
import Synchronization
import Workers

/// Does nothing useful, so that what carries the useful engines can be tested and measured.
final class EchoEngine: Engine {
  private struct Question: Decodable { var name: String; var place: Probe.Place }
  private struct Spin: Decodable { var pieces: Int; var bytes: Int }
  private struct Bound: Decodable { var milliseconds: Int; var bytes: Int; var swells: Bool }

  private let adjustment = Mutex(Data())
  private var kept: [[UInt8]] = []

  func handle(_ call: Call, _ reply: some ReplySink) throws {
    switch call.operation {
    case "echo": try call.body.withUnsafeBytes { try reply.bytes($0) }
    case "spin": try spin(call, reply)
    case "clock": try tick(try call.decode(Int.self), reply)
    case "sleep": try sleep(call, reply)
    case "deaf":
      // Never looks at the flag.
      try reply.event("deaf")
      while true { Thread.sleep(forTimeInterval: 1) }
    case "swell": try swell(call, reply)
    case "take":
      // So many megabytes that are written to and kept.
      for _ in 0..<(try call.decode(Int.self)) { kept.append([UInt8](repeating: 1, count: 1 << 20)) }
      try reply.event(kept.count)
    case "crash":
      FileHandle.standardError.write(Data("about to abort\n".utf8))
      abort()
    case "parse": try flood(call, reply)
    case "complain":
      // At whatever length it likes.
      let words = String(repeating: "x", count: try call.decode(Int.self))
      throw RemoteError(code: words, message: words, remedy: words)
    case "number": try reply.event(try call.decode(Double.self))
    case "garbage":
      FileHandle(fileDescriptor: 3).write(Data(repeating: 0xEE, count: 64))
      Thread.sleep(forTimeInterval: 60)
    case "read":
      // What stands in the files handed over.
      for file in call.files {
        let text = try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data()
        try text.withUnsafeBytes { try reply.bytes($0) }
      }
    case "environment": try reply.event(ProcessInfo.processInfo.environment.keys.sorted())
    case "open": try reply.event(EchoEngine.attempt(try call.decode(String.self)))
    case "probes": try reply.event(Probe.all.map(\.name))
    case "probe":
      let question = try call.decode(Question.self)
      try reply.event(Probe.run(question.name, question.place)?.rawValue ?? "unknown")
    default: throw WorkerError.unknownOperation(call.operation)
    }
  }

  /// So many pieces of so many bytes, as fast as they go.
  private func spin(_ call: Call, _ reply: some ReplySink) throws {
    let spin = try call.decode(Spin.self)
    let piece = [UInt8](repeating: 0x61, count: spin.bytes)
    for _ in 0..<spin.pieces {
      if call.cancelled.isSet { throw CancellationError() }
      try piece.withUnsafeBytes { try reply.bytes($0) }
    }
  }

  /// Pages of a document, whatever the window is that they should keep to; then it waits.
  private func flood(_ call: Call, _ reply: some ReplySink) throws {
    for number in 1...300 { try reply.event(FloodedPage(page: ["_0": .init(number: number)])) }
    while !call.cancelled.isSet { Thread.sleep(forTimeInterval: 0.002) }
    throw CancellationError()
  }

  /// One piece per millisecond, each the time it was sent, as tokens come from a model.
  private func tick(_ count: Int, _ reply: some ReplySink) throws {
    for _ in 0..<count {
      Thread.sleep(forTimeInterval: 0.001)
      try withUnsafeBytes(of: EchoEngine.now()) { try reply.bytes($0) }
    }
  }

  /// Until cancelled; says first that it has begun, and what it was adjusted to.
  private func sleep(_ call: Call, _ reply: some ReplySink) throws {
    try reply.event("asleep")
    var last = Data()
    while !call.cancelled.isSet {
      Thread.sleep(forTimeInterval: 0.002)
      let now = adjustment.withLock { $0 }
      if now != last { try now.withUnsafeBytes { try reply.bytes($0) } }
      last = now
    }
    throw CancellationError()
  }

  /// Takes more and more memory, a megabyte at a time, within the bounds for work that does not look up.
  private func swell(_ call: Call, _ reply: some ReplySink) throws {
    let bound = try call.decode(Bound.self)
    let refusal: @Sendable () -> any Error = { WorkerError.badRequest("it would not end") }
    try call.cancelled.bounded(.milliseconds(bound.milliseconds), bytes: bound.bytes, else: refusal) {
      var all: [[UInt8]] = []
      while true {
        if bound.swells { all.append([UInt8](repeating: UInt8(truncatingIfNeeded: all.count), count: 1 << 20)) }
        Thread.sleep(forTimeInterval: 0.0005)
        if all.count > 1 << 20 { try reply.event(all.count) }
      }
    }
  }

  /// Nanoseconds on a clock that all processes share.
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  func adjust(_ body: Data) { adjustment.withLock { $0 = body } }

  /// Tries something a sealed process must not do; the error's number, or 0.
  static func attempt(_ what: String) -> Int32 {
    errno = 0
    let result =
      switch what {
      case "socket inet": socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      case "socket inet6": socket(AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
      case "socket unix": socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      case "chmod": chmod("/tmp", 0o1777)
      case "kill parent": kill(getppid(), 0)
      case "exec":
        execl("/bin/true")
      case "x32 call": Int32(truncatingIfNeeded: libera_x32_call())
      case "32-bit call": Int32(truncatingIfNeeded: libera_32bit_call())
      case "memory closed": memoryIsClosed()
      case _ where what.hasPrefix("datagram "): datagram(to: String(what.dropFirst(9)))
      default:
        what.hasPrefix("write ") ? open(String(what.dropFirst(6)), O_WRONLY | O_CREAT, 0o600) : open(what, O_RDONLY)
      }
    return result < 0 ? errno : 0
  }

  private static func memoryIsClosed() -> Int32 {
    if libera_memory_is_closed() == 1 { return 0 }
    errno = EACCES
    return -1
  }

  private static func datagram(to path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { return -1 }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path.utf8CString.withUnsafeBytes($0.copyBytes) }
    let sent = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, "out", 3, 0, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return sent < 0 ? -1 : 0
  }

  private static func execl(_ path: String) -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
    return execv(path, &arguments)
  }
}

/// A page of a document, as a parse worker tells it.
private struct FloodedPage: Encodable {
  struct Kind: Encodable { var paragraph: [String: Int] = [:] }
  struct Block: Encodable {
    var kind = Kind()
    var text = String(repeating: "a", count: 1 << 20)
  }
  struct Page: Encodable {
    var number: Int
    var width = 0
    var height = 0
    var blocks = [Block()]
  }
  var page: [String: Page]
}
