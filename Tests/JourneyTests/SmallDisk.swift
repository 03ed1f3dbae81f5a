import Foundation
import TestSupport
import Testing

/// A disk of a few megabytes at a program's home, in a namespace that lives as long as this does. It can be filled, emptied and
/// made read-only between two runs of the program.
final class SmallDisk {
  private let keeper: Process
  private let home: URL
  /// What a program is run through to see the disk.
  let through: [String]

  init(_ options: String, at home: URL) throws {
    self.home = home
    let ready = Pipe()
    keeper = Process()
    keeper.executableURL = URL(filePath: "/usr/bin/env")
    // It ends with this process: then its input does.
    let script = "mount -t tmpfs -o mode=700,\(options) tmpfs '\(home.path)' && echo ready && exec cat"
    keeper.arguments = ["unshare", "-rm", "sh", "-c", script]
    keeper.standardInput = Pipe()
    keeper.standardOutput = ready
    try keeper.run()
    let word = ready.fileHandleForReading.availableData
    try #require(String(decoding: word, as: UTF8.self) == "ready\n")
    through = ["nsenter", "-t", "\(keeper.processIdentifier)", "-U", "-m", "--preserve-credentials"]
  }

  deinit { keeper.terminate() }

  /// Runs a shell's words in the home; returns what they print.
  @discardableResult
  func shell(_ script: String) throws -> String {
    try Tool.run(through + ["sh", "-c", "cd '\(home.path)' && \(script)"], isQuiet: true).output
  }

  /// To its last byte; again, where something was freed meanwhile.
  func fill() throws { try shell("cat /dev/zero >> ballast; true") }
  func empty() throws { try shell("rm -f ballast") }
  func set(readOnly: Bool) throws { try shell("mount -o remount,\(readOnly ? "ro" : "rw") '\(home.path)'") }
}
