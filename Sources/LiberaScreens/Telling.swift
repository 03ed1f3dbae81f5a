public import LiberaKit

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
