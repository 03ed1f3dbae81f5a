import Foundation
package import Synchronization

/// What stands here for a device's file system: Linux's Foundation knows the names of these values and keeps none of them.
package final class FileRoom: Sendable {
  package struct State: Sendable {
    /// The class of each file, by its path.
    package var protection: [String: String] = [:]
    package var leftOut: Set<String> = []
    /// The system refuses, as a volume without protection does.
    package var refuses = false
  }
  package static let shared = FileRoom()
  package let state = Mutex(State())

  package func values<Value: Sendable>(at path: String, _ value: @Sendable (State) -> Value) throws -> Value {
    try keep(at: path) { _ in }
    return state.withLock { value($0) }
  }

  /// As the system: what is not there has no values, and an error names it.
  package func keep(at path: String, _ change: @Sendable (inout State) -> Void) throws {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: path])
    }
    try state.withLock { state in
      guard !state.refuses else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
      change(&state)
    }
  }
}
