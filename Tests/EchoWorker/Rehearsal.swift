import Core
import Foundation
import Safety
import Synchronization
import Workers

/// Becomes a worker that stands for any other in tests, or rehearses a role; never returns. `told`: the seal, where the launcher says it.
func start(_ role: String, _ told: String?) -> Never {
  if role == "rehearse-probe" { rehearseProbe() }
  if role.hasPrefix("rehearse-") { rehearse(role) }
  do {
    let seal = try told.map { try JSON.decode(SealSpecification.self, from: Data($0.utf8)) }
    Host.run(kind: role, seal: seal, reachesCard: { true }, engine: { _ in EchoEngine() })
  } catch { fail(error) }
}

/// What only a process of its own can show: a parent that is killed, a main process that seals itself.
func rehearse(_ role: String) -> Never {
  let launcher: Launcher?
  let files: SealReport.Lock
  do {
    let folders = Folders(home: rehearsalFolder)
    if role == "rehearse-main" { try Folders.make(folders.packs.appending(path: ".staging")) }
    launcher = role == "rehearse-main" ? try Launcher(folders) : nil
    files =
      role == "rehearse-main"
      ? try Seal.keep(
        HouseReach(
          writable: [FileManager.default.temporaryDirectory.path],
          programs: [WorkerProgram.find(), WorkerProgram.find(.echo)]))
      : .open("not asked for")
  } catch { fail(error) }
  Task {
    do {
      switch role {
      case "rehearse-parent": try await parent()
      case "rehearse-latency": try await latency()
      default: if let launcher { try await sealedMain(launcher, files) }
      }
      exit(EX_OK)
    } catch { fail(error) }
  }
  while true { sleep(1000) }
}

/// What somebody who had taken the main process over could do. Two folders, a socket and a process follow the role.
func rehearseProbe() -> Never {
  let words = CommandLine.arguments
  do {
    guard words.count == 6, let other = Int(words[5]) else { throw POSIXError(.EINVAL) }
    try probeMain(Probe.Place(own: words[2], home: words[3], mailbox: words[4], other: other))
    exit(EX_OK)
  } catch { fail(error) }
}

private var rehearsalFolder: URL {
  FileManager.default.temporaryDirectory.appending(path: "libera-rehearsal-\(getpid())")
}

/// Starts a worker, keeps it busy, prints its number, and waits to be killed.
private func parent() async throws {
  let worker = try await Worker.start(.echo, seal: SealSpecification())
  for try await _ in worker.call("deaf", "") { say("\(worker.process)") }
}

/// What a token costs between the two processes: microseconds, one line of JSON.
private func latency() async throws {
  struct Spin: Encodable { var pieces: Int, bytes: Int }
  let worker = try await Worker.start(.echo, seal: SealSpecification())
  func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  // From the worker's write to the consumer holding the piece, at a model's pace.
  var paced: [Double] = []
  for try await case .bytes(let sent) in worker.call("clock", 1000) {
    let now = EchoEngine.now()
    paced.append(Double(now - sent.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }) / 1000)
  }
  // The whole cost of a piece, both processes together, when they follow each other without a pause.
  var burst: [Double] = []
  for _ in 0..<15 {
    let began = EchoEngine.now()
    for try await _ in worker.call("spin", Spin(pieces: 2000, bytes: 4)) {}
    burst.append(Double(EchoEngine.now() - began) / 1000 / 2000)
  }
  // A call and its answer: there and back.
  var calls: [Double] = []
  for _ in 0..<1000 {
    let began = EchoEngine.now()
    for try await _ in worker.call("echo", 1) {}
    calls.append(Double(EchoEngine.now() - began) / 1000)
  }
  await worker.stop()
  let result = [
    "token_delivery_median": median(paced), "token_delivery_p95": paced.sorted()[paced.count * 95 / 100],
    "token_cost_median": median(burst), "call_round_trip_median": median(calls),
  ]
  say(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
}

/// What the main process does at its start and what it can and cannot do afterwards, one line of JSON.
private func sealedMain(_ launcher: Launcher, _ files: SealReport.Lock) async throws {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  try withAddress(&address) { pointer, length in
    guard bind(listener, pointer, length) == 0, listen(listener, 4) == 0 else { throw POSIXError(.EADDRINUSE) }
  }
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  _ = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
  }
  let older = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  let elsewhere = InOtherThread()

  let report = Seal.main(files: files)

  let worker = try await Worker.start(.echo, seal: SealSpecification())
  let networked = try await launcher.start(.echo)
  let connect = withAddress(&address) { connectOlder(older, $0, $1) }
  let count = try await launcher.count()
  let result: [String: Int] = [
    "port": Int(UInt16(bigEndian: address.sin_port)),
    "sealed": report.isSealed ? 1 : 0,
    "socket in this thread": Int(EchoEngine.attempt("socket inet")),
    "socket in another thread": Int(elsewhere.attempt("socket inet6")),
    "unix socket": Int(EchoEngine.attempt("socket unix")),
    "connect an older socket": Int(connect),
    "a listener connects with its first word": Int(leave(over: older, &address)),
    "worker sealed": worker.seal.isSealed ? 1 : 0,
    "socket beyond the launcher": Int(try await networked.ask("open", "socket inet", for: Int32.self)),
    "connected": count.connected,
  ]
  say(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
  let client = accept(listener, nil, nil)
  _ = "served".withCString { write(client, $0, 6) }
  close(client)
  await worker.stop()
  await networked.stop()
  await launcher.stop()
  try FileManager.default.removeItem(at: rehearsalFolder)
}

/// A thread that exists before the process is sealed.
private final class InOtherThread: Sendable {
  private let asked = DispatchSemaphore(value: 0)
  private let answered = DispatchSemaphore(value: 0)
  private let what = Mutex("")
  private let result = Mutex(Int32(-1))

  init() {
    Thread.detachNewThread { [self] in
      asked.wait()
      let error = EchoEngine.attempt(what.withLock { $0 })
      result.withLock { $0 = error }
      answered.signal()
    }
  }

  func attempt(_ what: String) -> Int32 {
    self.what.withLock { $0 = what }
    asked.signal()
    answered.wait()
    return result.withLock { $0 }
  }
}

private func connectOlder(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  connect(descriptor, address, length) == 0 ? 0 : errno
}

/// MSG_FASTOPEN: over TCP this connects without a call of connect.
private func leave(over descriptor: Int32, _ address: inout sockaddr_in) -> Int32 {
  withAddress(&address) { sendto(descriptor, "out", 3, 0x2000_0000, $0, $1) } < 0 ? errno : 0
}

private func withAddress<Result>(
  _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
) rethrows -> Result {
  try withUnsafePointer(to: &address) {
    try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}

private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

private func fail(_ error: any Error) -> Never {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(EX_SOFTWARE)
}
