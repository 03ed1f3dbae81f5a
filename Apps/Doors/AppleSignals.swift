import Foundation
public import LiberaScreens
import Synchronization

#if canImport(UIKit)
  import UIKit
#endif

/// What UIKit says of memory. On the Mac the governor hears of it from the kernel.
public struct AppleSignals: SystemSignals {
  public init() {}

  public func memoryWarnings() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      #if canImport(UIKit)
        let observer = Observer(of: UIApplication.didReceiveMemoryWarningNotification) { continuation.yield() }
        continuation.onTermination = { _ in observer.end() }
      #else
        continuation.finish()
      #endif
    }
  }
}

/// Listens to one kind of notification until it is ended.
private final class Observer: Sendable {
  private let token = Mutex<(any NSObjectProtocol)?>(nil)

  init(of name: NSNotification.Name, _ heard: @escaping @Sendable () -> Void) {
    token.withLock { token in
      token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in heard() }
    }
  }

  func end() {
    token.withLock { token in
      if let token { NotificationCenter.default.removeObserver(token) }
      token = nil
    }
  }
}
