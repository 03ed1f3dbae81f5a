import Foundation

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

  /// Whatever a process of others tells, its words are shown, stored and listed: of none more than this.
  private static let longest = 2000

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    code = try fields.decode(String.self, forKey: .code).letters(100)
    message = try fields.decode(String.self, forKey: .message).letters(Self.longest)
    remedy = try fields.decodeIfPresent(String.self, forKey: .remedy)?.letters(Self.longest)
  }

  /// Any error in the shape that goes over a socket or to stderr; one that explains itself keeps its code.
  public init(_ error: any Error) {
    if let explained = error as? any Explained {
      self.init(code: explained.code, message: explained.message, remedy: explained.remedy)
    } else if error is CancellationError {
      self.init(code: "cancelled", message: "Stopped.")
    } else if let refusal = Self.systemRefusal(error as NSError) {
      self = refusal
    } else {
      self.init(code: "unexpected", message: "\(error)")
    }
  }

  /// What the system says of a file or folder, in its own words and with the place.
  private static func systemRefusal(_ error: NSError) -> RemoteError? {
    let below = error.userInfo[NSUnderlyingErrorKey] as? any Error
    let cause = error.domain == NSPOSIXErrorDomain ? error : below.map { $0 as NSError }
    guard let cause, cause.domain == NSPOSIXErrorDomain else { return nil }
    let url = error.userInfo[NSURLErrorKey] as? URL
    if DiskFull.isMeant(by: Int32(clamping: cause.code)) {
      return RemoteError(DiskFull())
    }
    let place = error.userInfo[NSFilePathErrorKey] as? String ?? url?.path ?? "A file"
    return RemoteError(
      code: cause.code == Int(ENOENT) ? "file_not_found" : "file_unusable",
      message: "\(place): \(systemReason(Int32(cause.code))).")
  }
}

/// The same words wherever it is noticed.
package struct DiskFull: Explained, Equatable {
  package init() {}
  package var code: String { "disk_full" }
  package var message: String { "The disk is full; nothing was changed." }
  package var remedy: String? { "Free some space and try again." }

  /// Whether this is what the system means.
  package static func isMeant(by number: Int32) -> Bool { number == ENOSPC || number == EDQUOT }
}
