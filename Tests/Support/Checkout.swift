package import Foundation

/// The files of the project as they lie here.
package enum Checkout {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  /// What lies beside them and is no part of them.
  package static let data = root.appending(path: "../shared/data").standardizedFileURL

  package static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
