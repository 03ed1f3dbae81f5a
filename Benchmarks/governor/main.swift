import Core
import Foundation
import Inference
import Resources
import Workers

// What governing costs and how soon it takes effect, with the real pack in its sealed worker. Prints one JSON object.
// Arguments: the pack's file, how many pairs, how many tokens each.

struct Outcome: Encodable {
  var tokens = 0
  /// Milliseconds of processor time per token, pair by pair.
  var governed: [Double] = []
  var alone: [Double] = []
  /// Milliseconds from a hot sensor to the first token that waits.
  var reactions: [Double] = []
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

/// Processor time of a process, all of its threads, in milliseconds.
@Sendable func processorTime(_ process: Int32) throws -> Double {
  let tasks = "/proc/\(process)/task"
  return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
    // A thread may have ended since the folder was listed.
    let text = String(
      decoding: FileManager.default.contents(atPath: "\(tasks)/\(task)/schedstat") ?? Data(), as: UTF8.self)
    return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e6
  }
}

@Sendable func request(_ number: Int) -> GenerateRequest {
  var request = GenerateRequest(
    .raw([.trusted("Chapter \(number + 1). Once upon a time, in a small town by the sea,")]))
  request.maximumTokens = tokens
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
      try await model.adjust(
        GenerateAdjustment(pauseMs: limits.pauseMs.value, maximumTokens: limits.generationTokens.value))
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

@MainActor func cost(_ number: Int, isGoverned: Bool) async throws -> Double {
  let before = try processorTime(worker) + processorTime(getpid())
  let count = isGoverned ? try await governed(LinuxSensors()) { try await write(number) } : try await write(number)
  return (try processorTime(worker) + processorTime(getpid()) - before) / Double(max(1, count))
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
    for try await event in model.generate(request(number)) {
      guard case .piece = event else { continue }
      let now = clock.now
      if let hot, now - last >= .milliseconds(40) { return milliseconds(now - hot) }
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

@Sendable func milliseconds(_ duration: Duration) -> Double {
  Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
}

var outcome = Outcome(tokens: tokens)
_ = try await write(pairs)
for number in 0..<pairs {
  if number.isMultiple(of: 2) {
    outcome.governed.append(try await cost(number, isGoverned: true))
    outcome.alone.append(try await cost(number, isGoverned: false))
  } else {
    outcome.alone.append(try await cost(number, isGoverned: false))
    outcome.governed.append(try await cost(number, isGoverned: true))
  }
  if let took = try await reaction(number) { outcome.reactions.append(took) }
  FileHandle.standardError.write(Data("\r  governing, pair \(number + 1)/\(pairs)".utf8))
}
FileHandle.standardError.write(Data("\n".utf8))
await model.unload()
print(try JSON.line(outcome))
