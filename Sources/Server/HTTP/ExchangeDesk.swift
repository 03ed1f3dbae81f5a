import Foundation

/// What an exchange asks of the server around it.
protocol ExchangeDesk: AnyObject, Sendable {
  /// Checks the head and finds the route, or throws the refusal.
  func admit(_ request: Request) throws -> Router.Match
  /// What every answer to this request carries.
  func headers(for request: Request) -> [(name: String, value: String)]
  /// Where an upload's bytes go; nothing is there yet.
  func place(of request: Request) -> URL
  /// On the disk's thread.
  func create(_ file: URL) throws -> FileHandle
  /// An upload is a route's own from now on.
  func leave(_ file: URL)
  /// One that did not come whole: on the disk's thread.
  func discard(_ file: URL) throws
}
