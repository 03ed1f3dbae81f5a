import Foundation
import SwiftUI

/// The texts of the app in one language. Each language has one table in `Words`; what a table lacks is a failing test.
struct Words: Sendable {
  static let languages = ["en", "de", "fr"]
  let language: String
  private let table: [Word: String]

  /// - Parameter language: A code as "de-AT"; one without a table reads English.
  init(_ language: String) {
    let code = Self.languages.first { language.lowercased().hasPrefix($0) } ?? "en"
    let bundle = Bundle.module.url(forResource: code, withExtension: "lproj").flatMap { Bundle(url: $0) }
    self.language = code
    table = Dictionary(
      uniqueKeysWithValues: Word.allCases.map { word in
        (word, bundle?.localizedString(forKey: word.rawValue, value: nil, table: nil) ?? word.rawValue)
      })
  }

  static let system = Words(Bundle.module.preferredLocalizations.first ?? "en")

  /// The text, with what stands in it in place of {0}, {1} and so on.
  func callAsFunction(_ word: Word, _ values: String...) -> String {
    var text = table[word] ?? word.rawValue
    for (place, value) in values.enumerated() { text = text.replacingOccurrences(of: "{\(place)}", with: value) }
    return text
  }

  func number(_ number: some BinaryInteger) -> String { Int(number).formatted(.number.locale(locale)) }
  func decimal(_ number: Double) -> String {
    number.formatted(.number.precision(.fractionLength(1)).locale(locale))
  }
  func share(_ number: Double) -> String {
    number.formatted(.percent.precision(.fractionLength(0...1)).locale(locale))
  }
  func bytes(_ count: Int64) -> String { count.formatted(.byteCount(style: .file).locale(locale)) }
  func moment(_ date: Date) -> String {
    date.formatted(Date.FormatStyle(date: .abbreviated, time: .shortened, locale: locale))
  }
  private var locale: Locale { Locale(identifier: language) }
}

private struct WordsKey: EnvironmentKey {
  static var defaultValue: Words { .system }
}

extension EnvironmentValues {
  var words: Words {
    get { self[WordsKey.self] }
    set { self[WordsKey.self] = newValue }
  }
}
