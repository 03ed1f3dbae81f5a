import Core
import Foundation
import Synchronization
import Workers

/// Looks after the reading of one document, and ends the worker when that goes too far.
final class ReadingWatch: Sendable {
  private struct State {
    var last = ContinuousClock.now
    var listening = true
    var worker: Worker?
    var verdict: DocumentError?
    /// Computed for this document so far, by every worker that had it.
    var spent = Duration.zero
  }

  /// Of computing without a sign of life.
  private let silence: Duration
  /// Of computing altogether; nil where one step is all there is.
  private let budget: Duration?
  private let memoryBytes: UInt64
  private let state = Mutex(State())

  /// What a document may cost grows with the file: a few kilobytes are read in a moment, or are made to cost more.
  init(_ bounds: DocumentReader.Bounds, reading file: URL) {
    let bytes = Self.size(of: file)
    let budget = bounds.document + bounds.megabyte * (Double(bytes) / Double(1 << 20))
    (silence, self.budget) = (min(bounds.silence, budget / 3), budget)
    memoryBytes = Self.memory(bounds, bytes)
  }

  /// For the picture of one page.
  init(_ bounds: DocumentReader.Bounds, drawing file: URL) {
    (silence, budget) = (bounds.picture, nil)
    memoryBytes = Self.memory(bounds, Self.size(of: file))
  }

  private static func size(of file: URL) -> Int {
    // One that cannot be looked at cannot be read either, which is said when it is opened.
    do { return try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0 } catch { return 0 }
  }

  private static func memory(_ bounds: DocumentReader.Bounds, _ bytes: Int) -> UInt64 {
    min(bounds.memoryBytes, (768 << 20) + 16 * UInt64(bytes))
  }

  var verdict: DocumentError? { state.withLock { $0.verdict } }

  /// Nothing more is to be computed for this document.
  var isUsedUp: Bool { budget.map { budget in state.withLock { $0.spent >= budget } } ?? false }

  func alive() { state.withLock { $0.last = .now } }

  /// Silence counts only while somebody waits: a worker that is held back has nothing to say.
  func listening(_ now: Bool) {
    state.withLock { state in
      state.listening = now
      state.last = .now
    }
  }

  func taken(_ bytes: Int) {
    // A worker that cannot be told has ended, which the call itself reports.
    do { try state.withLock { $0.worker }?.adjust(ParseCredit(bytes: bytes)) } catch { return }
  }

  func attach(_ worker: Worker) { state.withLock { ($0.worker, $0.verdict) = (worker, nil) } }

  func run(_ worker: Worker) async {
    var (heard, before) = (ContinuousClock.now, worker.processorTime())
    var counted = before
    while !Task.isCancelled {
      guard await waited(.milliseconds(250)) else { return }
      let last = state.withLock { $0.listening ? $0.last : .now }
      let computed = worker.processorTime()
      if let computed {
        let more = computed - (counted ?? computed)
        state.withLock { $0.spent += more }
        counted = computed
      }
      if last != heard { (heard, before) = (last, computed) }
      let quiet = heard.duration(to: .now)
      let isStuck = before.flatMap { before in computed.map { $0 - before > silence } } ?? (quiet > silence)
      let isSilent = isStuck || quiet > silence * 10
      let memory = worker.footprint() ?? 0
      guard let verdict = verdict(isSilent: isSilent, memory) else { continue }
      state.withLock { $0.verdict = verdict }
      await worker.kill()
      return
    }
  }

  private func verdict(isSilent: Bool, _ memory: UInt64) -> DocumentError? {
    if isSilent { return .tooSlow(seconds: Int(silence.components.seconds)) }
    if memory > memoryBytes {
      return .workerEnded("it took \(memory >> 20) MB of memory; \(memoryBytes >> 20) MB are allowed")
    }
    if let budget, isUsedUp { return .tooSlow(seconds: Int(budget.components.seconds)) }
    return nil
  }
}
