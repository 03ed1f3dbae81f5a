import Core
import Synchronization
import Testing

@testable import Resources

/// What happened, in order.
private final class Journal: Sendable {
  private let lines = Mutex<[String]>([])
  func note(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

extension Scheduler {
  fileprivate func until(_ condition: @Sendable ([Job]) -> Bool) async {
    while !condition(jobs) { await Task.yield() }
  }
}

@Suite("Scheduler") struct SchedulerTests {
  @Test("The person goes before voice, voice before indexing, whoever came first") func order() async throws {
    let scheduler = Scheduler(cores: 2)
    let journal = Journal()
    let gate = AsyncStream.makeStream(of: Void.self)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await scheduler.run("first", .person, cores: 2) { _ in for await _ in gate.stream {} } }
      await scheduler.until { $0.contains { $0.state == .running } }
      for (name, priority) in [("a", Priority.indexing), ("b", .voice), ("c", .person), ("d", .person)] {
        group.addTask { try? await scheduler.run(name, priority, cores: 2) { _ in journal.note(name) } }
        await scheduler.until { $0.contains { $0.name == name } }
        await Task.yield()
      }
      await scheduler.until { $0.count == 5 }
      gate.continuation.finish()
    }
    #expect(journal.all.prefix(2).sorted() == ["c", "d"])
    #expect(journal.all.suffix(2) == ["b", "a"])
  }

  @Test("Two hundred pieces of a key's wait for no question of the person, and of another key's only by turns")
  func turns() async throws {
    let scheduler = Scheduler(cores: 1)
    let journal = Journal()
    let gate = AsyncStream.makeStream(of: Void.self)
    let (key, other) = (Caller.key(id: "1", rights: [.ask]), Caller.key(id: "2", rights: [.ask]))
    func later(_ name: String, _ caller: Caller, in group: inout TaskGroup<Void>) async {
      Caller.$asking.withValue(caller) {
        group.addTask { try? await scheduler.run(name, .person, cores: 1) { _ in journal.note(name) } }
      }
      await scheduler.until { $0.contains { $0.name == name } }
    }
    await withTaskGroup(of: Void.self) { group in
      Caller.$asking.withValue(key) {
        group.addTask { try? await scheduler.run("first", .person, cores: 1) { _ in for await _ in gate.stream {} } }
      }
      await scheduler.until { $0.contains { $0.state == .running } }
      for number in 0..<200 { await later("key \(number)", key, in: &group) }
      await later("page", .page(session: "a"), in: &group)
      await later("terminal", .terminal, in: &group)
      await later("other", other, in: &group)
      while await scheduler.waiting < 203 { await Task.yield() }
      gate.continuation.finish()
    }
    #expect(Array(journal.all.prefix(2)) == ["page", "terminal"])
    #expect(try #require(journal.all.firstIndex(of: "other")) <= 3)
    #expect(journal.all.count == 203)
  }

