import Foundation
import TestSupport
import Testing

@testable import Core

@Suite("Settings")
struct SettingsTests {
  let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)/settings.json")

  private func store(_ text: String) throws {
    try Folders.make(file.deletingLastPathComponent())
    try Data(text.utf8).write(to: file)
  }

  @Test("A file of an older version is read over the defaults, unknown names are let be")
  func older() throws {
    try store(#"{"mode": "deep", "forgotten": {"a": [1]}}"#)
    let (settings, refused) = try Settings.read(file)
    #expect(settings.mode == .deep)
    #expect(settings.compute == .automatic)
    #expect(refused.isEmpty)
  }

  @Test("What is written is read again, but for the mail program and the folders, which settings do not decide")
  func roundTrip() throws {
    var settings = Settings()
    settings.threads = 3
    try settings.write(to: file)
    #expect(try Settings(over: file) == settings)
    settings.sendmail = "/usr/bin/msmtp -t"
    settings.notesFolder = "/data/notes"
    try settings.write(to: file)
    let kept = try Settings(over: file)
    #expect(kept.sendmail == nil && kept.notesFolder == nil && kept.threads == 3)
  }

  @Test("One setting is changed by its name, with a JSON value or a bare word")
  func change() throws {
    let settings = try Settings().setting("mode", to: "deep").setting("threads", to: "2").setting("offline", to: "true")
    #expect(settings.mode == .deep && settings.threads == 2 && settings.offline)
    #expect(try settings.setting("threads", to: "null").threads == nil)
    #expect(try settings.setting("mailFrom", to: "Ada <ada@example.org>").mailFrom == "Ada <ada@example.org>")
    #expect(try settings.setting("mailFrom", to: #""ada@example.org""#).mailFrom == "ada@example.org")
  }

  @Test("Every setting has a line in the table, and its default is what the table allows")
  func complete() throws {
    #expect(SettingRule.all.map(\.name) == Settings().entries.map(\.name))
    let defaults = try JSON.decode([String: JSONNode].self, from: JSON.encode(Settings()))
    for rule in SettingRule.all {
      #expect(rule.accepts(defaults[rule.name] ?? .null), "\(rule.name)")
      #expect(rule.accepts(.null) == rule.isOptional)
      #expect(!rule.accepts(.object([:])))
    }
  }

  @Test("The documentation's table is the program's")
  func documented() throws {
    let table = try SettingDescription.all().map { "| `\($0.name)` | `\($0.standard.words)` | \($0.allowed) |" }
      .joined(separator: "\n")
    #expect(
      try Checkout.text("docs/cli.md").contains("|---|---|---|\n\(table)\n\n"),
      "The table of docs/cli.md is to be:\n\(table)")
  }

  private func schema(_ one: SettingDescription) throws -> [String: Any] {
    let described = try JSONSerialization.jsonObject(with: JSON.encode(one)) as? [String: Any] ?? [:]
    let type =
      switch one.form {
      case .flag: "boolean"
      case .number: one.whole == true ? "integer" : "number"
      case .lines, .some, .paragraphs: "array"
      case .choice, .pack, .language, .text, .prose: "string"
      }
    var schema: [String: Any] = ["description": one.allowed, "default": described["standard"] ?? NSNull()]
    schema["type"] = one.nullable ? [type, "null"] : type
    schema["minimum"] = described["least"]
    schema[one.form == .prose ? "maxLength" : "maximum"] = described["most"]
    if type == "array" {
      schema["items"] = one.choices.map { ["type": "string", "enum": $0] as [String: Any] } ?? ["type": "string"]
    } else if let choices = one.choices {
      schema["enum"] = choices.map { $0 as Any } + (one.nullable ? [NSNull()] : [])
    }
    return schema
  }

  @Test("What docs/openapi.json says of the settings is the program's")
  func specified() throws {
    let file = try JSONSerialization.jsonObject(with: Data(Checkout.text("docs/openapi.json").utf8)) as? [String: Any]
    let schemas = (file?["components"] as? [String: Any])?["schemas"] as? [String: Any]
    let said = try #require((schemas?["Settings"] as? [String: Any])?["properties"] as? [String: Any])
    #expect(Set(said.keys) == Set(SettingRule.all.map(\.name)))
    for one in try SettingDescription.all() {
      let schema = try schema(one)
      let words = String(decoding: try JSONSerialization.data(withJSONObject: schema), as: UTF8.self)
      #expect(said[one.name] as? NSDictionary == schema as NSDictionary, "\(one.name) is to be \(words)")
    }
  }

  @Test("The page has a title and a line for every setting, in every language", arguments: ["en", "de", "fr"])
  func worded(language: String) throws {
    let words = try Checkout.text("Web/words/\(language).js")
    let start = try #require(words.firstRange(of: "settingNames: {")).upperBound
    let names = words[start...].prefix(20_000)
    for rule in SettingRule.all { #expect(names.contains("\(rule.name): ['"), "\(rule.name)") }
    let groups = try #require(words.firstMatch(of: /settingGroups: \{(.*?)\}/)).1
    for group in SettingRule.Group.allCases { #expect(groups.contains("\(group.rawValue): '"), "\(group)") }
  }

  @Test("What no setting can be is refused for every one of them, with what is allowed")
  func foreign() throws {
    let never = ["-1", "-9223372036854775808", "1e30", "-0.5", "{}", "[[1]]", "x\ny", "\u{1B}]52;c;YQ==\u{7}"]
    let wordless = SettingRule.all.filter {
      !["pack", "deepPack", "speechLanguage", "instructions"].contains($0.name)
    }
    for rule in wordless { for word in ["NaN", "inf"] { #expect(!rule.accepts(JSONNode(typed: word))) } }
    for rule in SettingRule.all where rule.name != "instructions" {
      for value in never + ["", "9223372036854775807", "[1]", "../x", "x\u{0}y", "\u{202E}txt"] {
        #expect {
          try Settings().setting(rule.name, to: value)
        } throws: {
          let error = RemoteError($0)
          let words = error.message + (error.remedy ?? "")
          return error.code == "setting_refused" && error.remedy != nil && SettingRule.isPlain(words)
        }
      }
    }
  }

  @Test(
    "Instructions are a text with lines of their own, neither empty, nor too long, nor with what cannot be seen",
    arguments: [
      ("Call me Ada.\nAnswer in German.\t👩‍🔧 می‌خواهم", true), (String(repeating: "ä", count: 2000), true),
      (String(repeating: "a", count: 2001), false), ("", false), (" \n ", false), ("a\u{0}b", false),
      ("\u{202E}txt", false), ("\u{1B}]52;c;YQ==\u{7}", false), ("a\u{E0041}b", false), ("7", false),
    ])
  func instructions(text: String, isAllowed: Bool) throws {
    let rule = try #require(SettingRule.of("instructions"))
    #expect(rule.accepts(JSONNode(typed: text)) == isAllowed)
    if isAllowed { #expect(try Settings().setting("instructions", to: text).instructions == text) }
    #expect(try Settings().setting("instructions", to: "null").instructions == nil)
  }

  @Test("The person's instructions are told where a person asks, and not to the conversation of another program")
  func told() {
    var settings = Settings()
    settings.instructions = "Call me Ada."
    for (caller, isTold) in [
      (Caller.terminal, true), (.page(session: "s"), true), (.key(id: "k", rights: [.ask]), false), (.stranger, false),
    ] {
      #expect(settings.instructions(for: caller) == (isTold ? "Call me Ada." : nil))
    }
  }

  @Test(
    "An unknown name or a value out of range is refused",
    arguments: [
      ("colour", "red"), ("mode", "slow"), ("threads", "\"two\""), ("threads", "0"), ("threads", "257"),
      ("threads", "1.5"), ("threshold", "1.01"), ("threshold", "true"), ("offline", "1"), ("offline", "\"true\""),
      ("mode", "null"), ("idleUnloadMinutes", "null"), ("speechLanguage", "english"), ("vocabulary", "word"),
      ("connectors", #"["shell"]"#), ("mailUndoSeconds", "-15"), ("pack", "../../etc"), ("voiceThreshold", "0"),
      ("mailFrom", "Ada"), ("mailFrom", "a@b\r\nBcc: eve@example.org"), ("mailFrom", "<a@b> <c@d>"),
      ("aliases", #"["gpt-4o"]"#), ("aliases", #"["a=b", "a=c"]"#), ("aliases", #"["a=../b"]"#), ("origins", #"["*"]"#),
      ("origins", #"["null"]"#), ("origins", #"["https://a.org/"]"#), ("origins", #"["https://*.a.org"]"#),
      ("templates", #"["no text:"]"#), ("templates", #"[": no name"]"#), ("templates", #"["a\nb: c"]"#),
      ("repositories", #"["a"]"#), ("repositories", #"["../b"]"#), ("repositories", #"["a/b/c"]"#),
    ])
  func refused(name: String, value: String) {
    #expect(throws: SettingsError.self) { try Settings().setting(name, to: value) }
  }

  @Test("A folder is named by its whole path, and is neither the home, a folder around it, nor another program's own")
  func folders() {
    for folder in [
      "/data/notes", "~/Notes", "/home/ada/Nextcloud/Notes", "~/.local/share/khal/calendars/home", "~/.maildir",
    ] {
      #expect(SettingRule.isFolder(folder, home: "/home/ada"), "\(folder)")
    }
    for folder in [
      "", "/", "notes", "./notes", "~", "~/", "/home", "/home/ada", "/home/ada/", "/home/ada/./", "~/.ssh",
      "~/.config/autostart",
      "~/Notes/../.ssh", "/home/./ada", "~/.local/share/applications", "~bob/x", "/data/.git", "~/.calendars/.x",
    ] {
      #expect(!SettingRule.isFolder(folder, home: "/home/ada"), "\(folder)")
    }
  }

  @Test("A file's bad values give way to the defaults one by one, each with a reason")
  func badFile() throws {
    try store(
      #"{"mode": "deep", "threads": -4, "mailUndoSeconds": 1e300, "vocabulary": "x", "notesFolder": "../x", "threshold": [], "#
        + #""sendmail": "/bin/sh -c id", "idleUnloadMinutes": 5}"#)
    let (settings, refused) = try Settings.read(file)
    var expected = Settings()
    expected.mode = .deep
    expected.idleUnloadMinutes = 5
    #expect(settings == expected)
    let names = ["threads", "threshold", "vocabulary", "notesFolder", "sendmail", "mailUndoSeconds"]
    #expect(refused.count == names.count)
    for (error, name) in zip(refused, names) { #expect(error.message.contains(name) && error.remedy != nil) }
  }

  @Test("A file that is no object is an error, not a silent default, and one that is a pipe is not waited for")
  func notAnObject() throws {
    for text in [
      "[1]", "", "{", "\u{0}", "3", String(repeating: "[", count: 513), String(repeating: "[{", count: 9000),
    ] {
      try store(text)
      #expect(throws: SettingsError.self) { try Settings(over: file) }
    }
    try FileManager.default.removeItem(at: file)
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(throws: FileError.self) { try Settings(over: file) }
  }

  @Test("A link in the place of the settings stays, and what it leads to is written")
  func linked() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "own"), withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let (own, file) = (folder.appending(path: "own/settings.json"), folder.appending(path: "settings.json"))
    try Settings().write(to: own)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: own)
    var changed = Settings()
    changed.mailUndoSeconds = 77
    try changed.write(to: file)
    #expect(RegularFile.isLink(file.path))
    #expect(try String(contentsOf: own, encoding: .utf8).contains("77"))
  }
}
