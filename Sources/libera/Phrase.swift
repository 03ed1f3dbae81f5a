import Foundation

/// Words for a person, written in English where they are said: `say("\(count) removed.")`. The English, with {} for what is put in,
/// is also the key by which the tables of other languages know them.
struct Phrase: ExpressibleByStringInterpolation {
  let english: String
  let values: [String]

  init(_ english: String, _ values: [String]) { (self.english, self.values) = (english, values) }

  init(stringLiteral text: String) { self.init(text, []) }

  init(stringInterpolation parts: StringInterpolation) { self.init(parts.english, parts.values) }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var english = ""
    fileprivate var values: [String] = []

    init(literalCapacity: Int, interpolationCount: Int) {}
    mutating func appendLiteral(_ text: String) { english += text }
    mutating func appendInterpolation(_ value: some Any) {
      english += Phrase.gap
      values.append("\(value)")
    }
  }

  static let gap = "{}"

  /// These words, or those of another language in their place, with the values where the gaps are.
  func said(as words: String? = nil) -> String {
    var parts = (words ?? english).components(separatedBy: Self.gap)
    var text = parts.removeFirst()
    for (value, part) in zip(values, parts) { text += value + part }
    return text
  }
}

/// In the person's language.
func say(_ phrase: Phrase) -> String { Tongue.current.say(phrase) }

/// One of two, by what the language makes of the number.
func say(_ count: Int, one: Phrase, many: Phrase) -> String { say(Tongue.current.isOne(count) ? one : many) }

/// What a room of the program has said in English, or what stands in English in a list of this one: in the person's language where a
/// table has it.
func told(_ english: String) -> String { Tongue.current.told(english) }
