/// Who is told, while it happens, what the time of answers goes to, for a system's tools that show it beside everything else that the
/// device does. The same names that the traces keep afterwards, and no word of the person.
public protocol AnswerSignposts: Sendable {
  /// An answer is begun; several may be under way at once.
  func begin() -> any AnswerSignpost
}

/// One answer, told of by `AnswerSignposts`.
public protocol AnswerSignpost: Sendable {
  /// A part of its time has ended, and the next has begun.
  func ended(_ part: String)
  /// The answer is over, whether it was written, stopped or failed: told once, after everything else.
  /// - Parameter facts: As in "pack" or "mode"; empty where it failed.
  func over(_ facts: [String: String])
}
