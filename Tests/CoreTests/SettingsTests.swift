import Foundation
import Testing

@testable import Core

@Suite("Settings")
struct SettingsTests {
  let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)/settings.json")

  @Test("A file of an older version is read over the defaults, unknown names are let be")
  func older() throws {
    try Folders.make(file.deletingLastPathComponent())
    try Data(#"{"mode": "deep", "forgotten": 1}"#.utf8).write(to: file)
    let settings = try Settings(over: file)
    #expect(settings.mode == .deep)
    #expect(settings.compute == .automatic)
  }

  @Test("What is written is read again")
  func roundTrip() throws {
    var settings = Settings()
    settings.threads = 3
    try settings.write(to: file)
    #expect(try Settings(over: file) == settings)
  }

  @Test("One setting is changed by its name, with a JSON value or a bare word")
  func change() throws {
    let settings = try Settings().setting("mode", to: "deep").setting("threads", to: "2").setting("offline", to: "true")
    #expect(settings.mode == .deep && settings.threads == 2 && settings.offline)
    #expect(try settings.setting("threads", to: "null").threads == nil)
  }

  @Test(
    "An unknown name or a value of the wrong kind is refused",
    arguments: [("colour", "red"), ("mode", "slow"), ("threads", "\"two\"")])
  func refused(name: String, value: String) {
    #expect(throws: SettingsError.self) { try Settings().setting(name, to: value) }
  }

  @Test("A file that is no object is an error, not a silent default")
  func notAnObject() throws {
    try Folders.make(file.deletingLastPathComponent())
    try Data("[1]".utf8).write(to: file)
    #expect(throws: SettingsError.self) { try Settings(over: file) }
  }
}
