import Foundation
import Testing

@Suite("One owner per data folder", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct OneOwnerTests {
  static let long = ["ask", "Tell me a very long story about the sea.", "--mode", "deep"]

  @Test(
    "Questions beside a running server or conversation are answered by it: one model in total",
    arguments: [
      ["serve", "--no-open"], ["chat"],
    ])
  func shared(words: [String]) async throws {
    let program = try Program(withPacks: true)
    let owner = try program.start(words + program.heated())
    #expect(try await eventually { try Self.owner(of: program) == owner.identifier })
    let ask = try program.start(Self.long)
    #expect(try await ask.waitFor { !$0.isEmpty })
    #expect(Processes.workers("chat", of: owner.identifier).count == 1)
    #expect(Processes.workers("chat", of: ask.identifier).isEmpty)
    ask.send(signal: SIGINT)
    #expect(try await ask.outcome().status == 130)
    #expect(try await !program.run("ask", "What is the capital of France?").output.isEmpty)
    #expect(Processes.workers("chat", of: owner.identifier).count == 1)
    let workers = Processes.workers(of: owner.identifier)
    if words[0] == "serve" {
      // It answers its owner's questions before its page is there, and listens to signals from then on.
      #expect(try await owner.waitFor { !$0.isEmpty })
      owner.send(signal: SIGTERM)
    }
    #expect(try await owner.outcome().status == 0)
    #expect(try await eventually { !workers.contains(where: Processes.isAlive) })
  }

  @Test("A worker killed in the middle of an answer leaves what was written and says so; the next one is given")
  func workerKilled() async throws {
    let program = try Program(withPacks: true)
    let owner = try program.start(["serve", "--no-open"] + program.heated())
    #expect(try await eventually { try Self.owner(of: program) == owner.identifier })
    let ask = try program.start(Self.long)
    #expect(try await ask.waitFor { !$0.isEmpty })
    let worker = try #require(Processes.workers("chat", of: owner.identifier).first)
    kill(worker, SIGKILL)
    let outcome = try await ask.outcome()
    #expect(outcome.status == 0)
    #expect(!outcome.output.isEmpty)
    #expect(outcome.errors.contains("The answer ends here"))
    #expect(outcome.errors.contains("signal KILL"))
    #expect(try await !program.run("ask", "What is the capital of France?").output.isEmpty)
    #expect(!Processes.workers("chat", of: owner.identifier).contains(worker))
    let log = try await program.run("log", "--json")
    let died = try log.objects.filter { $0["code"] as? String == "worker_died" }
    #expect(died.compactMap { $0["subsystem"] as? String } == ["inference"])
    #expect(try await owner.waitFor { !$0.isEmpty })
    #expect(try await owner.end().status == 0)
  }

  @Test("A server that is asked to end in the moment in which it says where it is ends, and in order")
  func askedAtOnce() async throws {
    for _ in 0..<5 {
      let program = try Program()
      let process = Process()
      let output = Pipe()
      process.executableURL = try Program.binary
      process.arguments = ["serve", "--no-open", "--json", "--home", program.home.path]
      process.environment = program.environment
      process.standardOutput = output
      try process.run()
      defer { if process.isRunning { process.terminate() } }
      // Read as it is written: no time passes in between.
      let owner = process.processIdentifier
      let told = await withCheckedContinuation { told in
        Thread.detachNewThread {
          let line = output.fileHandleForReading.availableData
          kill(owner, SIGTERM)
          told.resume(returning: line)
        }
      }
      #expect(String(decoding: told, as: UTF8.self).contains("address"))
      #expect(try await eventually { !process.isRunning })
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }
  }

  @Test("A killed owner leaves no process behind, and the next command takes its place")
  func ownerKilled() async throws {
    let program = try Program(withPacks: true)
    let chat = try program.start(["chat", "--mode", "deep"] + program.heated())
    try chat.type("Tell me a very long story about the sea.")
    #expect(try await chat.waitFor { !$0.isEmpty })
    let left = Processes.workers(of: chat.identifier)
    #expect(Processes.workers("chat", of: chat.identifier).count == 1)
    let ask = try program.start(["ask", "What is the capital of France?", "--json"])
    chat.send(signal: SIGKILL)
    _ = try await chat.outcome()
    #expect(try await eventually { !left.contains(where: Processes.isAlive) })
    // A question that was put over there fails and says so; one that had not been put yet is answered here.
    let between = try await ask.outcome()
    #expect(between.status == 0 || between.errorCode == "owner_gone", "\(between.errors)")
    let next = try await program.run("ask", "What is the capital of France?")
    #expect(!next.output.isEmpty, "\(next.errors)")
  }

  private static func owner(of program: Program) throws -> Int32? {
    let socket = program.home.appending(path: "owner.sock")
    guard FileManager.default.fileExists(atPath: socket.path),
      let data = FileManager.default.contents(atPath: program.home.appending(path: "owner.lock").path)
    else { return nil }
    return Int32(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
