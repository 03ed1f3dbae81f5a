import Foundation
import TestSupport
import Testing

/// A session bus with a notification service on it, which writes down what it is asked to show (Tests/Shims/desktop.py).
struct Desktop {
  private let scratch: Scratch
  private let process = Process()
  private var folder: URL { scratch.folder }

  /// From here on the program's notifications come here.
  init(for program: inout Program) throws {
    // The address of a socket is short. With its folder the bus ends.
    scratch = try Scratch("desktop", in: URL(filePath: "/tmp"))
    let told = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", Shim.source("desktop.py").path, folder.path]
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
}
