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

  @Test("What the app asks for is said in each of its languages", arguments: ["en", "de", "fr"])
  func asked(language: String) throws {
    let asked = try list("App-Info.plist").compactMapValues { $0 as? String }.filter {
      $0.key.hasSuffix("UsageDescription")
    }
    let table = try String(
      contentsOf: Self.folder.appending(path: "Words/\(language).lproj/InfoPlist.strings"), encoding: .utf8)
    let said = Dictionary(
      uniqueKeysWithValues: table.matches(of: /"(\w+)" = "([^"]+)";/).map { (String($0.1), String($0.2)) })
    #expect(Set(said.keys) == Set(asked.keys) && said.values.allSatisfy { $0.count > 20 })
    #expect((said == asked) == (language == "en"), "the words of Info.plist are the English ones")
    let languages = try list("App-Info.plist")["CFBundleLocalizations"] as? [String]
    #expect(languages?.contains(language) == true)
  }

  @Test("The privacy manifest: nothing is tracked or collected, and what needs a reason is used and has one")
  func privacy() throws {
    let manifest = try list("PrivacyInfo.xcprivacy")
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    for none in ["NSPrivacyTrackingDomains", "NSPrivacyCollectedDataTypes"] {
      #expect((manifest[none] as? [Any])?.isEmpty == true)
    }
    let named = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
    let reasons = Dictionary(
      uniqueKeysWithValues: try named.map { one in
        (
          try #require(one["NSPrivacyAccessedAPIType"] as? String)
            .replacingOccurrences(of: "NSPrivacyAccessedAPICategory", with: ""),
          try #require(one["NSPrivacyAccessedAPITypeReasons"] as? [String])
        )
      })
    #expect(reasons.values.allSatisfy { !$0.isEmpty })
    // What Apple asks a reason for, by what names it in sources.
    let categories = [
      "UserDefaults": /@AppStorage|UserDefaults/, "FileTimestamp": /st_mtim|contentModificationDate/,
      "DiskSpace": /statvfs\(|volumeAvailableCapacity/, "SystemBootTime": /systemUptime|mach_absolute_time/,
      "ActiveKeyboards": /activeInputModes/,
    ]
    let root = Self.folder.appending(path: "../..").standardizedFileURL
    var used: Set<String> = []
    for folder in ["Apps/Libera", "Apps/Doors", "Apps/Intents", "Sources"] {
      let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        let text = try String(contentsOf: file, encoding: .utf8)
        for (category, sign) in categories where text.contains(sign) { used.insert(category) }
      }
    }
    #expect(used == Set(reasons.keys))
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

  @Test("The C libraries that README.md says the app needs are those that it links, and the others are not")
  func libraries() throws {
    let names = [
      "CSQLite": "SQLite", "CXML": "libxml2", "CSodium": "libsodium", "CPDFium": "PDFium", "CTesseract": "Tesseract",
      "CLeptonica": "Leptonica", "CArchive": "libarchive", "CMarkdown": "cmark-gfm", "CICal": "libical",
      "CSndFile": "libsndfile", "CFFmpeg": "FFmpeg", "CHTTP": "libmicrohttpd", "CCurl": "curl", "CEdit": "libedit",
      "CSeccomp": "libseccomp", "CALSA": "ALSA", "CZlib": "zlib",
    ]
    let root = Self.folder.appending(path: "../..").standardizedFileURL
    let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
    let rooms = manifest.matches(of: /room\(\s*"(\w+)"[^\]]*?imports: \[([^\]]*)\]/).map { room in
      (String(room.1), room.2.matches(of: /"(\w+)"/).map { String($0.1) })
    }
    let imports = Dictionary(rooms) { first, _ in first }
    var (linked, open) = (Set<String>(), ["LiberaApp", "LiberaDoors"])
    while let next = open.popLast() {
      if linked.insert(next).inserted { open += imports[next] ?? [] }
    }
    // Only Linux has it.
    #expect(linked.remove("CSeccomp") != nil && manifest.contains(#"condition: .when(platforms: [.linux])"#))
    let needed = Set(names.keys).intersection(linked)
    #expect(needed.count == 11, "\(needed)")

    let page = try String(contentsOf: root.appending(path: "Apps/README.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
    let others = try #require(rows.first { $0.contains("not linked by the app") })
    for (target, name) in names {
      #expect(others.contains(name) == !needed.contains(target), "\(name)")
      #expect(rows.contains { $0.contains(name) }, "\(name)")
    }
  }
}
