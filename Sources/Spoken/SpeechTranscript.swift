/// A recognised word. Times are seconds from the beginning of the sound.
package struct Word: Sendable, Equatable, Codable {
  package var text: String
  package var start: Double
  package var end: Double
  /// How sure the engine was of its pieces, on average; not calibrated.
  package var confidence: Double

  package init(_ text: String, start: Double, end: Double, confidence: Double) {
    self.text = text
    self.start = start
    self.end = end
    self.confidence = confidence
  }
}

package struct SpeechTranscript: Sendable, Equatable, Codable {
  package var text: String
  package var words: [Word]
  package var language: String
  /// The mean over all pieces, so that length alone does not lower it. 0 when nothing was said.
  package var confidence: Double
  package var noSpeech: Double
  package var pack: String
  /// Why words were taken away or doubted, in words; nil when nothing was.
  package var remark: String?

  package init(
    text: String, words: [Word] = [], language: String = "en", confidence: Double = 0, noSpeech: Double = 0,
    pack: String = "", remark: String? = nil
  ) {
    self.text = text
    self.words = words
    self.language = language
    self.confidence = confidence
    self.noSpeech = noSpeech
    self.pack = pack
    self.remark = remark
  }

  enum CodingKeys: String, CodingKey {
    case text, words, language, confidence, pack, remark
    case noSpeech = "no_speech"
  }

  /// Pieces of one recording put together.
  package static func joined(_ pieces: [SpeechTranscript]) -> SpeechTranscript {
    let spoken = pieces.filter { !$0.text.isEmpty }
    guard let first = spoken.first else { return pieces.first ?? SpeechTranscript(text: "") }
    let weight = Double(max(1, spoken.reduce(0) { $0 + $1.words.count }))
    return SpeechTranscript(
      text: spoken.map(\.text).joined(separator: " "), words: spoken.flatMap(\.words), language: first.language,
      confidence: spoken.reduce(0) { $0 + $1.confidence * Double($1.words.count) } / weight,
      noSpeech: spoken.map(\.noSpeech).max() ?? 0, pack: first.pack,
      remark: spoken.compactMap(\.remark).first)
  }
}
