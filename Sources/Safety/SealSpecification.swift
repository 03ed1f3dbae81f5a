/// How tightly a process is to be sealed: what it may still reach afterwards.
package struct SealSpecification: Codable, Sendable, Equatable {
  package enum Profile: String, Codable, Sendable {
    /// An engine or parser: no sockets, no new processes, only the files named here.
    case engine
    /// An engine that computes on a GPU: also its devices, its driver's libraries and local sockets.
    case gpuEngine
    /// The one process with a network. It starts no programs and writes only into its staging folder.
    case fetch
    /// A program of others that offers tools: it starts what it needs in turn, and has no sockets.
    case tool
    /// The same with the internet; no local sockets.
    case connectedTool

    package var hasNetwork: Bool { self == .fetch || self == .connectedTool }
  }

  package var profile: Profile
  /// Files and folders that may be opened for reading. Descriptors handed over with the first frame need no entry.
  package var readable: [String]
  /// Folders below which files may be made, written and removed.
  package var writable: [String]
  /// The most memory of its own (RLIMIT_DATA); nil leaves it unlimited. Mapped weights do not count.
  package var memoryBytes: UInt64?
  package var openFiles: UInt64 = 256
  /// Others go before it, without starving it.
  package var lowPriority = false

  package init(
    _ profile: Profile = .engine, readable: [String] = [], writable: [String] = [], memoryBytes: UInt64? = nil
  ) {
    self.profile = profile
    self.readable = readable
    self.writable = writable
    self.memoryBytes = memoryBytes
  }
}

/// What the main process keeps, beside reading what the person may read.
package struct HouseReach: Sendable, Equatable {
  /// Folders below which it makes, writes and removes files.
  package var writable: [String]
  /// The programs it starts; each has the seal of this process as well as its own.
  package var programs: [String]

  package init(writable: [String], programs: [String]) {
    self.writable = writable
    self.programs = programs
  }
}
