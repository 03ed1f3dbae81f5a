package import Foundation

/// A library of ours that stands before the system's in a program under test: a file of Tests/Shims, compiled for the test.
package enum Shim {
  /// Whether a C compiler and Linux's preloading are there.
  package static var isPossible: Bool {
    #if os(Linux)
      FileManager.default.isExecutableFile(atPath: "/usr/bin/cc")
    #else
      false
    #endif
  }

  package static func source(_ name: String) -> URL {
    Checkout.root.appending(path: "Tests/Shims/\(name)")
  }

  /// Compiles a shared library; `words` are the compiler's.
  package static func build(_ library: URL, _ words: [String]) throws {
    let compiler = try Process.run(
      URL(filePath: "/usr/bin/cc"), arguments: ["-shared", "-fPIC", "-O1", "-o", library.path] + words)
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
  }
}
