import Assistant
import Core
import Foundation

enum SettingsCommand: Command {
  static let name = "settings"
  static let summary = "settings: get, set, describe"
  static let examples = [
    "libera settings get", "libera settings set mode deep", "libera settings set offline true",
    "libera settings describe mode",
  ]
  static let usage = "get [NAME] | set NAME VALUE | describe [NAME]"

  /// The permissions are written here, by a process that a person has just started and that has read nothing else. The owner of the
  /// house, which may be another process, is only told that they changed.
  static func prepare(_ arguments: Arguments, _ folders: Folders) throws {
    let words = arguments.words
    guard words.count == 3, words[0] == "set", let rule = SettingRule.of(words[1]),
      rule.setBy == .terminal || rule.name == "offline"
    else { return }
    var settings = try Settings(over: folders.settings)
    var permissions = try Permissions.read(folders.permissions) ?? Permissions(offline: settings.offline)
    let changed = try permissions.governing(settings).setting(words[1], to: words[2])
    if words[1] == "sendmail", let command = changed.sendmail {
      try MailProgram(command).check(outside: [folders.data, folders.configuration, folders.cache])
    }
    permissions = Permissions(of: changed)
    try permissions.write(to: folders.permissions)
    if settings.offline, !permissions.offline {
      // They would forbid it again at the next start.
      settings.offline = false
      try settings.write(to: folders.settings)
    }
  }

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let words = arguments.words.isEmpty ? ["get"] : arguments.words
    let door = try await context.door()
    switch (words[0], words.count) {
    case ("get", 1...2):
      for try await settings in door.call(ShowSettings.self, Nothing()) {
        try show(settings, words.dropFirst().first, context)
      }
    case ("set", 3):
      for try await settings in door.call(ChangeSetting.self, .init(name: words[1], value: words[2])) {
        try show(settings, words[1], context)
      }
      switch SettingRule.of(words[1])?.kind {
      case .folder: context.terminal.note(say("What runs now writes there from its next start on."))
      case .origins: context.terminal.note(say("A server that runs obeys it from its next start on."))
      default: break
      }
    case ("describe", 1...2): try await describe(words.dropFirst().first, door, context)
    case ("set", 1): throw UsageError.missing("The setting's name")
    case ("set", 2): throw UsageError.missing("The setting's value")
    case ("get", _), ("set", _), ("describe", _): throw UsageError.tooMany(words[words.first == "set" ? 3 : 2])
    default: throw UsageError.unknownCommand("settings \(words[0])")
    }
  }

  private static func describe(_ name: String?, _ door: Door, _ context: Context) async throws {
    if let name, SettingRule.of(name) == nil { throw SettingsError.unknown(name, SettingRule.all.map(\.name)) }
    for try await about in door.call(DescribeSettings.self, Nothing()) where name == nil || about.name == name {
      try context.line(about, say("\(about.name) (\(about.standard.words) unless set): \(told(about.allowed))"))
    }
  }

  private static func show(_ settings: Settings, _ name: String?, _ context: Context) throws {
    if context.json, name == nil { return context.terminal.line(try JSON.line(settings)) }
    let known = settings.entries
    if let name, !known.contains(where: { $0.name == name }) {
      throw SettingsError.unknown(name, known.map(\.name))
    }
    for (label, value) in known where name == nil || label == name {
      context.terminal.line(context.json ? try JSON.line([label: value]) : name == nil ? "\(label) = \(value)" : value)
    }
  }
}
