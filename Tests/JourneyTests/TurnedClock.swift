import Foundation
import TestSupport
import Testing

/// A wall clock that a test turns while the program runs: Tests/Shims/clock.c, compiled and preloaded into it.
struct TurnedClock {
  private let folder: URL
  private var offset: URL { folder.appending(path: "offset") }
  private var library: URL { folder.appending(path: "clock.so") }

  static let needsCompiler: Comment = "a C compiler and Linux's preloading are needed to turn the clock"

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "libera-clock-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Shim.build(library, [Shim.source("clock.c").path, "-ldl"])
    try turn(by: 0)
  }

  /// The program's later runs see this clock.
  func wind(_ program: inout Program) throws {
    program.environment["LD_PRELOAD"] = library.path
    program.environment["LIBERA_TEST_CLOCK"] = offset.path
  }

  /// Seconds from the true time. Written in place, because running programs have the file mapped.
  func turn(by seconds: Int64) throws {
    let bytes = withUnsafeBytes(of: seconds) { Data($0) }
    guard FileManager.default.fileExists(atPath: offset.path) else { return try bytes.write(to: offset) }
    let handle = try FileHandle(forWritingTo: offset)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  func remove() throws { try FileManager.default.removeItem(at: folder) }
}
