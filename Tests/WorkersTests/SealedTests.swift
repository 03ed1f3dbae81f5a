import Core
import Foundation
import Safety
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
