import Foundation
import TestSupport
import Testing

@Suite("The person's desktop")
struct DesktopTests {
  @Test("A reminder is told to the desktop in its own words, over the session bus and by no other program")
  func told() async throws {
    var program = try Program()
    let desktop = try Desktop(for: &program)
    // Whatever would be started for it is noted.
    let tools = program.home.appending(path: "tools")
    try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: false)
    let other = tools.appending(path: "notify-send")
    try Data("#!/bin/sh\necho \"$@\" >'\(tools.path)/told'\n".utf8).write(to: other)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: other.path)
    program.environment["PATH"] = tools.path + ":" + (program.environment["PATH"] ?? "/usr/bin:/bin")
    let owner = try await program.serve()
    let words = "remind me in 2 seconds to water the café’s <b>palms</b> & ferns"
    #expect(try await program.run("do", words, "--yes").status == 0)
    #expect(try await eventually { try desktop.notices.count == 1 })
    let notice = try #require(desktop.notices.first)
    #expect(notice.title == "Reminder" && notice.text.contains("water the café’s ‹b›palms‹/b› ＆ ferns"), "\(notice)")
    #expect(!FileManager.default.fileExists(atPath: tools.appending(path: "told").path))
    #expect(try await owner.end().status == 0)
  }

  @Test(
    "Where no desktop listens, a reminder waits in its list and the program goes on", arguments: ["nowhere", "silent"])
  func nobody(bus: String) async throws {
    var program = try Program()
    let place = URL(filePath: "/tmp/libera-bus-\(UUID().uuidString.prefix(8))")
    let silent = bus == "silent" ? try SilentSocket(at: place) : nil
    program.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(place.path)"
    let owner = try await program.serve()
    #expect(try await program.run("do", "remind me in 1 second to turn the valve", "--yes").status == 0)
    #expect(
      try await eventually { try await program.run("reminders", "list", "--json").output.contains("turn the valve") })
    #expect(try await program.run("do", "note that the valve is stiff").status == 0)
    #expect(try await owner.end().status == 0)
    try silent?.remove()
  }
}

/// Takes connections and says nothing.
private struct SilentSocket {
  private let file: URL
  private let descriptor: CInt

  init(at file: URL) throws {
    self.file = file
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(Sockets.bind(descriptor, to: file) && listen(descriptor, 4) == 0)
  }

  func remove() throws {
    close(descriptor)
    try FileManager.default.removeItem(at: file)
  }
}
