import Foundation

/// Feeds one target, in the process that may crash.
struct Runner {
  let target: any Target.Type
  let seed: UInt64

  func run(from first: Int, count: Int, progress: String) async throws {
    var most = rlimit(rlim_cur: 3 << 30, rlim_max: 3 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &most)
    let descriptor = open(progress, O_WRONLY | O_CREAT, 0o600)
    let fed = try await target.init()
    let mutator = Mutator(seeds: fed.seeds, seed: seed)
    var (number, taken) = (Int64(first), Int64(0))
    while number - Int64(first) < Int64(count) {
      // What is being tried is known to whoever watches, even when this process is no more.
      withUnsafeBytes(of: (number, taken)) { _ = pwrite(descriptor, $0.baseAddress, $0.count, 0) }
      // A refusal is as good as an answer: what counts is that the process goes on.
      do {
        try await fed.feed(mutator.input(Int(number)))
        taken += 1
      } catch let failure as Violation { fatalError(failure.what) } catch {}
      number += 1
    }
    withUnsafeBytes(of: (number, taken)) { _ = pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    await fed.end()
  }

  func keep(_ number: Int, in file: URL) async throws {
    let fed = try await target.init()
    try Mutator(seeds: fed.seeds, seed: seed).input(number).write(to: file)
    await fed.end()
  }

  func run(_ input: Data) async throws {
    let fed = try await target.init()
    do { try await fed.feed(input) } catch { say("refused: \(error)") }
    await fed.end()
  }
}

/// Starts a process for each target and looks after it.
struct Watcher {
  struct Bound: Sendable {
    var seconds: Double?
    var count: Int?
    /// An input that takes longer than so many seconds is a finding too.
    var patience: Double
  }

  private static let mostFindings = 5

  /// How many findings there were, in all targets.
  static func run(_ names: [String], seed: UInt64, from first: Int, _ bound: Bound) -> Int {
    let lock = NSLock()
    nonisolated(unsafe) var waiting = names
    nonisolated(unsafe) var findings = 0
    DispatchQueue.concurrentPerform(iterations: min(2, names.count)) { _ in
      while let name = lock.withLock({ waiting.isEmpty ? nil : waiting.removeFirst() }) {
        let found = watch(name, seed, first, bound)
        lock.withLock { findings += found }
      }
    }
    return findings
  }

  private static func watch(_ name: String, _ seed: UInt64, _ first: Int, _ bound: Bound) -> Int {
    let began = Date()
    var (next, taken, findings) = (first, 0, 0)
    while findings < mostFindings {
      let left = bound.seconds.map { $0 - Date().timeIntervalSince(began) }
      let count = bound.count.map { $0 - (next - first) }
      if left ?? 1 <= 0 || count ?? 1 <= 0 { break }
      let outcome = attempt(name, seed, next, left, count, bound.patience)
      taken += outcome.taken
      next = outcome.number
      guard let reason = outcome.reason else { break }
      findings += 1
      report(name, seed, next, reason)
      next += 1
    }
    let time = Date().timeIntervalSince(began)
    say(
      "\(name): \(next - first) inputs in \(Int(time)) s, \(taken) taken, \(next - first - taken) refused, "
        + "\(findings) findings (seed \(seed), from \(first))")
    return findings
  }

  private static func attempt(
    _ name: String, _ seed: UInt64, _ from: Int, _ seconds: Double?, _ count: Int?, _ patience: Double
  ) -> (number: Int, taken: Int, reason: String?) {
    let place = FileManager.default.temporaryDirectory.appending(path: "libera-fuzz-\(UUID().uuidString)").path
    let words = [name, "--seed", "\(seed)", "--from", "\(from)", "--progress", place]
    let child: Process
    do { child = try start(["--child"] + words + (count.map { ["--count", "\($0)"] } ?? [])) } catch {
      return (from, 0, "it could not be started: \(error)")
    }
    defer {
      unlink(place)
      Scratch.remove(of: child.processIdentifier)
    }
    let began = Date()
    var (last, since) = (Int64(-1), Date())
    while child.isRunning {
      usleep(100_000)
      let now = state(place, from).number
      if now != last { (last, since) = (now, Date()) }
      let isOver = seconds.map { Date().timeIntervalSince(began) > $0 } ?? false
      let isStuck = Date().timeIntervalSince(since) > patience
      guard isOver || isStuck else { continue }
      kill(child.processIdentifier, SIGKILL)
      child.waitUntilExit()
      let (number, taken) = state(place, from)
      return (Int(number), Int(taken), isStuck ? "it took longer than \(Int(patience)) s" : nil)
    }
    child.waitUntilExit()
    let (number, taken) = state(place, from)
    let isSound = child.terminationReason == .exit && child.terminationStatus == 0
    return (
      Int(number), Int(taken),
      isSound ? nil : "\(child.terminationReason == .exit ? "exit code" : "signal") \(child.terminationStatus)"
    )
  }

  private static func state(_ place: String, _ from: Int) -> (number: Int64, taken: Int64) {
    guard let data = FileManager.default.contents(atPath: place), data.count >= 16 else { return (Int64(from), 0) }
    return data.withUnsafeBytes {
      ($0.loadUnaligned(as: Int64.self), $0.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    }
  }

  private static func report(_ name: String, _ seed: UInt64, _ number: Int, _ reason: String) {
    let kept = FileManager.default.temporaryDirectory.appending(path: "libera-fuzz-\(name)-\(seed)-\(number)").path
    do {
      try start([name, "--seed", "\(seed)", "--only", "\(number)", "--write", kept]).waitUntilExit()
    } catch { say("\(name): the input could not be kept: \(error)") }
    say("\(name): input \(number) of seed \(seed): \(reason); it lies in \(kept)")
    say("  again: ./libera fuzz \(name) --seed \(seed) --only \(number)")
  }

  private static func start(_ words: [String]) throws -> Process {
    let child = Process()
    child.executableURL = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    child.arguments = words
    try child.run()
    return child
  }
}