  @Test("Work of a kind and of the kinds above it never takes more cores than there are") func cores() async {
    let scheduler = Scheduler(cores: 3)
    let journal = Journal()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          let priority = Priority.allCases[number % 3]
          try? await scheduler.run("\(number)", priority, cores: 1 + number % 5) { _ in
            let running = await scheduler.jobs.filter { $0.state == .running && $0.priority >= priority }
            let used = running.reduce(0) { $0 + $1.cores }
            journal.note(String(used))
          }
        }
      }
    }
    #expect(journal.all.count == 40 && journal.all.compactMap { Int($0) }.allSatisfy((1...3).contains))
    #expect(await scheduler.jobs.isEmpty)
  }

  @Test("An import is cut short when a person asks, and begins anew afterwards") func aside() async throws {
    let scheduler = Scheduler(cores: 2)
    let journal = Journal()
    async let imported: Void = scheduler.runAnew("import", .indexing, cores: 2) {
      journal.note("batch")
      if journal.all.count == 1 { try await Task.sleep(for: .seconds(3600)) }
    }
    while journal.all.isEmpty { await Task.yield() }
    let written = AsyncStream.makeStream(of: Void.self)
    async let answered: Void = scheduler.run("answer", .person, cores: 2) { _ in
      journal.note("answer")
      for await _ in written.stream {}
    }
    await scheduler.until { $0.contains { $0.name == "import" && $0.state == .waiting } }
    written.continuation.finish()
    _ = try await (imported, answered)
    #expect(journal.all == ["batch", "answer", "batch"])
  }

  @Test("What a program has computed is cut short for the person, waits until they have all of it, and begins anew")
  func programs() async throws {
    let scheduler = Scheduler(cores: 2)
    let journal = Journal()
    let key = Caller.key(id: "1", rights: [.ask])
    let computed = Task {
      try await Caller.$asking.withValue(key) {
        try await scheduler.runAnew("program", .person, cores: 2) {
          journal.note("program")
          if journal.all.count == 1 { try await Task.sleep(for: .seconds(3600)) }
        }
      }
    }
    while journal.all.isEmpty { await Task.yield() }
    let asked = AsyncStream.makeStream(of: Void.self)
    // A whole question, of which each part has a turn of its own.
    async let question: Void = scheduler.run("question", .person, cores: 0) { _ in
      try await scheduler.run("reading", .person, cores: 2) { _ in journal.note("reading") }
      for await _ in asked.stream {}
      try await scheduler.run("writing", .person, cores: 2) { _ in journal.note("writing") }
    }
    await scheduler.until { $0.contains { $0.name == "program" && $0.state == .waiting } && $0.count == 2 }
    // Another program's work does not come between either.
    let other = Task {
      try await Caller.$asking.withValue(.key(id: "2", rights: [.ask])) {
        try await scheduler.runAnew("other", .person, cores: 1) { journal.note("other") }
      }
    }
    await scheduler.until { $0.contains { $0.name == "other" && $0.state == .waiting } }
    asked.continuation.finish()
    try await question
    try await computed.value
    try await other.value
    #expect(Array(journal.all.prefix(3)) == ["program", "reading", "writing"])
    #expect(journal.all.count == 5 && Set(journal.all.suffix(2)) == ["program", "other"])
  }

  @Test("A program's recording is cut short for the person's, and any for whoever speaks, but not for other programs")
  func recordings() async throws {
    for (reads, asks, atOnce, isCut) in [
      (Caller.key(id: "1", rights: [.transcribe]), Caller.terminal, false, true),
      (.key(id: "1", rights: [.transcribe]), .key(id: "2", rights: [.transcribe]), false, false),
      (.terminal, .page(session: "a"), false, false), (.terminal, .page(session: "a"), true, true),
      (.key(id: "1", rights: [.transcribe]), .key(id: "2", rights: [.transcribe]), true, true),
    ] {
      let scheduler = Scheduler(cores: 2)
      let journal = Journal()
      let gate = AsyncStream.makeStream(of: Void.self)
      let recording = Task {
        try await Caller.$asking.withValue(reads) {
          try await scheduler.runAnew("recording", .voice, cores: 2) {
            journal.note("recording")
            for await _ in gate.stream {}
            try Task.checkCancellation()
          }
        }
      }
      while journal.all.isEmpty { await Task.yield() }
      let asked = Task {
        try await Caller.$asking.withValue(asks) {
          try await scheduler.run("asked", .voice, cores: 2, atOnce: atOnce) { _ in journal.note("asked") }
        }
      }
      if isCut { try await asked.value } else { await scheduler.until { $0.count == 2 } }
      gate.continuation.finish()
      try await recording.value
      try await asked.value
      #expect(journal.all == (isCut ? ["recording", "asked", "recording"] : ["recording", "asked"]))
    }
  }

  @Test("A person's recording waits for no answer of a program's, begun or to begin; an import of theirs does")
  func awaited() async throws {
    for (priority, waits) in [(Priority.voice, false), (.indexing, true)] {
      let scheduler = Scheduler(cores: 2)
      let journal = Journal()
      let gate = AsyncStream.makeStream(of: Void.self)
      func answer(_ name: String) -> Task<Void, any Error> {
        Task {
          try await Caller.$asking.withValue(.key(id: name, rights: [.ask])) {
            try await scheduler.runAnew(name, .person, cores: 2) {
              journal.note(name)
              for await _ in gate.stream {}
              try Task.checkCancellation()
            }
          }
        }
      }
      let begun = answer("begun")
      while journal.all.isEmpty { await Task.yield() }
      let next = answer("next")
      await scheduler.until { $0.count == 2 }
      let mine = Task { try await scheduler.runAnew("mine", priority, cores: 2) { journal.note("mine") } }
      if waits { await scheduler.until { $0.count == 3 } } else { try await mine.value }
      gate.continuation.finish()
      for task in [begun, next, mine] { try await task.value }
      #expect(journal.all.firstIndex(of: "mine") == (waits ? 2 : 1), "\(journal.all)")
    }
  }

  @Test("Somebody who only waits cuts indexing short; what starts at once waits for nobody") func waiting() async throws
  {
    let scheduler = Scheduler(cores: 2)
    let journal = Journal()
    let answered = AsyncStream.makeStream(of: Void.self)
    async let waits: Void = scheduler.run("an answer", .person, cores: 0) { _ in for await _ in answered.stream {} }
    await scheduler.until { $0.count == 1 }
    async let imported: Void = scheduler.runAnew("import", .indexing, cores: 1) { journal.note("goes on") }
    await scheduler.until { $0.count == 2 }
    try await scheduler.run("writing", .person, cores: 2) { _ in
      try await scheduler.run("listening", .voice, cores: 1, atOnce: true) { _ in journal.note("heard") }
    }
    answered.continuation.finish()
    _ = try await (imported, waits)
    #expect(journal.all == ["heard", "goes on"])
  }

  @Test("Work that is cancelled from outside ends instead of beginning anew") func cancelledAnew() async throws {
    let scheduler = Scheduler(cores: 1)
    let imported = Task {
      try await scheduler.runAnew("import", .indexing, cores: 1) { try await Task.sleep(for: .seconds(3600)) }
    }
    await scheduler.until { $0.contains { $0.state == .running } }
    imported.cancel()
    await #expect(throws: CancellationError.self) { try await imported.value }
    #expect(await scheduler.jobs.isEmpty)
  }

  @Test("Waiting can be cancelled, and nothing is left behind") func cancel() async throws {
    let scheduler = Scheduler(cores: 1)
    try await scheduler.run("answer", .person, cores: 1) { _ in
      let waiting = Task { try await scheduler.run("voice", .voice, cores: 1) { _ in } }
      await scheduler.until { $0.count == 2 }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(await scheduler.jobs.count == 1)
    }
    #expect(await scheduler.jobs.isEmpty)
  }

  @Test("Work that fails gives its cores back") func failure() async throws {
    struct Broken: Error {}
    let scheduler = Scheduler(cores: 1)
    await #expect(throws: Broken.self) { try await scheduler.run("a", .person, cores: 1) { _ in throw Broken() } }
    #expect(try await scheduler.run("b", .indexing, cores: 1) { $0.cores } == 1)
  }
}
