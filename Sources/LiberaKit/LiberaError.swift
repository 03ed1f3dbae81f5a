import Core

/// What went wrong, in words for a person. Every error of this library is one, except `CancellationError`.
// A type of its own beside Core's RemoteError, so that an app imports LiberaKit and no other module.
public struct LiberaError: Error, Sendable, Codable, Equatable, CustomStringConvertible {
  /// Stable, for programs: "folder_in_use", "document_damaged".
  public var code: String
  public var message: String
  /// What to do next.
  public var remedy: String?

  public init(code: String, message: String, remedy: String? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  public var description: String { remedy.map { "\(message) \($0)" } ?? message }

  /// The error as a caller of this library gets it.
  static func told(_ error: any Error) -> any Error {
    if error is CancellationError || error is LiberaError { return error }
    let remote = RemoteError(error)
    if remote.code == "cancelled" { return CancellationError() }
    return LiberaError(code: remote.code, message: remote.message, remedy: remote.remedy)
  }
}
