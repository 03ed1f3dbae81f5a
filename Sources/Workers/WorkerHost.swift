package import Safety

/// Where engines run. Whoever needs one asks a host and gets a `Worker`, the same to talk to wherever it runs.
package struct WorkerHost: Sendable {
  /// Makes the engine for a kind of worker.
  package typealias Maker = @Sendable (WorkerKind) throws -> any Engine

  /// nil: in processes of their own.
  private let maker: Maker?
  private var environment: [String: String] = [:]

  private init(maker: Maker?) { self.maker = maker }

  /// Each engine in a sealed process of its own: what it does cannot reach this program.
  package static let processes = WorkerHost(maker: nil)

  /// The same with more in the workers' environment.
  package static func processes(environment: [String: String]) -> WorkerHost {
    var host = processes
    host.environment = environment
    return host
  }

  /// Each engine in a thread of this program, for systems where an app starts no processes. Nothing seals it, and what ends the
  /// engine ends the program; errors of engines stay errors of one call.
  package static func threads(_ maker: @escaping Maker) -> WorkerHost { WorkerHost(maker: maker) }

  /// As `Worker.start`. In a thread only the priority of `seal` means something, and memory is not held to anything.
  package func start(
    _ kind: WorkerKind, seal: SealSpecification, files: [CInt] = [], mostBytes: UInt64? = nil
  ) async throws -> Worker {
    guard let maker else {
      return try await Worker.start(kind, seal: seal, files: files, mostBytes: mostBytes, environment: environment)
    }
    return try await Worker.start(kind, seal: nil, files: [], speaks: false) { socket, _ in
      try EngineThread(kind, socket: socket, inBackground: seal.lowPriority) { try maker(kind) }
    }
  }
}
