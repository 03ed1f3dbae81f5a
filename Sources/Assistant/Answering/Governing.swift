import Core
import Inference
import Resources
import Synchronization

/// Passes the device's changes on to the answer that is being written, and keeps what changed and why, back again included.
actor Governing {
  /// How much of an answer has been written; counted where the pieces come, without waiting for anyone.
  final class Progress: Sendable {
    private let tokens = Atomic(0)
    func wrote() { tokens.add(1, ordering: .relaxed) }
    var written: Int { tokens.load(ordering: .relaxed) }
  }

  private(set) var notes: [LimitNote]
  private(set) var changes: [LimitChange] = []
  nonisolated let progress = Progress()
  private var limits: Limits
  private let mode: Mode
  private let promptSpeed: Double?
  private let began: ContinuousClock.Instant

  /// `limits` are those the answer begins with, `mode` the one it is written in.
  init(_ limits: Limits, mode: Mode, promptSpeed: Double?, notes: [LimitNote], began: ContinuousClock.Instant) {
    self.limits = limits
    self.mode = mode
    self.promptSpeed = promptSpeed
    self.notes = notes
    self.began = began
  }

  /// Runs beside the answer until it is cancelled.
  func run(_ model: TextModel, in house: House, emit: @Sendable (Ask.Event) -> Void) async {
    let changes = await house.governor.changes()
    // What changed while the pack was loaded and before anyone listened.
    await follow(house, model, emit)
    for await change in changes {
      switch change {
      case .tiers: await follow(house, model, emit)
      case .unloaded, .breakSuggested: emit(Ask.Event(notice: change.words))
      }
    }
  }

  private func follow(_ house: House, _ model: TextModel, _ emit: @Sendable (Ask.Event) -> Void) async {
    let now = await house.governor.limits(mode, promptSpeed: promptSpeed)
    let found = LimitChange.between(limits, now, atMs: began.msUntilNow)
    guard !found.isEmpty else { return }
    limits = now
    changes += found
    let inForce = now.inForce.map(LimitNote.init)
    notes += inForce.filter { !notes.contains($0) }
    emit(Ask.Event(limits: inForce))
    emit(Ask.Event(changes: found))
    let most = Self.tokens(limit: now.generationTokens.value, written: progress.written)
    do { try await model.adjust(GenerateAdjustment(pauseMs: now.pauseMs.value, maximumTokens: most)) } catch {
      // The answer has ended, or its worker: whoever reads the answer hears of it.
    }
  }

  /// Why an answer that was cut short could not be longer.
  func cutReason(_ most: Int) -> String {
    let limit = limits.generationTokens
    return limit.inForce
      ? "\(limit.value) tokens is the most an answer may have now: \(limit.reason)"
      : "\(most) tokens is the most an answer may have now"
  }

  /// An answer that is longer already than it may be now comes to the end of its sentence.
  static func tokens(limit: Int, written: Int) -> Int { max(limit, written + 32) }
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
      return LimitChange(atMs: atMs, what: new.what, from: old.value.text, to: new.value.text, reason: reason)
    }
  }
}
