/// Operation "embed": one reply of bytes, little-endian float32, normalised, `dimensions` per text in order; then one event
/// `EmbedReport`.
package struct EmbedRequest: Codable, Sendable {
  /// What happens to a text that is longer than the window.
  package enum Long: String, Codable, Sendable {
    case fails
    /// Its beginning alone is read; the report says how many were cut.
    case cut
    /// It is read in pieces, and its vector is their mean, each by its length.
    case pieces
  }
  package var input: EmbedInput
  package var long = Long.fails
  /// At most so many of those the model was loaded with.
  package var threads: Int?
  /// With the adapter for questions, where there is one.
  package var asQuestions = false
  package init(_ input: EmbedInput) { self.input = input }
  package init(_ texts: [String]) { input = .texts(texts) }
}

/// What vectors are made of.
package enum EmbedInput: Codable, Sendable, Equatable {
  case texts([String])
  /// By their numbers in the model's own vocabulary, with or without the marks that it puts around a text.
  case tokens([[Int32]])

  package var count: Int {
    switch self {
    case .texts(let texts): texts.count
    case .tokens(let lists): lists.count
    }
  }

  package subscript(range: Range<Int>) -> EmbedInput {
    switch self {
    case .texts(let texts): .texts(Array(texts[range]))
    case .tokens(let lists): .tokens(Array(lists[range]))
    }
  }
}

package struct EmbedReport: Codable, Sendable, Equatable {
  package var tokens = 0
  package var truncated = 0
  /// Texts that were read in pieces.
  package var divided = 0
  package init() {}

  package mutating func add(_ more: EmbedReport) {
    tokens += more.tokens
    truncated += more.truncated
    divided += more.divided
  }
}
