import Core
import Foundation
import Workers

/// How many threads this machine really gains from, found by a measurement of a fraction of a second.
struct ThreadTuning {
  let context: LlamaContext
  let cancelled: CancelFlag

  struct Choice: Equatable {
    var generation: Int
    var batch: Int
  }

  func choose(processors: Int = ProcessInfo.processInfo.activeProcessorCount) throws -> Choice {
    let counts = Self.candidates(processors: processors)
    guard counts.count > 1 else { return Choice(generation: 1, batch: 1) }
    var generation = [(threads: Int, time: Double)]()
    var batch = [(threads: Int, time: Double)]()
    for threads in counts {
      context.setThreads(generation: threads, batch: threads)
      _ = try time(tokens: 1)
      generation.append((threads, try (0..<3).map { _ in try time(tokens: 1) }.min() ?? .infinity))
      batch.append((threads, try time(tokens: 32)))
    }
    context.forgetEverything()
    return Choice(generation: Self.fewest(generation), batch: Self.fewest(batch))
  }

  /// More threads must earn their place: other work on the device wants them too.
  static func fewest(_ measured: [(threads: Int, time: Double)]) -> Int {
    let best = measured.map(\.time).min() ?? 0
    return measured.filter { $0.time <= best * 1.05 }.map(\.threads).min() ?? 1
  }

  static func candidates(processors: Int) -> [Int] {
    var counts = [1]
    for count in [processors / 2, processors * 3 / 4, processors] where count > counts[counts.count - 1] {
      counts.append(count)
    }
    return counts
  }

  private func time(tokens count: Int) throws -> Double {
    context.forgetEverything()
    let token = max(0, context.model.vocabulary.beginning)
    let items = (0..<count).map { LlamaContext.Item(token: token, position: $0, wanted: $0 == count - 1) }
    let clock = ContinuousClock()
    let began = clock.now
    try context.evaluate(items, cancelled: cancelled)
    return (clock.now - began).milliseconds
  }
}
