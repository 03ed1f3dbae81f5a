import Core
import Foundation
import Safety
import TestSupport
import Testing
import Workers

@Suite("A sealed worker")
struct SealedTests {
  private func attempt(_ what: String, in worker: Worker) async throws -> Int32 {
    try await worker.ask("open", what, for: Int32.self)
  }

  @Test("It reports its locks by what it tried, and they are shut")
  func reports() async throws {
    let worker = try await echo()
    #expect(worker.seal.isSealed, "\(worker.seal.summary)")
    #expect(worker.seal.socketDenied == true)
    #expect(worker.seal.fileDenied == true)
    #expect(worker.seal.limits.shut, "\(worker.seal.limits.detail)")
    await worker.stop()
  }

  @Test(
    "It can open no socket, no file, start no program and change nothing",
    arguments: [
      "socket inet", "socket inet6", "socket unix", "chmod", "exec", "kill parent", "/etc/passwd", "/proc/1/environ",
      "write /tmp/libera-escape",
    ])
  func cannot(_ what: String) async throws {
    let worker = try await echo()
    let error = try await attempt(what, in: worker)
    #expect(error == EPERM || error == EACCES, "\(what) gave \(error)")
    await worker.stop()
  }

  @Test("No datagram leaves it by a local socket, whichever of the seals it has", arguments: [false, true])
  func datagrams(card: Bool) async throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(at: folder) }
    let mailbox = try Mailbox(folder.appending(path: "box"))
    let seal = SealSpecification(card ? .gpuEngine : .engine)
    let worker = try await Worker.start(.echo, seal: seal, environment: card ? [GraphicsCard.variable: "0"] : [:])
    #expect(worker.seal.profile == seal.profile)
    #expect(worker.seal.isSealed, "\(worker.seal.summary)")
    #expect(try await attempt("datagram \(mailbox.path)", in: worker) == EPERM)
    #expect(mailbox.isEmpty)
    await worker.stop()
  }

  @Test("Where no graphics card is nobody has the seal that reaches one")
  func narrowest() async throws {
    let hasDevices = ["/dev/dri/renderD128", "/dev/nvidiactl"].contains(where: FileManager.default.fileExists(atPath:))
    let worker = try await Worker.start(
      .echo, seal: SealSpecification(.gpuEngine), environment: [GraphicsCard.variable: ""])
    #expect(worker.seal.profile == (hasDevices ? .gpuEngine : .engine))
    await worker.stop()
  }

  @Test("With a graphics card it opens no socket, no file of the person's and no program, and asks nothing but cards")
  func card() async throws {
    let worker = try await Worker.start(
      .echo, seal: SealSpecification(.gpuEngine), environment: [GraphicsCard.variable: "0"])
    #expect(worker.seal.isSealed, "\(worker.seal.summary)")
    #expect(worker.seal.profile == .gpuEngine)
    #expect(worker.seal.socketDenied == true && worker.seal.fileDenied == true)
    for what in ["socket inet", "socket inet6", "socket unix", "chmod", "exec", "kill parent", "/etc/passwd"] {
      let error = try await attempt(what, in: worker)
      #expect(error == EPERM || error == EACCES, "\(what) gave \(error)")
    }
    await worker.stop()
  }

  @Test(
    "A call by the numbers of another interface ends the whole process, not one of its threads",
    arguments: ["x32 call", "32-bit call"])
  func foreign(_ call: String) async throws {
    #if arch(x86_64)
      let worker = try await echo()
      await #expect {
        _ = try await attempt(call, in: worker)
      } throws: {
        RemoteError($0).message.contains("SYS")
      }
    #endif
  }

  @Test(
    "It leaves no core file, and its memory is open to no other process", arguments: [SealSpecification.Profile.engine])
  func memory(_ profile: SealSpecification.Profile) async throws {
    let worker = try await echo(seal: SealSpecification(profile))
    #expect(try await attempt("memory closed", in: worker) == 0)
    await worker.stop()
  }

  @Test("What it was given it can open: a folder to read, a folder to write, a descriptor to open again")
  func can() async throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["read", "write", "other"] {
      try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: false)
      try Data(name.utf8).write(to: folder.appending(path: "\(name)/file"))
    }
    let single = folder.appending(path: "single")
    try Data("one".utf8).write(to: single)
    let open = try FileHandle(forReadingFrom: single)
    let seal = SealSpecification(
      readable: [folder.path + "/read"], writable: [folder.path + "/write"], memoryBytes: 1 << 30)
    let worker = try await echo(files: [open.fileDescriptor], seal: seal)
    #expect(worker.seal.isSealed, "\(worker.seal.summary)")
    #expect(try await attempt("\(folder.path)/read/file", in: worker) == 0)
    #expect(try await attempt("write \(folder.path)/write/new", in: worker) == 0)
    #expect(try await attempt(single.path, in: worker) == 0)
    #expect(try await attempt("write \(folder.path)/read/new", in: worker) == EACCES)
    #expect(try await attempt("\(folder.path)/other/file", in: worker) == EACCES)
    await worker.stop()
  }
}

/// A local socket for datagrams, and whether any has come.
final class Mailbox {
  let path: String
  private let descriptor: CInt

  init(_ file: URL) throws {
    path = file.path
    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    try #require(descriptor >= 0 && Sockets.bind(descriptor, to: file))
  }

  deinit { close(descriptor) }

  var isEmpty: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) < 0
  }
}
