import Foundation
import TestSupport
import Testing

/// A wall clock that a test turns while the program runs: Tests/Shims/clock.c, compiled and preloaded into it.
struct TurnedClock {
  private let scratch: Scratch
  private var offset: URL { scratch.folder.appending(path: "offset") }
  private var library: URL { scratch.folder.appending(path: "clock.so") }

  static let needsCompiler: Comment = "a C compiler and Linux's preloading are needed to turn the clock"

  init() throws {
    scratch = try Scratch("clock")
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
}
