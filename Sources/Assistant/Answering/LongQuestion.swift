import Core

/// What a person says at once may hold a text that they paste. Only a question's beginning and end, where people say what they want,
/// are taken apart to understand it and to search: what that costs grows faster than its length.
enum LongQuestion {
  /// Of all that is taken at once, in bytes.
  static let most = 64 << 10
  /// Of what is no question that a text may be given with: a command, words to search for.
  static let brief = 8 << 10
  private static let read = 4000

  static func asked(_ question: String) -> String {
    guard question.utf8.count > read else { return question }
    return prefix(of: question) + "\n" + String(prefix(of: String(question.reversed())).reversed())
  }

  private static func prefix(of text: String) -> String {
    var bytes = 0
    return String(
      text.prefix {
        bytes += $0.utf8.count
        return bytes <= read / 2
      })
  }
}

/// More than can be taken at once.
struct TooLong: Explained, Equatable {
  let bytes: Int
  let most: Int

  var code: String { "context_length_exceeded" }
  var message: String { "That is \(bytes >> 10) kB at once; \(most >> 10) kB are taken." }
  var remedy: String? { "Say it shorter. A long text can be added as a document and asked about." }
}
