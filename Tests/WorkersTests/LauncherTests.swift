import Core
import Foundation
import Safety
import Testing
import Workers

@Suite("The launcher")
struct LauncherTests {
  @Test("It starts a worker with a network that writes into its staging folder and nowhere else, and counts it")
  func starts() async throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(at: folder) }
    let launcher = try Launcher(offline: false)
    #expect(try await launcher.count() == LauncherMessages.Count())
    let worker = try await launcher.start(.echo, seal: SealSpecification(.fetch, writable: [folder.path]))
    #expect(worker.seal.isSealed, "\(worker.seal.summary)")
    #expect(worker.seal.socketDenied == nil)
    func attempt(_ what: String) async throws -> Int32 { try await worker.ask("open", what, for: Int32.self) }
    #expect(try await attempt("socket inet") == 0)
    #expect(try await attempt("write \(folder.path)/part") == 0)
    #expect(try await attempt("write /tmp/libera-escape") == EACCES)
    #expect(try await attempt("/proc/1/cmdline") == EACCES)
    #expect(try await attempt(NSHomeDirectory()) == EACCES)
    #expect(try await launcher.count().connected == 1)
    await worker.stop()
    #expect(!isRunning(worker.process))
    await launcher.stop()
  }

  @Test("The end of a worker it started is told with its reason")
  func dies() async throws {
    let launcher = try Launcher(offline: false)
    let worker = try await launcher.start(.echo, seal: SealSpecification(.fetch))
    await #expect {
      try await collect(worker.call("crash", ""))
    } throws: {
      RemoteError($0).message.contains("ABRT")
    }
    await launcher.stop()
  }

  @Test("Offline it starts nothing, says so, and counts the refusal")
  func offline() async throws {
    let launcher = try Launcher(offline: true)
    await #expect {
      try await launcher.start(.fetch, seal: SealSpecification(.fetch))
    } throws: {
      RemoteError($0).code == "offline"
    }
    await #expect {
      try await launcher.browse(try #require(URL(string: "http://127.0.0.1:1/")))
    } throws: {
      RemoteError($0).code == "offline"
    }
    let count = try await launcher.count()
    #expect(count.connected == 0 && count.browsers == 0 && count.refusedOffline == 2 && count.offline)
    await launcher.stop()
  }

  @Test(
    "It opens pages of this device only",
    arguments: ["https://example.org/", "file:///etc/passwd", "http://127.0.0.1.example.org/", "http://a@127.0.0.1/"])
  func foreign(_ address: String) async throws {
    let launcher = try Launcher(offline: false)
    await #expect {
      try await launcher.browse(try #require(URL(string: address)))
    } throws: {
      RemoteError($0).code == "bad_request"
    }
    #expect(try await launcher.count().browsers == 0)
    await launcher.stop()
  }

  @Test("When it ends, the workers it started end with it")
  func ends() async throws {
    let launcher = try Launcher(offline: false)
    let worker = try await launcher.start(.echo, seal: SealSpecification(.fetch))
    var (_, call) = try await first(worker.call("deaf", ""))
    await launcher.stop()
    await #expect(throws: (any Error).self) { while try await call.next() != nil {} }
    #expect(!worker.isAlive)
  }
}
