import CLlama
import Core
import Inference
import Workers

/// Finds how the loaded weights compute fastest on this device: threads first, then, with the best count, the size of a
/// batch's parts, the form of the context's memory and attention. Each way reads the same prompt and writes a few tokens.
struct ContextTuning {
  let model: LlamaModel
  let request: LoadRequest
  let cancelled: CancelFlag
  private let clock = ContinuousClock()

  init(_ model: LlamaModel, request: LoadRequest, cancelled: CancelFlag) {
    self.model = model
    self.request = request
    self.cancelled = cancelled
  }

  func run(_ wanted: TuneRequest, row: (TuneRow) throws -> Void) throws -> TuneRow {
    let began = clock.now
    var rows: [TuneRow] = []
    var longest = Duration.zero
    // The next way is tried while it can be expected to end in time.
    func isInTime() -> Bool {
      rows.count < wanted.atLeast || (clock.now - began + longest).milliseconds <= wanted.seconds * 1000
    }
    func measure(_ way: TuneRow, _ context: LlamaContext, prompt: Int) throws {
      let start = clock.now
      let measured = try self.measure(way, context, prompt: prompt)
      longest = max(longest, clock.now - start)
      rows.append(measured)
      try row(measured)
    }

    let usual = TuneRow(threads: wanted.processors, microBatch: 512, kvType: .f16)
    var context: LlamaContext? = try self.context(usual)
    guard let first = context else { throw CancellationError() }
    let prompt = try lengthOfPrompt(first, threads: wanted.processors)
    let counts = model.backend.isWhollyOnCard ? [1] : ThreadTuning.candidates(processors: wanted.processors).reversed()
    for threads in counts where isInTime() {
      var way = usual
      way.threads = threads
      try measure(way, first, prompt: prompt)
    }
    context = nil
    guard let best = TuneRow.best(of: rows) else { throw CancellationError() }
    var others = Array(repeating: best, count: 3)
    others[0].microBatch = 256
    others[1].kvType = .q8
    others[2].flashAttention = false
    // A prompt that fits into one part says nothing about the size of the parts.
    for way in others where isInTime() && (way.microBatch == best.microBatch || way.microBatch < prompt) {
      guard let other = try? self.context(way) else { continue }  // the engine refuses what the model cannot
      try measure(way, other, prompt: prompt)
    }
    return TuneRow.best(of: rows) ?? best
  }

  private func context(_ way: TuneRow) throws -> LlamaContext {
    var request = request
    way.apply(to: &request)
    request.contextTokens = 1024
    return try LlamaContext(model, request: request)
  }

  /// Long enough to tell the ways apart, short enough for a slow device.
  private func lengthOfPrompt(_ context: LlamaContext, threads: Int) throws -> Int {
    context.setThreads(generation: threads, batch: threads)
    let took = try time(context, tokens: 64, at: 0)
    return took < 160 ? 512 : took < 640 ? 256 : 128
  }

  private func measure(_ way: TuneRow, _ context: LlamaContext, prompt: Int) throws -> TuneRow {
    context.setThreads(generation: way.threads, batch: way.threads)
    context.forgetEverything()
    var way = way
    _ = try time(context, tokens: 8, at: 0)
    context.forgetEverything()
    way.promptTokensPerSecond = Double(prompt) / max(0.001, try time(context, tokens: prompt, at: 0)) * 1000
    let steps = 8
    let took = try (0..<steps).map { try time(context, tokens: 1, at: prompt + $0) }.reduce(0, +)
    way.tokensPerSecond = Double(steps) / max(0.001, took) * 1000
    return way
  }

  private func time(_ context: LlamaContext, tokens count: Int, at position: Int) throws -> Double {
    let token = max(0, model.vocabulary.beginning)
    let items = (0..<count).map { LlamaContext.Item(token: token, position: position + $0, wanted: $0 == count - 1) }
    let began = clock.now
    try context.evaluate(items, cancelled: cancelled)
    return (clock.now - began).milliseconds
  }
}
