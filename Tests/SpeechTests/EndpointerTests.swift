import Testing

@testable import Spoken

/// Plays a picture of probabilities: `#` speech, `-` middling, `.` silence, one character a frame.
private func play(_ picture: String, finish: Bool = false, _ change: (inout Endpointer.Settings) -> Void = { _ in })
  -> [Endpointer.Event]
{
  var settings = Endpointer.Settings()
  settings.leadMs = 64
  change(&settings)
  var endpointer = Endpointer(settings)
  let levels: [Character: Float] = ["#": 0.9, "-": 0.4, ".": 0.05]
  var events = picture.flatMap { endpointer.take(levels[$0] ?? 0) }
  if finish { events += endpointer.finish() }
  return events
}

@Suite("Endpoints") struct EndpointerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var picture: String
    var events: [Endpointer.Event]
    init(_ name: String, _ picture: String, _ events: [Endpointer.Event]) {
      testDescription = name
      self.picture = picture
      self.events = events
    }
  }

  // 300 ms of hang-over are 9 frames, 96 ms of least speech 3, 64 ms of lead 2.
  static let cases = [
    Case("silence", "....................", []),
    Case("a click is no speech", "...##...............", []),
    Case("middling noise is no speech", "...--------------...", []),
    Case("speech with its lead", ".....###", [.began(3)]),
    Case("a lead never reaches before the beginning", ".###", [.began(0)]),
    Case("the first silent frame, then the end", "..####.........", [.began(0), .paused(6), .ended(7, cut: false)]),
    Case("one frame short of the hang-over", "..####........", [.began(0), .paused(6)]),
    Case(
      "speech goes on after a pause", "..####.....####.........",
      [.began(0), .paused(6), .resumed(11), .paused(15), .ended(16, cut: false)]),
    Case(
      "one middling frame in a pause is a breath", "..####....-.....", [.began(0), .paused(6), .ended(7, cut: false)]),
    Case("two middling frames are speech", "..####....--", [.began(0), .paused(6), .resumed(11)]),
    Case("middling frames keep speech alive once it has begun", "..###-----", [.began(0)]),
    Case(
      "two utterances; the second's lead does not reach into the first", "###.........###.........",
      [.began(0), .paused(3), .ended(4, cut: false), .began(10), .paused(15), .ended(16, cut: false)]),
  ]

  @Test("A picture of probabilities gives these events", arguments: cases)
  func table(_ one: Case) { #expect(play(one.picture) == one.events) }

  @Test("Silence begins where nothing is heard and the detector doubts, not with its last word")
  func lag() {
    func play(_ frames: [(Float, Float)]) -> [Endpointer.Event] {
      var endpointer = Endpointer(Endpointer.Settings())
      return frames.flatMap { endpointer.take($0.0, level: $0.1) }
    }
    let speech = [(Float, Float)](repeating: (1, 0.5), count: 4)
    let silence = [(Float, Float)](repeating: (0.02, 0), count: 12)
    #expect(play(speech + [(0.9, 0.002), (0.6, 0)] + silence) == [.began(0), .paused(4), .ended(5, cut: false)])
    // The closure of a "t": as still, but the detector knows that a voice is speaking.
    #expect(play(speech + [(1, 0.001), (0.99, 0)] + speech) == [.began(0)])
    // A voice that goes on after all.
    #expect(play(speech + [(0.9, 0.001)] + speech) == [.began(0), .paused(4), .resumed(5)])
    // In a noisy room nothing is still, and the detector alone decides.
    #expect(play(speech + [(0.9, 0.02), (0.6, 0.02)] + silence) == [.began(0), .paused(6), .ended(7, cut: false)])
  }

  @Test("The end of the sound ends what is being said") func end() {
    #expect(play("..####", finish: true) == [.began(0), .ended(6, cut: false)])
    #expect(play("..####..", finish: true) == [.began(0), .paused(6), .ended(8, cut: false)])
    #expect(play("......", finish: true).isEmpty)
  }

  @Test("Silence stops listening: soon after speech, late when nobody has spoken") func stop() {
    let set: (inout Endpointer.Settings) -> Void = {
      $0.automaticStopMs = 640
      $0.patienceMs = 1280
    }
    let nobody = play(String(repeating: ".", count: 60), set)
    #expect(nobody.first == .stopped && nobody.count == 60 - 39)
    let somebody = play("..####" + String(repeating: ".", count: 20), set)
    #expect(somebody.last == .stopped && somebody.count == 4)
    #expect(play(String(repeating: ".", count: 5000)).isEmpty, "unless it was not asked for")
  }

  @Test("Long speech is cut at its quietest place, and nothing is lost between the pieces") func long() {
    var endpointer = Endpointer(Endpointer.Settings())
    var pieces: [Range<Int>] = []
    var began = 0
    for frame in 0..<3000 {
      for event in endpointer.take(frame % 100 == 60 ? 0.4 : 0.9) {
        if case .began(let start) = event { began = start }
        if case .ended(let end, let cut) = event {
          #expect(cut && end % 100 == 60)
          pieces.append(began..<end)
        }
      }
    }
    #expect(pieces.count >= 3)
    #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    #expect(pieces.allSatisfy { $0.count <= 750 })
  }

  @Test("Late in a long utterance a short pause is enough") func shrinking() {
    let speech = String(repeating: "#", count: 700)
    #expect(play(speech + "....").last == .ended(701, cut: false))
    #expect(play(String(repeating: "#", count: 300) + "....").last == .paused(300))
  }

  @Test("Whatever the probabilities, utterances follow each other without overlap") func anything() {
    for _ in 0..<200 {
      var endpointer = Endpointer(Endpointer.Settings())
      var last = 0
      var began: Int?
      for frame in 0..<2000 {
        for event in endpointer.take(Float.random(in: 0...1) * (frame / 40 % 3 == 0 ? 0.3 : 1)) {
          if case .began(let start) = event {
            #expect(began == nil && start >= last - 1 && start <= frame)
            began = start
          }
          if case .ended(let end, _) = event {
            #expect(end > (began ?? .max) && end <= frame + 1)
            last = end
            began = nil
          }
        }
      }
    }
  }
}
