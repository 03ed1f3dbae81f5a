/// What whisper-like models say when there is nothing to hear, and how it is told from speech.
package enum Guard {
  package enum Verdict: Sendable, Equatable {
    case keep
    /// Said with a closed mouth: taken away.
    case drop(String)
    /// A repetition: decode again with the whole context.
    case again(String)
  }

  /// `voiced`: the share of frames in which the voice detector heard speech.
  package static func judge(_ transcript: SpeechTranscript, seconds: Double, voiced: Double) -> Verdict {
    let words = transcript.words.map { bare($0.text) }.filter { !$0.isEmpty }
    guard !words.isEmpty else { return .keep }
    if isLoop(words) { return .again("the recogniser repeated itself") }
    if Double(words.count) > 8 * max(seconds, 0.5) + 2 { return .again("more words than anybody can say in that time") }
    if transcript.noSpeech > 0.6, transcript.confidence < 0.5 { return .drop("probably no speech") }
    if voiced < 0.25, transcript.confidence < 0.6 { return .drop("hardly any voice in it") }
    if fillers.contains(words.joined(separator: " ")), transcript.confidence < 0.7 || voiced < 0.4 {
      return .drop("a phrase recognisers make up on noise")
    }
    return .keep
  }

  /// A group of up to eight words said at least four times in a row (three times from four words on).
  static func isLoop(_ words: [String]) -> Bool {
    for size in 1...8 where words.count >= size * 3 {
      let most = size >= 4 ? 3 : size == 1 ? 6 : 4
      var run = 1
      var place = size
      while place + size <= words.count {
        if words[place..<(place + size)] == words[(place - size)..<place] {
          run += 1
          if run >= most { return true }
          place += size
        } else {
          run = 1
          place += 1
        }
      }
    }
    return false
  }

  private static let fillers: Set = [
    "you", "thank you", "thanks for watching", "thank you for watching", "thanks", "bye", "bye bye", "okay", "so",
    "the",
    "please subscribe", "thank you very much",
  ]

  static func bare(_ word: String) -> String {
    String(word.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "'" })
  }
}
