package import Safety

/// The first frame to a worker. Its descriptors are files the engine may open again by path (/proc/self/fd) after sealing.
package struct WorkerSetup: Codable, Sendable {
  package var kind: String
  /// nil where the worker was told at its start how to seal itself.
  package var seal: SealSpecification?
  package init(kind: String, seal: SealSpecification?) {
    self.kind = kind
    self.seal = seal
  }
}

/// The worker's first frame back, sent once it is sealed.
package struct WorkerGreeting: Codable, Sendable {
  package var kind: String
  package var process: Int32
  package var seal: SealReport
}

/// The first frame of both sides on the owner's socket.
struct OwnerGreeting: Codable, Sendable {
  var process: Int32
}
