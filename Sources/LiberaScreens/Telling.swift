public import LiberaKit
public import Observation

extension LiberaError {
  /// Any error as a screen shows it.
  public init(telling error: any Error) {
    switch error {
    case let error as LiberaError: self = error
    case is CancellationError: self.init(code: "cancelled", message: "Stopped.")
    default: self.init(code: "unexpected", message: "\(error)")
    }
  }
}

/// What a person works with and what may fail: why stands there until it is dismissed.
@MainActor @Observable
public class Fallible {
  public internal(set) var problem: LiberaError?

  public func dismissProblem() { problem = nil }

  /// Also where something outside has failed, as a camera.
  public func failed(_ error: any Error) { problem = LiberaError(telling: error) }

  func trying(_ work: () async throws -> Void) async {
    do { try await work() } catch { failed(error) }
  }
}
