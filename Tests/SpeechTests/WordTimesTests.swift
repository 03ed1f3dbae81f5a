import TestSupport
import Testing

@testable import Spoken

/// When words were said, on sounds that are made: tones where something is said, a faint noise where nothing is.
@Suite("Times of words")
struct WordTimesTests {
  /// Seconds of tone and of pause in turn, beginning with a pause.
  private func sound(_ seconds: [Double]) -> [Float] {
    var noise: UInt32 = 7
    return seconds.enumerated().flatMap { place, length in
      (0..<Int(length * Double(Sound.rate))).map { at in
        noise = noise &* 1_664_525 &+ 1_013_904_223
        let faint = Float(noise >> 8) / Float(1 << 24) * 0.002 - 0.001
        return faint + (place % 2 == 1 ? 0.3 * (at % 80 < 40 ? 1 : -1) : 0)
      }
    }
  }

  private func near(_ times: [ClosedRange<Double>], _ wanted: [ClosedRange<Double>]) -> Bool {
    times.count == wanted.count
      && zip(times, wanted).allSatisfy {
        abs($0.lowerBound - $1.lowerBound) <= 0.03 && abs($0.upperBound - $1.upperBound) <= 0.03
      }
  }

  @Test(
    "Words lie on what is heard between the marks, and pauses between words",
    arguments: [
      // The silence before the first word is not its time, whatever the mark says.
      ([0.5, 1, 0.5], [.mark(0), .word(letters: 5), .word(letters: 5), .mark(2)], [0.5...1, 1...1.5]),
      // A mark a little off goes to the pause beside it.
      (
        [0.2, 1, 0.3, 1, 0.2], [.mark(0), .word(letters: 4), .mark(1.1), .mark(1.1), .word(letters: 4), .mark(2.7)],
        [0.2...1.2, 1.5...2.5]
      ),
      // Without marks letters and pauses are all there is.
      ([0.1, 1, 0.4, 0.5, 0.1], [.word(letters: 9), .word(letters: 7)], [0.1...1.1, 1.5...2]),
      // A pause is the end of one word, however many it would suit.
      (
        [0.1, 1, 0.4, 1, 0.1], [.word(letters: 3), .word(letters: 3), .word(letters: 3), .word(letters: 3)],
        [0.1...0.6, 0.6...1.1, 1.5...2, 2...2.5]
      ),
      // No pause: by letters.
      ([0, 2], [.mark(0), .word(letters: 1), .word(letters: 3), .mark(2)], [0...0.71, 0.71...2]),
      ([0.3], [.word(letters: 2)], [0...0.3]), ([1], [.mark(0), .mark(1)], []),
    ] as [([Double], [WordTimes.Written], [ClosedRange<Double>])])
  func spread(seconds: [Double], written: [WordTimes.Written], times: [ClosedRange<Double>]) {
    let found = WordTimes.spread(written, over: sound(seconds))
    #expect(near(found, times), "\(found)")
  }

  @Test("Whatever the marks say, times go forward and stay within the sound")
  func anyMarks() {
    var dice = Dice(11)
    for _ in 0..<300 {
      let seconds = (0..<(1 + dice.next(6))).map { _ in Double(dice.next(60)) / 100 }
      let written = (0..<dice.next(12)).map { _ in
        dice.next(3) == 0 ? WordTimes.Written.mark(Double(dice.next(4000)) / 1000 - 0.5) : .word(letters: dice.next(20))
      }
      let times = WordTimes.spread(written, over: sound(seconds))
      #expect(times.count == written.count { if case .word = $0 { true } else { false } })
      let most = seconds.reduce(0, +) + 0.02
      #expect(times.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= most })
      #expect(zip(times, times.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound + 1e-9 }, "\(times)")
    }
  }
}
