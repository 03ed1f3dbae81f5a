import Core
import Foundation
import TestSupport
import Testing
import Workers

@testable import Assistant

@Suite("What only a terminal decides")
struct TerminalPermissionsTests {
  private func refused(_ home: OpenHouse, _ name: String, _ value: String) async {
    await #expect {
      _ = try await home.all(ChangeSetting.self, .init(name: name, value: value))
    } throws: {
      RemoteError($0).code == "setting_refused" && RemoteError($0).remedy?.contains("libera settings set") == true
    }
  }

  @Test(
    "The house turns offline on at once and never off, and names no mail program; it takes up what a terminal wrote")
  func house() async throws {
    let home = try OpenHouse(launching: true)
    await home.house.open()
    let changed = try await home.all(ChangeSetting.self, .init(name: "offline", value: "true"))
    #expect(changed.last?.offline == true)
    #expect(try Permissions.read(home.folders.permissions) == Permissions(offline: true))
    await refused(home, "offline", "false")
    await refused(home, "sendmail", "/usr/bin/msmtp -t")
    #expect(try await home.house.launcher?.permissions() == Permissions(offline: true))

    try Permissions(sendmail: "/usr/bin/msmtp -t").write(to: home.folders.permissions)
    let told = try await home.all(ChangeSetting.self, .init(name: "offline", value: "false"))
    #expect(told.last?.offline == false && told.last?.sendmail == "/usr/bin/msmtp -t")
    await refused(home, "sendmail", "null")
    // Another setting takes nothing back, and neither does forgetting them all.
    _ = try await home.all(ChangeSetting.self, .init(name: "mode", value: "deep"))
    try await home.house.forgetSettings()
    #expect(home.house.settings.sendmail == "/usr/bin/msmtp -t")
    await home.house.close()
  }

  @Test("The doctor names what the settings file could not be taken for, and says that offline is set")
  func doctor() async throws {
    let scratch = try Scratch("house")
    let folders = Folders(
      home: scratch.folder.appending(path: "home", directoryHint: .isDirectory),
      environment: ["HOME": scratch.folder.path])
    try Folders.make(folders.configuration)
    try Data(#"{"threads": -1, "offline": true}"#.utf8).write(to: folders.settings)
    let home = try OpenHouse(in: folders, launching: true)
    await home.house.open()
    let checks = try #require(await home.all(Doctor.self, Nothing()).last).checks
    #expect(checks.first { $0.name == "settings" }?.detail.contains("threads as -1") == true)
    #expect(checks.first { $0.name == "network" }?.detail.contains("offline is set") == true)
    await home.house.close()
  }
}
