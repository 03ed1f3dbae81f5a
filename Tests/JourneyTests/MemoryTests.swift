import Foundation
import TestSupport
import Testing
import Workers

@Suite("What a process holds in its memory")
struct MemoryTests {
  @Test("No core file remains of the main process or its launcher, whatever the shell allows")
  func cores() async throws {
    let program = try Program()
    let shell = ["bash", "-c", "ulimit -c unlimited && cd \"$0\" && \"$@\"; echo \"ended $?\"", program.home.path]
    let serving = try program.start(["serve", "--no-open", "--port", "0"], through: shell)
    #expect(try await serving.waitFor { $0.contains("LiberaGPT is at") })
    let family = Processes.workers(of: serving.identifier)
    let main = try #require(family.first { Processes.program($0) == "libera" })
    let launcher = try #require(Processes.workers("launcher", of: main).first)
    for process in [launcher, main] {
      let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8).split(separator: "\n")
      let core = limits.first { $0.hasPrefix("Max core file size") }?.split(separator: " ").dropFirst(4).prefix(2)
      #expect(core.map(Array.init) == ["0", "0"])
      #expect(kill(process, SIGSEGV) == 0)
    }
    let outcome = try await serving.outcome()
    #expect(outcome.output.contains("ended 139"))
    #expect(!outcome.errors.contains("core dumped"))
    let left = try FileManager.default.contentsOfDirectory(atPath: program.home.path).filter { $0.hasPrefix("core") }
    #expect(left.isEmpty)
  }

  @Test("An ordinary user's other programs cannot read it, and everything still works")
  func readers() async throws {
    // Root may read every process; only another user's processes show what the lock does.
    let wrapper = try Ordinary.user()
    let program = try Program()
    try Ordinary.give(program.home)
    let serving = try program.start(["serve", "--no-open", "--port", "0"], through: wrapper)
    #expect(try await serving.waitFor { $0.contains("LiberaGPT is at") })
    let family = [serving.identifier] + Processes.workers(of: serving.identifier)
    let held = family.filter { ["libera", "libera-worker"].contains(Processes.program($0)) }
    #expect(held.count >= 2)
    for process in held {
      let look = try Ordinary.run(wrapper + ["cat", "/proc/\(process)/environ"])
      #expect(look != 0, "\(Processes.program(process) ?? "") can be read")
    }
    let doctor = try await program.run("doctor", "--json", through: wrapper)
    #expect(doctor.output.contains(#""workers":true"#), "\(doctor.output)")
    _ = try await serving.end()
  }
}

/// Somebody who is not root: this test's own user, or nobody where it is run by root.
private enum Ordinary {
  static let number = 65534

  /// What to put before a command so that an ordinary user runs it.
  static func user() throws -> [String] {
    guard geteuid() == 0 else { return [] }
    // It may read everywhere, because what is tested may lie in root's own folders. Reading memory is another right.
    let sight = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    return ["setpriv", "--reuid=\(number)", "--regid=\(number)", "--clear-groups"] + sight
  }

  static func give(_ folder: URL) throws {
    guard geteuid() == 0 else { return }
    try #require(try run(["chown", "-R", "\(number)", folder.path]) == 0)
  }

  static func run(_ words: [String]) throws -> Int32 { try Tool.run(words, isQuiet: true).status }
}
