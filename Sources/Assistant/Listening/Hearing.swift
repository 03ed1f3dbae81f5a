import Core
import Foundation
import Spoken

/// The way of the sound into one dictation.
actor Hearing {
  private let listening: Listening
  private var received = 0
  private var last = ContinuousClock.now
  private var turn: Task<Void, Never>?
  private let longestSilence: Duration

  init(_ listening: Listening, longestSilence: Duration) {
    self.listening = listening
    self.longestSilence = longestSilence
  }

  nonisolated func share(threads: Int) { listening.adjust(ListenAdjustment(threads: threads)) }

  /// Bytes that were sent before are passed over, so a request whose answer was lost can simply be sent again.
  func take(_ sound: Data, at place: Int) async throws -> Int {
    last = .now
    guard place >= 0, place <= received else { throw AssistantError.soundMissing(expected: received) }
    let fresh = Data(sound.dropFirst(received - place))
    received += fresh.count
    let (before, listening) = (turn, listening)
    let mine = Task {
      await before?.value
      await listening.feed(fresh)
    }
    turn = mine
    await mine.value
    return received
  }

  func finish() async {
    await turn?.value
    await listening.finish()
  }

  /// A microphone that somebody has sends sound all the time: true with the next of it, false when none has come for so long.
  func isHeard(within pause: Duration) async throws -> Bool {
    let before = last
    while ContinuousClock.now - before < pause {
      try await Task.sleep(for: .milliseconds(50))
      if last != before { return true }
    }
    return false
  }

  /// Returns when what came has settled and the microphone is free.
  func leave() async {
    await finish()
    await listening.ended()
  }

  /// A microphone sends silence too; one that sends nothing at all has gone, and what was said until then is settled.
  func endWhenForgotten() async throws {
    while ContinuousClock.now - last < longestSilence { try await Task.sleep(for: .seconds(1)) }
    await finish()
    try await Task.sleep(for: .seconds(3600))
  }
}
