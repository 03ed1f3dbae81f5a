#if !os(macOS)
  import BackgroundTasks
  public import LiberaScreens

  /// Background processing of the system, asked for with the device at its charger and without a network.
  public struct ApplePowerTime: PowerTime {
    /// Info.plist permits it under this name.
    public static let name = "org.libera.LiberaGPT.indexing"

    public init() {}

    public func whenGiven(_ work: @escaping @Sendable () async -> Bool) {
      // Refused only where Info.plist does not permit the name or where it was registered before: then asking says so.
      _ = BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.name, using: nil) { task in
        let given = Given(task)
        let working = Task { given.end(await work()) }
        task.expirationHandler = { working.cancel() }
      }
    }

    public func ask() throws {
      let request = BGProcessingTaskRequest(identifier: Self.name)
      request.requiresExternalPower = true
      request.requiresNetworkConnectivity = false
      try BGTaskScheduler.shared.submit(request)
    }

    public func withdraw() { BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: Self.name) }
  }

  // The system hands a task over and lets it be completed from anywhere, but does not say so to the compiler.
  private struct Given: @unchecked Sendable {
    private let task: BGTask
    init(_ task: BGTask) { self.task = task }
    func end(_ success: Bool) { task.setTaskCompleted(success: success) }
  }
#endif
