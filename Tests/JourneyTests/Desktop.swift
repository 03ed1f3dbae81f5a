import Foundation
import Testing

/// A session bus with a notification service on it, which writes down what it is asked to show (Tests/Shims/desktop.py).
struct Desktop {
  private let folder: URL
  private let process = Process()

  /// From here on the program's notifications come here.
  init(for program: inout Program) throws {
    folder = URL(filePath: "/tmp/libera-desktop-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Shims/desktop.py")
    let told = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.path, folder.path]
    process.standardOutput = told
    try process.run()
    let ready = String(decoding: told.fileHandleForReading.availableData, as: UTF8.self)
    try #require(ready.contains("ready"), "\(ready)")
    program.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(folder.path)/bus"
  }

  var notices: [(title: String, text: String)] {
    get throws {
      try String(contentsOf: folder.appending(path: "notices.txt"), encoding: .utf8).split(separator: "\n").map {
        let parts = $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.dropFirst().joined(separator: "\t"))
      }
    }
  }

  func remove() throws {
    try FileManager.default.removeItem(at: folder)
    process.waitUntilExit()
  }
}
