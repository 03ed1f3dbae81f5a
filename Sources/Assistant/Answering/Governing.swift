import Core
import Inference
import Resources
import Synchronization

/// Passes the device's changes on to the answer that is being written, and keeps what changed and why, back again included.
actor Governing {
  /// How much of a text has been written, counted where the pieces come, without waiting for anyone; and the most it may have.
  final class Progress: Sendable {
    private let tokens = Atomic(0)
    private let limit = Atomic(Int.max)
    func begin(most: Int) {
      tokens.store(0, ordering: .relaxed)
      limit.store(most, ordering: .relaxed)
    }
    func wrote() { tokens.add(1, ordering: .relaxed) }
    var written: Int { tokens.load(ordering: .relaxed) }
    var most: Int { limit.load(ordering: .relaxed) }
  }

  private(set) var notes: [LimitNote]
  private(set) var changes: [LimitChange] = []
  nonisolated let progress = Progress()
  private var limits: Limits
  private let mode: Mode
  private let model: any WritingModel
  private let turn: Turn

  /// `limits` are those the answer begins with.
  init(_ limits: Limits, of record: AnswerRecord, _ model: any WritingModel, _ turn: Turn) {
    (self.limits, self.model, self.turn) = (limits, model, turn)
    (mode, notes) = (record.mode, record.limits)
  }

  /// Runs beside the answer until it is cancelled.
  func run() async {
    let changes = await turn.house.governor.changes()
    // What changed while the pack was loaded and before anyone listened.
    await follow()
    for await change in changes {
      switch change {
      case .tiers: await follow()
      case .unloaded, .breakSuggested: turn.emit(Ask.Event(notice: change.words))
      }
    }
  }

  /// The request as the device bears it now; from here on its text is the one that is followed.
  func begin(_ request: GenerateRequest) -> GenerateRequest {
    progress.begin(most: request.maximumTokens)
    var request = request
    request.maximumTokens = min(request.maximumTokens, limits.generationTokens.value)
    request.pauseMs = limits.pauseMs.value
    return request
  }

  /// What else came in the way of this answer.
  func keep(_ note: LimitNote) { notes.append(note) }

  private func follow() async {
    let now = await turn.house.limits(mode, for: turn.input)
    let found = LimitChange.between(limits, now, atMs: turn.began.msUntilNow)
    guard !found.isEmpty else { return }
    limits = now
    changes += found
    let inForce = now.inForce.map(LimitNote.init)
    notes += inForce.filter { !notes.contains($0) }
    turn.emit(Ask.Event(limits: inForce))
    turn.emit(Ask.Event(changes: found))
    let most = Self.tokens(limit: now.generationTokens.value, written: progress.written, most: progress.most)
    do { try await model.adjust(GenerateAdjustment(pauseMs: now.pauseMs.value, maximumTokens: most)) } catch {
      // The answer has ended, or its worker: whoever reads the answer hears of it.
    }
  }

  /// Why a text that was cut short could not be longer; `most` is the most it may be by its nature.
  func cutReason(most: Int) -> String {
    let limit = limits.generationTokens
    return limit.inForce && limit.value <= most
      ? "\(limit.value) tokens is the most an answer may have now: \(limit.reason)"
      : "\(min(most, limit.value)) tokens is the most an answer may have now"
  }

  /// A text that is longer already than it may be now comes to the end of its sentence; none is longer than by its nature.
  static func tokens(limit: Int, written: Int, most: Int) -> Int { min(most, max(limit, written + 32)) }
}

extension LimitChange {
  /// What a person sees change in an answer; how evidence is chosen is settled before one is written.
  private static let visible: Set = [
    "mode", "passages", "context_tokens", "generation_tokens", "pause_ms", "heavy_inference", "loads",
  ]

  static func between(_ before: Limits, _ after: Limits, atMs: Double) -> [LimitChange] {
    zip(before.all, after.all).compactMap { old, new in
      guard visible.contains(new.what), old.value != new.value else { return nil }
      let reason = new.inForce ? new.reason : "the device has recovered: \(new.reason)"
      return LimitChange(atMs: atMs, what: new.what, from: old.words, to: new.words, reason: reason)
    }
  }
}
