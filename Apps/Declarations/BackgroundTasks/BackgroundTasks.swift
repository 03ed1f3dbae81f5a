public import Dispatch
public import Foundation
package import Synchronization

/// What stands here for the system that gives an app time while nobody looks. Not there on the Mac.
package final class TaskRoom: Sendable {
  package struct Request: Sendable, Equatable {
    package var onPower: Bool
    package var network: Bool
  }
  package struct State: Sendable {
    /// What Info.plist names.
    package var permitted: Set<String> = []
    package var handlers: [String: @Sendable (BGTask) -> Void] = [:]
    package var requests: [String: Request] = [:]
    package var isOff = false
    /// How often a request was taken back.
    package var withdrawn = 0
  }
  package static let shared = TaskRoom()
  package let state = Mutex(State())

  /// Gives the time that was asked for; nil where nobody has asked.
  package func give(_ identifier: String) -> BGTask? {
    let handler = state.withLock { state in
      state.requests.removeValue(forKey: identifier).flatMap { _ in state.handlers[identifier] }
    }
    guard let handler else { return nil }
    let task = BGProcessingTask(identifier)
    handler(task)
    return task
  }
}

/// https://developer.apple.com/documentation/backgroundtasks/bgtask
// Its lock guards what is kept; the handler is not sendable, so no Mutex can hold it.
open class BGTask: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private var expire: (() -> Void)?
  private var success: Bool?
  public let identifier: String
  init(_ identifier: String) { self.identifier = identifier }

  open var expirationHandler: (() -> Void)? {
    get { lock.withLock { expire } }
    set { lock.withLock { expire = newValue } }
  }
  open func setTaskCompleted(success: Bool) { lock.withLock { self.success = success } }
  /// nil until it is completed.
  package var outcome: Bool? { lock.withLock { success } }
}

/// https://developer.apple.com/documentation/backgroundtasks/bgprocessingtask
open class BGProcessingTask: BGTask, @unchecked Sendable {}

/// https://developer.apple.com/documentation/backgroundtasks/bgtaskrequest
open class BGTaskRequest: NSObject {
  public let identifier: String
  open var earliestBeginDate: Date?
  fileprivate init(of identifier: String) { self.identifier = identifier }
}

/// https://developer.apple.com/documentation/backgroundtasks/bgprocessingtaskrequest
open class BGProcessingTaskRequest: BGTaskRequest {
  open var requiresNetworkConnectivity = false
  open var requiresExternalPower = false
  public init(identifier: String) { super.init(of: identifier) }
}

/// https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler
open class BGTaskScheduler: NSObject, @unchecked Sendable {
  /// https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/error-swift.struct
  public enum Error: Int, Swift.Error { case unavailable = 1, tooManyPendingTaskRequests, notPermitted }
  public static let shared = BGTaskScheduler()

  /// False where Info.plist does not name it.
  open func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    TaskRoom.shared.state.withLock { state in
      guard state.permitted.contains(identifier), state.handlers[identifier] == nil else { return false }
      state.handlers[identifier] = launchHandler
      return true
    }
  }

  open func submit(_ taskRequest: BGTaskRequest) throws {
    guard let request = taskRequest as? BGProcessingTaskRequest else { throw Error.notPermitted }
    let (name, kept) = (
      request.identifier,
      TaskRoom.Request(onPower: request.requiresExternalPower, network: request.requiresNetworkConnectivity)
    )
    try TaskRoom.shared.state.withLock { state in
      guard !state.isOff else { throw Error.unavailable }
      guard state.handlers[name] != nil else { throw Error.notPermitted }
      state.requests[name] = kept
    }
  }

  open func cancel(taskRequestWithIdentifier identifier: String) {
    TaskRoom.shared.state.withLock { state in
      state.requests[identifier] = nil
      state.withdrawn += 1
    }
  }
}
