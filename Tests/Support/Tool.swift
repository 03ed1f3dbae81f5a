import Foundation

/// Another program, found as a shell finds it.
package enum Tool {
  /// Runs it to its end. What it prints goes to a file: what other tests start meanwhile would hold a pipe open.
  @discardableResult
  package static func run(
    _ words: [String], environment: [String: String]? = nil, isQuiet: Bool = false
  ) throws -> (status: Int32, output: String) {
    let file = FileManager.default.temporaryDirectory.appending(path: "libera-said-\(UUID().uuidString)")
    try Data().write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    if let environment { process.environment = environment }
    let said = try FileHandle(forWritingTo: file)
    process.standardOutput = said
    if isQuiet { process.standardError = FileHandle.nullDevice }
    try process.run()
    // It would stay open as long as this process lasts.
    try said.close()
    process.waitUntilExit()
    let printed = try Data(contentsOf: file)
    try FileManager.default.removeItem(at: file)
    return (process.terminationStatus, String(decoding: printed, as: UTF8.self))
  }
}

/// A server of the tests in Python, which says in its first line on which port of this machine it listens. It ends with the object.
package final class PythonServer: Sendable {
  package let port: String
  private let process = Process()

  package init(_ words: [String]) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-B"] + words
    // Where it reads, its input ends with this process.
    process.standardInput = Pipe()
    process.standardOutput = output
    try process.run()
    port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  deinit { stop() }

  /// Nothing less ends it where the signals of this process are held back, and what stays holds its output open.
  package func stop() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
