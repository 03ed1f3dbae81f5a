import Foundation
import Speech

/// Word errors, counted after both sides were brought to one spelling: lower case, no punctuation, numbers as digits,
/// contractions and a few spellings undone.
enum WordErrors {
  static func words(_ text: String) -> [String] {
    var text = " " + text.lowercased().replacing("’", with: "'") + " "
    for (from, to) in [
      ("'ll", " will"), ("'re", " are"), ("'ve", " have"), ("n't", " not"), ("'m", " am"), ("'d", " would"),
      ("'s", " s"), (" ok ", " okay "), (" mr. ", " mister "), (" p.m.", " pm"), (" a.m.", " am"), ("%", " percent"),
      ("-", " "),
    ] { text = text.replacing(from, with: to) }
    let plain = Normaliser.command(text)
    return plain.split(separator: " ").map { $0.filter { $0.isLetter || $0.isNumber } }.filter { !$0.isEmpty }
  }

  static func count(_ heard: [String], _ said: [String]) -> Int {
    var row = Array(0...heard.count)
    for (index, word) in said.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for place in heard.indices {
        let cost = min(diagonal + (heard[place] == word ? 0 : 1), row[place] + 1, row[place + 1] + 1)
        diagonal = row[place + 1]
        row[place + 1] = cost
      }
    }
    return row[heard.count]
  }

  /// A rate over clips with the interval in which 95 of 100 resamplings of the clips lie.
  static func interval(_ clips: [(errors: Double, words: Int)]) -> (rate: Double, low: Double, high: Double) {
    func rate(_ picks: [(errors: Double, words: Int)]) -> Double {
      picks.reduce(0) { $0 + $1.errors } / Double(max(1, picks.reduce(0) { $0 + $1.words }))
    }
    guard !clips.isEmpty else { return (0, 0, 0) }
    var seed: UInt64 = 1
    func random(_ below: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % below
    }
    let rates = (0..<2000).map { _ in rate(clips.indices.map { _ in clips[random(clips.count)] }) }.sorted()
    return (rate(clips), rates[49], rates[1949])
  }
}
