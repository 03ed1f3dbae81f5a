import Core
import Foundation
import Inference
import Resources
import Workers

// What governing costs and how soon it takes effect, with the real pack in its sealed worker. Prints one JSON object.
// Arguments: the pack's file, how many pairs, how many tokens each.

/// Milliseconds of processor time per token.
struct Cost: Encodable {
  /// Ours, in which all of the governing is done, and the worker's, which is told only what changes.
  var house = 0.0
  var worker = 0.0
  static func + (one: Cost, other: Cost) -> Cost {
    Cost(house: one.house + other.house, worker: one.worker + other.worker)
  }
}

struct Outcome: Encodable {
  var tokens = 0
  /// Pair by pair, each the sum of two answers: governed, alone, alone, governed, so that a drift counts for both.
  var governed: [Cost] = []
  var alone: [Cost] = []
  /// Milliseconds from a hot sensor to the first token that waits; null where none did before the answer ended.
  var reactions: [Double?] = []
}

let words = CommandLine.arguments
guard words.count == 4, let pairs = Int(words[2]), let tokens = Int(words[3]) else {
  FileHandle.standardError.write(Data("usage: bench-governor PACK PAIRS TOKENS\n".utf8))
  exit(64)
}
let device = LinuxSensors().device()
let model = TextModel(
  pack: URL(filePath: words[1]), request: LoadRequest(contextTokens: 2048, threads: min(8, device.cores)))
for try await _ in model.load() {}
guard let worker = await model.process else { exit(1) }

/// Processor time of a process, threads that have ended included, in milliseconds.
@Sendable func processorTime(_ process: Int32) throws -> Double {
  var clock = clockid_t()
  var time = timespec()
  guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
    throw POSIXError(.ESRCH)
  }
  return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

@Sendable func request(_ number: Int, _ maximumTokens: Int = tokens) -> GenerateRequest {
  var request = GenerateRequest(
    .raw([.trusted("Chapter \(number + 1). Once upon a time, in a small town by the sea,")]))
  request.maximumTokens = maximumTokens
  request.speculate = false
  return request
}

/// As an answer is governed: watched twice a second, every change passed on to the worker.
func governed<Value: Sendable>(
  _ sensors: any Sensors, _ body: @Sendable () async throws -> Value
) async throws -> Value {
  let governor = Governor(sensors: sensors, device: device, settings: Settings())
  let changes = await governor.changes()
  await governor.start()
  try await governor.admit("pack", bytes: 1)
  await governor.loaded("pack", process: worker) { _ in }
  let following = Task {
    for await _ in changes {
      let limits = await governor.limits(.deep)
      try await model.adjust(GenerateAdjustment(pauseMs: limits.pauseMs.value))
    }
  }
  defer { following.cancel() }
  let value = try await governor.using("pack", body)
  await governor.stop()
  return value
}

@Sendable func write(_ number: Int) async throws -> Int {
  var count = 0
  for try await event in model.generate(request(number)) {
    if case .done(let report) = event { count = report.generatedTokens }
  }
  return count
}

@MainActor func cost(_ number: Int, isGoverned: Bool) async throws -> Cost {
  let before = try (house: processorTime(getpid()), worker: processorTime(worker))
  let count = isGoverned ? try await governed(LinuxSensors()) { try await write(number) } : try await write(number)
  let share = 1 / Double(max(1, count))
  return Cost(
    house: (try processorTime(getpid()) - before.house) * share,
    worker: (try processorTime(worker) - before.worker) * share)
}

/// A machine with one sensor, which turns hot while an answer is written.
@MainActor func reaction(_ number: Int) async throws -> Double? {
  let root = FileManager.default.temporaryDirectory.appending(path: "bench-governor-\(UUID().uuidString)")
  let zone = root.appending(path: "sys/class/thermal/thermal_zone0")
  try FileManager.default.createDirectory(at: zone, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: root) }  // a folder of the system's temporary files
  try Data("x86_pkg_temp\n".utf8).write(to: zone.appending(path: "type"))
  let heat = zone.appending(path: "temp")
  try Data("40000\n".utf8).write(to: heat)
  return try await governed(LinuxSensors(root: root)) {
    let clock = ContinuousClock()
    var (count, last, hot) = (0, clock.now, ContinuousClock.Instant?.none)
    // Long enough that the slowest reaction shows before the answer ends.
    for try await event in model.generate(request(number, 1500)) {
      guard case .piece = event else { continue }
      let now = clock.now
      if let hot, now - last >= .milliseconds(40) { return (now - hot).milliseconds }
      (count, last) = (count + 1, now)
      if count == 12 {
        // At another moment between two looks each time.
        try await Task.sleep(for: .milliseconds(37 * (number % 13)))
        try Data("92000\n".utf8).write(to: heat)
        (hot, last) = (clock.now, clock.now)
      }
    }
    return nil
  }
}

var outcome = Outcome(tokens: tokens)
_ = try await write(pairs)
for number in 0..<pairs {
  let isFirst = number.isMultiple(of: 2)
  let (first, second) = (
    try await cost(number, isGoverned: isFirst), try await cost(number, isGoverned: !isFirst)
  )
  let (third, fourth) = (
    try await cost(number, isGoverned: !isFirst), try await cost(number, isGoverned: isFirst)
  )
  outcome.governed.append(isFirst ? first + fourth : second + third)
  outcome.alone.append(isFirst ? second + third : first + fourth)
  outcome.reactions.append(try await reaction(number))
  FileHandle.standardError.write(Data("\r  governing, pair \(number + 1)/\(pairs)".utf8))
}
FileHandle.standardError.write(Data("\n".utf8))
await model.unload()
print(try JSON.line(outcome))
