import Foundation
import LiberaDoors
import LiberaScreens
import Testing

@testable import LiberaShare

/// What Xcode's project is made of. No Mac has opened it; here its files are held to what the code uses.
@Suite("The files of the Xcode project")
struct ProjectTests {
  private static let folder = WordsTests.tables.appending(path: "../../Xcode").standardizedFileURL

  private func list(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: Self.folder.appending(path: name))
    return try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
  }

  @Test("Info.plist has the words for everything that the app asks for, and permits the background work by its name")
  func info() throws {
    let info = try list("App-Info.plist")
    for name in ["Microphone", "SpeechRecognition", "Camera", "CalendarsFullAccess", "RemindersFullAccess"] {
      let words = try #require(info["NS\(name)UsageDescription"] as? String, "\(name)")
      #expect(words.count > 20)
    }
    #expect(info["BGTaskSchedulerPermittedIdentifiers"] as? [String] == [ApplePowerTime.name])
    #expect(info["UIBackgroundModes"] as? [String] == ["processing"])
    #expect(info["NSPhotoLibraryUsageDescription"] == nil, "the picker needs no leave")
    #expect(info["LiberaProducts"] == nil, "nothing is sold")
    #expect(info["NSAppTransportSecurity"] == nil)
  }

  @Test("The app group is the same in both entitlements and in the code, and no entitlement asks for a network")
  func entitlements() throws {
    for name in ["App-iOS", "Share"] {
      let groups = try list("\(name).entitlements")["com.apple.security.application-groups"] as? [String]
      #expect(groups == [ShareInbox.group] && groups == [Doors.group])
    }
    let mac = try list("App-macOS.entitlements")
    #expect(mac["com.apple.security.app-sandbox"] as? Bool == true)
    for name in ["App-iOS", "Share", "App-macOS"] {
      try #expect(list("\(name).entitlements").keys.allSatisfy { !$0.contains("network") })
    }
  }

  @Test("The share extension names the class that is there, and its project the files that are there")
  func share() throws {
    let extended = try #require(try list("Share-Info.plist")["NSExtension"] as? [String: Any])
    #expect(extended["NSExtensionPointIdentifier"] as? String == "com.apple.share-services")
    let name = try #require(extended["NSExtensionPrincipalClass"] as? String)
    #expect(name.split(separator: ".").last.map(String.init) == "\(ShareController.self)")
    let project = try String(contentsOf: Self.folder.appending(path: "project.yml"), encoding: .utf8)
    let named = project.matches(of: /(?:path: |FILE: |ENTITLEMENTS[^:]*: |- |\[)((?:\.\.\/)*[A-Za-z\/-]+\.?[A-Za-z]*)/)
      .map { String($0.1) }.filter { $0.contains(".") }
    #expect(named.count > 8)
    for path in named {
      let file = Self.folder.appending(path: path).standardizedFileURL
      #expect(FileManager.default.fileExists(atPath: file.path), "\(path)")
    }
  }

  @Test("The widget's extension is one, has no entitlement, and no other app can send the app its link")
  func widget() throws {
    let extended = try #require(try list("Widget-Info.plist")["NSExtension"] as? [String: Any])
    #expect(extended["NSExtensionPointIdentifier"] as? String == "com.apple.widgetkit-extension")
    #expect(extended["NSExtensionPrincipalClass"] == nil)
    for name in ["App", "Share", "Widget"] { #expect(try list("\(name)-Info.plist")["CFBundleURLTypes"] == nil) }
    let project = try String(contentsOf: Self.folder.appending(path: "project.yml"), encoding: .utf8)
    let widget = try #require(project.components(separatedBy: "\n  Widget:\n").last)
    #expect(widget.contains("LIBERA_WIDGET") && widget.contains("DictateIntent.swift"))
    #expect(!widget.contains("ENTITLEMENTS") && !widget.contains("package:"))
    #expect(project.contains("{ target: Widget, platformFilter: iOS }"))
    let features = try String(contentsOf: Self.folder.appending(path: "../../Package.swift"), encoding: .utf8)
      .matches(of: /enableUpcomingFeature\("([A-Za-z]+)"\)/).map { String($0.1) }
    #expect(!features.isEmpty)
    for feature in features { #expect(project.contains("-enable-upcoming-feature \(feature)")) }
  }
}
