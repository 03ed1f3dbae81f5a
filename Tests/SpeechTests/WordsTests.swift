import Testing

@testable import Spoken

private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

extension Stabiliser {
  fileprivate var text: String { (confirmed + tail).joined(separator: " ") }
}

@Suite("Words that settle") struct StabiliserTests {
  @Test("A word is confirmed when two hypotheses agree, except the newest") func agreement() {
    var stabiliser = Stabiliser()
    stabiliser.take(words("Remind"))
    #expect(stabiliser.confirmed.isEmpty && stabiliser.tail == ["Remind"])
    stabiliser.take(words("Remind me"))
    #expect(stabiliser.confirmed == ["Remind"] && stabiliser.tail == ["me"])
    stabiliser.take(words("remind me to more"))
    stabiliser.take(words("remind me tomorrow at seven"))
    #expect(stabiliser.confirmed == ["Remind", "me"])
    #expect(stabiliser.text == "Remind me tomorrow at seven")
  }

  @Test("Confirmed words never change, whatever comes") func immutable() {
    let vocabulary = words("the a cat sat on mat red dog ran far and wide")
    for _ in 0..<300 {
      var stabiliser = Stabiliser()
      var truth: [String] = []
      var before: [String] = []
      for _ in 0..<20 {
        truth.append(vocabulary.randomElement()!)
        var heard = truth
        for _ in 0..<Int.random(in: 0...3) where !heard.isEmpty {
          let place = Int.random(in: 0..<heard.count)
          switch Int.random(in: 0..<3) {
          case 0: heard[place] = vocabulary.randomElement()!
          case 1: heard.remove(at: place)
          default: heard.insert(vocabulary.randomElement()!, at: place)
          }
        }
        stabiliser.take(heard)
        #expect(Array(stabiliser.confirmed.prefix(before.count)) == before)
        before = stabiliser.confirmed
      }
    }
  }

  @Test("A hypothesis that differs before the confirmed end is aligned, not repeated") func aligned() {
    var stabiliser = Stabiliser()
    for text in [
      "book a train from", "book a train from Boston", "book the train from Boston to New",
      "book train from Boston to New York",
    ] {
      stabiliser.take(words(text))
    }
    #expect(stabiliser.text == "book a train from Boston to New York")
  }
}

@Suite("Guards against made-up words") struct GuardTests {
  private func judged(
    _ text: String, confidence: Double = 0.9, noSpeech: Double = 0, seconds: Double = 5, voiced: Double = 0.8
  ) -> Guard.Verdict {
    Guard.judge(
      SpeechTranscript(
        text: text, words: words(text).map { Word($0, start: 0, end: 1, confidence: confidence) },
        confidence: confidence,
        noSpeech: noSpeech), seconds: seconds, voiced: voiced)
  }

  @Test(
    "Repetitions ask for another try, speech that repeats itself does not",
    arguments: [
      ("and and and and and and and", true), ("I do not know. I do not know. I do not know. I do not know.", true),
      ("no, no, no, that is not it", false), ("row row row your boat", false), ("ha ha ha", false),
      ("remind me to call John and remind me to call Ann", false),
    ])
  func loops(_ text: String, _ isLoop: Bool) {
    if case .again = judged(text, seconds: 20) { #expect(isLoop) } else { #expect(!isLoop) }
  }

  @Test("More words than anybody can say are not believed") func speed() {
    if case .again = judged((0..<40).map { "word\($0)" }.joined(separator: " "), seconds: 2) {
    } else {
      Issue.record("believed")
    }
  }

  @Test("What is said on noise is taken away; the same words said clearly stay") func fillers() {
    #expect(judged("Thank you.", confidence: 0.5) != .keep)
    #expect(judged("Thank you.", confidence: 0.95) == .keep)
    #expect(judged("Hello there", confidence: 0.4, noSpeech: 0.8) != .keep)
    #expect(judged("Hello there", confidence: 0.5, voiced: 0.1) != .keep)
    #expect(judged("Hello there", confidence: 0.5) == .keep)
  }
}

@Suite("Subtitles") struct SubtitlesTests {
  @Test("Cues end at sentences and pauses, are readable and in order") func cues() {
    let spoken = words(
      "Hello there. This is a rather long sentence that will not fit on one line of a subtitle and goes on and on until it ends."
    )
    let timed = spoken.enumerated().map {
      Word($1, start: Double($0) * 0.3, end: Double($0) * 0.3 + 0.25, confidence: 1)
    }
    let srt = Subtitles.srt(Subtitles.cues(timed))
    #expect(srt.hasPrefix("1\n00:00:00,000 --> 00:00:00,550\nHello there.\n\n2\n00:00:00,600 --> "))
    #expect(srt.split(separator: "\n").allSatisfy { $0.count <= 45 })
    #expect(Subtitles.srt([]).isEmpty)
    #expect(Subtitles.clock(3661.5) == "01:01:01,500")
  }
}

@Suite("How sure the words are") struct SurenessTests {
  private func sure(_ confidences: Double...) -> Double {
    Sureness.allRight(confidences.map { Word("word", start: 0, end: 1, confidence: $0) })
  }

  @Test("One doubtful word makes all of them doubtful, more words are less sure, and no words are nothing")
  func order() {
    #expect(sure() == 0)
    #expect(sure(0.99, 0.99) > 0.85 && sure(1, 1) < 1)
    #expect(sure(0.99, 0.3, 0.99) < 0.7)
    #expect(sure(0.8, 0.8) > sure(0.8, 0.8, 0.8))
    #expect(sure(0) < 0.01 && sure(.leastNonzeroMagnitude) >= 0)
  }
}
