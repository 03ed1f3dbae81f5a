package import Core
import Foundation
import Resources
import Safety
package import Workers

/// Short requests to a sealed parse worker that is kept running between them, so that what strangers wrote is read outside
/// this process at the price of a message.
///
/// One request after the other; callers take turns. One that takes too long or ends the worker costs itself alone: it fails with the reason, and
/// the next finds a fresh worker.
package actor ParseDesk {
  package struct Bounds: Sendable {
    /// Of computing, unless the request says otherwise. Ten times that by the clock: beside other work it gets little of the
    /// processor, and is not stuck for that.
    package var computing: Duration = .seconds(5)
    package var memoryBytes: UInt64 = 768 << 20
    /// Requests of one caller that may wait for their turn.
    package var waiting = 256
    package init() {}
  }

  private let bounds: Bounds
  private let launch: @Sendable () async throws -> Worker
  private var worker: Worker?
  private let turns = Scheduler(cores: 1)
  private var waiting: [Caller] = []
  /// How many workers a request has ended so far.
  package private(set) var endedWorkers = 0

  /// `launch` starts a parse worker; it is called for the first request, and again whenever the last worker has died.
  package init(
    bounds: Bounds = Bounds(), on host: WorkerHost = .processes, launch: (@Sendable () async throws -> Worker)? = nil
  ) {
    self.bounds = bounds
    // It reads what it is handed and no file of the system's.
    self.launch =
      launch ?? { try await host.start(.parse, seal: SealSpecification(memoryBytes: bounds.memoryBytes)) }
  }

  /// The answer to one request: the one event that the parse worker's operation replies with.
  ///
  /// `DocumentError.tooSlow` and `.workerEnded` say that the request ended the worker. A caller that is cancelled leaves at
  /// once; what it asked for is then not begun, or ends within its time.
  package func ask<Answer: Decodable>(
    _ operation: String, _ body: some Encodable, files: [RegularFile] = [], within limit: Duration? = nil,
    most: ReplyBound = .usual, for type: Answer.Type
  ) async throws -> Answer {
    try Task.checkCancellation()
    let caller = Caller.asking
    let before = waits(for: caller)
    guard before < bounds.waiting else { throw DocumentError.busy(before) }
    waiting.append(caller)
    defer { if let place = waiting.firstIndex(of: caller) { waiting.remove(at: place) } }
    let body = try JSON.encode(body)
    let (answers, feed) = AsyncThrowingStream.makeStream(of: Data.self)
    let gone = CancelFlag()
    feed.onTermination = { _ in gone.set() }
    // A task of its own: who leaves is not waited for, and what was begun for him keeps its turn until it has ended.
    Task {
      do {
        try await turns.run("a request", .person, cores: 1) { _ in
          guard !gone.isSet else { return }
          feed.yield(try await answer(operation, body, files, limit ?? bounds.computing, most))
        }
        feed.finish()
      } catch { feed.finish(throwing: error) }
    }
    for try await answer in answers { return try JSON.decode(type, from: answer) }
    throw CancellationError()
  }

  /// How many requests of a caller wait or are being answered.
  package func waits(for caller: Caller) -> Int { waiting.count { $0.isSameParty(as: caller) } }

  /// The process that would take the next request; nil while there is none.
  package var process: Int32? { worker.flatMap { $0.isAlive && $0.isProcess ? $0.process : nil } }

  /// Ends the worker; a later request starts another.
  package func stop() async {
    await worker?.stop()
    worker = nil
  }

  private func running() async throws -> Worker {
    if let worker, worker.isAlive { return worker }
    let fresh = try await launch()
    worker = fresh
    return fresh
  }

  private func answer(
    _ operation: String, _ body: Data, _ files: [RegularFile], _ limit: Duration, _ most: ReplyBound
  ) async throws -> Data {
    let worker = try await running()
    let overran = CancelFlag()
    let guardian = Task {
      guard await Self.overruns(worker, limit) else { return }
      overran.set()
      await worker.kill()
    }
    defer { guardian.cancel() }
    do {
      var answer: Data?
      let descriptors = files.map(\.descriptor)
      for try await case .event(let data) in worker.call(operation, body: body, files: descriptors, most: most) {
        answer = data
      }
      guard let answer else { throw WorkerError.malformed("no answer to \(operation)") }
      return answer
    } catch {
      if !worker.isAlive { endedWorkers += 1 }
      if overran.isSet { throw DocumentError.tooSlow(seconds: Int(limit.components.seconds)) }
      throw DocumentError.explained(error)
    }
  }

  /// True once the worker has computed for so long, or has taken ten times that by the clock; false when it is cancelled.
  private static func overruns(_ worker: Worker, _ limit: Duration) async -> Bool {
    let (began, before) = (ContinuousClock.now, worker.processorTime())
    let step = max(.milliseconds(5), min(.milliseconds(100), limit / 10))
    while true {
      guard await waited(step) else { return false }
      let passed = began.duration(to: .now)
      guard passed > limit else { continue }
      let computed = before.flatMap { before in worker.processorTime().map { $0 - before } }
      if passed > limit * 10 || (computed ?? passed) > limit { return true }
    }
  }
}
