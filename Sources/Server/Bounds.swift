import Foundation

/// What one person's devices may ask of the server at once; beyond it the server refuses or drops, and stays alive.
package struct Bounds: Sendable {
  /// Open connections; above it the oldest of whoever holds most of them go first, and never a page's.
  package var connections = 4096
  /// A connection that sends no complete request head for this long is closed.
  package var idleSeconds = 30.0
  /// A body must have arrived after this long; an upload may take `uploadSeconds`.
  package var bodySeconds = 30.0
  package var uploadSeconds = 3600.0
  package var jsonBytes = 8 << 20
  package var uploadBytes = 8 << 30
  /// What was handed over and no operation has asked for: so long it waits, and so much of it.
  package var unusedUploadSeconds = 3600.0
  package var waitingUploadBytes = 8 << 30
  package var waitingUploads = 256
  package var audioBytes = 512 << 20
  /// Requests of one program at the same time, each from its head to the last byte of its answer, and what their bodies and the answers
  /// that it has not taken yet may take of memory together.
  package var requests = 64
  package var requestBytes = 64 << 20
  /// Operations of one caller that run at the same time.
  package var runs = 32
  /// The event ring: what a reader that fell behind can still catch up on.
  package var ringEvents = 8192
  package var ringBytes = 8 << 20
  /// Seconds between two signs of life on an event stream.
  package var heartbeatSeconds = 15.0

  static let usual = Bounds()

  package init() {}

  /// Raises the process's file limit as far as allowed and keeps the connections within half of it.
  package mutating func fitToFileLimit() {
    var limit = rlimit()
    #if os(Linux)
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let files = RLIMIT_NOFILE
    #endif
    guard getrlimit(files, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65536)
    if setrlimit(files, &limit) != 0, getrlimit(files, &limit) != 0 { return }
    connections = max(64, min(connections, Int(limit.rlim_cur / 2)))
  }
}
