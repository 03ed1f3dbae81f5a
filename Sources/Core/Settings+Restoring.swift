package import Foundation

extension Settings {
  /// No settings file of ours is larger.
  package static let mostBytes = 1 << 20

  /// What a backup may bring along: how answers are made and how listening works. What names programs and places, lets something
  /// be done unasked, lets anything out or speaks in the person's name (`instructions`) is set on the machine itself; a setting that stands
  /// in neither list is not brought.
  static let carried: Set<String> = [
    "mode", "provider", "pack", "deepPack", "compute", "threads", "microBatch", "kvType", "flashAttention",
    "contextTokens",
    "passages",
    "threshold", "generationTokens", "evidenceSeconds", "idleUnloadMinutes", "backgroundUnloadSeconds",
    "breakAfterMinutes",
    "aliases", "templates",
    "tier", "speechLanguage", "vocabulary", "voiceThreshold", "hangOverMs", "automaticStopMs",
  ]

  /// These settings with what a backup's settings file may change of them, and the names of what it would have changed besides.
  /// What a backup forbids is forbidden afterwards; what it allows is not therefore allowed.
  package func taking(_ backup: Data) throws -> (settings: Settings, kept: [String]) {
    guard backup.count <= Self.mostBytes, case .object(let theirs) = try JSON.decode(JSONNode.self, from: backup) else {
      throw SettingsError.notAnObject("settings.json")
    }
    let defaults = try JSONNode.fields(of: Settings())
    var object = try JSONNode.fields(of: self)
    for name in Self.carried { object[name] = theirs[name] ?? defaults[name] }
    if theirs["offline"] == .flag(true) { object["offline"] = .flag(true) }
    if let allowed = theirs["connectors"]?.allTexts {
      object["connectors"] = .list(connectors.filter(allowed.contains).map(JSONNode.text))
    }
    let taken = try JSON.decode(Settings.self, from: JSON.encode(object))
    // Names that nobody here knows are not repeated to the person.
    let known = Set(Mirror(reflecting: self).children.compactMap(\.label)).union(Self.formerlySet)
    let kept = theirs.keys.sorted().filter { name in
      known.contains(name) && !Self.carried.contains(name)
        && theirs[name] ?? .null != object[name] ?? defaults[name] ?? .null
    }
    return (taken, kept)
  }

  /// Programs and places that settings of earlier versions named.
  private static let formerlySet: Set<String> = [
    "sendmail", "mailFrom", "calendarFolder", "tasksFolder", "notesFolder", "mailFolder",
  ]
}
