import Foundation
import Speech

/// Words heard where none were said.
struct FalseWords {
  struct Result: Codable {
    var sound: String
    var minutes: Double
    var wordsPerHour: Double
    var heard: String
  }

  private let transcriber: Transcriber
  private let minutes: Int
  init(_ transcriber: Transcriber, minutes: Int) {
    self.transcriber = transcriber
    self.minutes = minutes
  }

  func measure() async throws -> [Result] {
    var results: [Result] = []
    for (name, make) in sounds {
      let listening = try await transcriber.listen(ListenRequest())
      let feeding = Task {
        for second in 0..<(minutes * 60) {
          await listening.feed(bytes(make(second)[...]))
        }
        await listening.finish()
      }
      var heard: [String] = []
      for try await event in listening.events {
        if case .final(let utterance) = event, !utterance.transcript.text.isEmpty {
          heard.append(utterance.transcript.text)
        }
      }
      await feeding.value
      let text = heard.joined(separator: " ")
      let words = Double(text.split(separator: " ").count)
      results.append(
        Result(sound: name, minutes: Double(minutes), wordsPerHour: words * 60 / Double(minutes), heard: text))
    }
    return results
  }

  /// One second of each kind of sound.
  private var sounds: [(String, @Sendable (Int) -> [Float])] {
    [
      ("silence", { _ in [Float](repeating: 0, count: Sound.rate) }),
      ("faint noise", { FalseWords.noise($0, level: 0.003) }),
      ("loud noise", { FalseWords.noise($0, level: 0.3) }),
      (
        "babble of tones",
        { second in
          (0..<Sound.rate).map { sample in
            let time = Double(second) + Sound.seconds(sample)
            return Float(
              (1...9).reduce(0.0) { $0 + sin(2 * .pi * (90 + 130 * Double($1) + 20 * sin(time * Double($1))) * time) })
              * 0.04
          }
        }
      ),
      ("music", FalseWords.music),
    ]
  }

  private static func noise(_ second: Int, level: Float) -> [Float] {
    var state = UInt64(second + 1) &* 0x9E37_79B9_7F4A_7C15
    return (0..<Sound.rate).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Float(state >> 40) / Float(1 << 23) - 1) * level
    }
  }

  /// Chords of plucked strings over a drum, a new chord every second.
  private static func music(_ second: Int) -> [Float] {
    let chords: [[Double]] = [[261.6, 329.6, 392], [220, 261.6, 329.6], [174.6, 220, 261.6], [196, 246.9, 293.7]]
    let chord = chords[second % 4]
    let drum = noise(second, level: 0.4)
    return (0..<Sound.rate).map { sample in
      let time = Sound.seconds(sample)
      let beat = time.truncatingRemainder(dividingBy: 0.5)
      let strings = chord.reduce(0.0) { sum, tone in
        sum + (1...5).reduce(0.0) { $0 + sin(2 * .pi * tone * Double($1) * time) / Double($1) }
      }
      return Float(strings * 0.08 * exp(-2 * beat)) + drum[sample] * Float(exp(-30 * beat))
    }
  }
}
