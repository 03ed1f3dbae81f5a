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
    /// Computed for this document so far, by every worker that had it, but for the pages that were lost.
    var spent = Duration.zero
    /// Computed since the last sign of life.
    var silent = Duration.zero
    /// What the pages that were lost have cost.
    var lost = Duration.zero
    /// Bytes that were told and not taken yet.
    var untaken = 0
  }

  /// Of computing without a sign of life.
  private let silence: Duration
  /// Of computing altogether; nil where one step is all there is.
  private let budget: Duration?
  private let lostPage: Duration
  private let memoryBytes: UInt64
  /// A worker that keeps to its window is far below it.
  private static let mostUntaken = 128 << 20
  private let state = Mutex(State())

  /// What a document may cost grows with the file: a few kilobytes are read in a moment, or are made to cost more.
  init(_ bounds: DocumentReader.Bounds, reading file: URL) {
    let bytes = Self.size(of: file)
    (silence, lostPage) = (bounds.silence, bounds.lostPage)
    budget = bounds.document + bounds.megabyte * (Double(bytes) / Double(1 << 20))
    memoryBytes = Self.memory(bounds, bytes)
  }

  /// For the picture of one page.
  init(_ bounds: DocumentReader.Bounds, drawing file: URL) {
    (silence, budget, lostPage) = (bounds.picture, nil, bounds.lostPage)
    memoryBytes = Self.memory(bounds, Self.size(of: file))
  }

  private static func size(of file: URL) -> Int {
    // One that cannot be looked at cannot be read either, which is said when it is opened.
    do { return try RegularFile(file.path).bytes } catch { return 0 }
  }

  private static func memory(_ bounds: DocumentReader.Bounds, _ bytes: Int) -> UInt64 {
    min(bounds.memoryBytes, (768 << 20) + 16 * UInt64(bytes))
  }

  var verdict: DocumentError? { state.withLock { $0.verdict } }

  /// Nothing more is to be computed for this document.
  var isUsedUp: Bool { isOver || allowance < lostPage }

  private var isOver: Bool { budget.map { budget in state.withLock { $0.spent >= budget } } ?? false }

  /// What the page at hand may take.
  private var allowance: Duration {
    guard let budget else { return silence }
    return (min(budget, silence * 3) - state.withLock { $0.lost }) / 3
  }

  /// The worker has ended over the page at hand.
  func lost() {
    state.withLock { state in
      state.spent -= state.silent
      state.lost += max(lostPage, state.silent)
    }
  }

  /// What was computed so far counts no more.
  func beginAnew() { state.withLock { ($0.spent, $0.silent, $0.lost) = (.zero, .zero, .zero) } }

  /// The worker has told something.
  func heard(_ reply: CallReply) {
    state.withLock { state in
      state.last = .now
      state.untaken += reply.bytes
    }
  }

  /// Of what it told.
  func passed(_ reply: CallReply) { state.withLock { $0.untaken -= reply.bytes } }

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

  func attach(_ worker: Worker) {
    state.withLock { ($0.worker, $0.verdict, $0.silent, $0.untaken) = (worker, nil, .zero, 0) }
  }

  func run(_ worker: Worker) async {
    let allowance = allowance
    var (heard, before) = (ContinuousClock.now, worker.processorTime())
    var counted = before
    while !Task.isCancelled {
      guard await waited(.milliseconds(250)) else { return }
      let last = state.withLock { $0.listening ? $0.last : .now }
      let computed = worker.processorTime()
      if last != heard { (heard, before) = (last, computed) }
      let silent = before.flatMap { before in computed.map { $0 - before } }
      if let computed {
        let more = computed - (counted ?? computed)
        state.withLock { state in
          state.spent += more
          state.silent = silent ?? .zero
        }
        counted = computed
      }
      let quiet = heard.duration(to: .now)
      let isSilent = (silent ?? quiet) > allowance || quiet > allowance * 10
      let memory = worker.footprint() ?? 0
      guard let verdict = verdict(isSilent ? allowance : nil, memory) else { continue }
      state.withLock { $0.verdict = verdict }
      await worker.kill()
      return
    }
  }

  private func verdict(_ silence: Duration?, _ memory: UInt64) -> DocumentError? {
    if let silence { return .tooSlow(seconds: max(1, Int(silence.components.seconds))) }
    if memory > memoryBytes {
      return .workerEnded("it took \(memory >> 20) MB of memory; \(memoryBytes >> 20) MB are allowed")
    }
    if state.withLock({ $0.untaken > Self.mostUntaken }) { return .workerEnded("it told more than can be taken") }
    if let budget, isOver { return .tooSlow(seconds: Int(budget.components.seconds)) }
    return nil
  }
}
