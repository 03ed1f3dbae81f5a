/// An error a person can act on: what failed, and what to do next.
///
/// Every room has one enum that conforms. `code` is stable (scripts match on it); `message` and `remedy` are read by people.
public protocol Explained: Error, CustomStringConvertible {
  var code: String { get }
  var message: String { get }
  var remedy: String? { get }
}

extension Explained {
  public var description: String { remedy.map { "\(message) \($0)" } ?? message }
}

/// An `Explained` error that crossed a process: its words are kept, its type is not.
public struct RemoteError: Explained, Codable, Equatable {
  public var code: String
  public var message: String
  public var remedy: String?

  public init(code: String, message: String, remedy: String? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// Any error in the shape that goes over a socket or to stderr; one that explains itself keeps its code.
  public init(_ error: any Error) {
    if let explained = error as? any Explained {
      self.init(code: explained.code, message: explained.message, remedy: explained.remedy)
    } else if error is CancellationError {
      self.init(code: "cancelled", message: "Stopped.")
    } else {
      self.init(code: "unexpected", message: "\(error)")
    }
  }
}
