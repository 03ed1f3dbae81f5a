package import Foundation

/// Fast answers soon from little; Deep reads more and takes longer. Their numbers live in `Resources`.
public enum Mode: String, Codable, Sendable, CaseIterable {
  case fast, deep
}

/// Where a model computes: on a graphics card with as many layers as it takes, where one is here and set up, or on the processor alone.
/// `automatic` takes a card with memory of its own, `gpu` any.
public enum Compute: String, Codable, Sendable, CaseIterable {
  case automatic, cpu, gpu
}

/// Who can write an answer, in the order they are preferred.
public enum ProviderKind: String, Codable, Sendable, CaseIterable {
  /// The platform's own model (Apple Foundation Models).
  case platform
  /// A pack on this device.
  case local
  /// Quotes the best evidence; no model.
  case extractive
  /// Says what could not be done and what to try; always there.
  case templates
}

/// How a model keeps what it has read: the smaller form takes half of the memory and computes a little slower.
public enum KVType: String, Codable, Sendable, CaseIterable {
  case f16
  case q8 = "q8_0"
}

/// What a person may use of local packs. This build gives everything; the others are for builds that are sold.
public enum Allowance: String, Codable, Sendable, CaseIterable {
  case free, pro, lifetime
}

/// Everything a person can set, with its default in this one place.
public struct Settings: Codable, Sendable, Equatable {
  public var mode = Mode.fast
  /// What every answer that a model writes is told of the person and of how to answer; nil: nothing.
  public var instructions: String?
  /// Who answers; nil: the first of the chain that can.
  public var provider: ProviderKind?
  /// The chat pack to use; nil lets the device decide.
  public var pack: String?
  /// The chat pack to use in Deep; nil: the same as in Fast.
  public var deepPack: String?
  public var compute = Compute.automatic
  /// nil: chosen by measurement.
  public var threads: Int?
  public var microBatch: Int?
  public var kvType: KVType?
  public var flashAttention: Bool?
  public var contextTokens: Int?
  /// Passages, relevance threshold, answer length and seconds of reading evidence; nil leaves each to the mode.
  public var passages: Int?
  public var threshold: Double?
  public var generationTokens: Int?
  public var evidenceSeconds: Double?
  /// A pack unused for this long leaves memory; 0 keeps it.
  public var idleUnloadMinutes = 10
  /// Once no page has been visible for this long and nothing runs, packs leave memory.
  public var backgroundUnloadSeconds = 20
  /// A break is suggested after so many minutes of work without a pause; 0 never.
  public var breakAfterMinutes = 15
  public var tier = Allowance.lifetime
  /// The language that is spoken ("en", "de"), or "auto": found from the first words, which takes longer.
  public var speechLanguage = "en"
  /// Names and terms of the person's own, which recognition should expect.
  public var vocabulary: [String] = []
  /// How sure the detector must be that somebody speaks, the silence that ends an utterance, and the silence that ends
  /// listening (nil: never by itself).
  public var voiceThreshold = 0.5
  public var hangOverMs = 300
  public var automaticStopMs: Int? = 2000
  /// What may be acted on: "calendar", "tasks", "notes", "mail" (drafts and sending), "inbox" (reading mail).
  public var connectors = ["calendar", "tasks", "notes", "mail", "inbox"]
  /// Where actions land: a vdir collection each, a folder, a Maildir; nil is a folder of ours.
  public var calendarFolder: String?
  public var tasksFolder: String?
  public var notesFolder: String?
  public var mailFolder: String?
  /// Who mail is from, and the program that sends it with its arguments ("/usr/bin/msmtp -t"); nil: mail stays a draft.
  public var mailFrom: String?
  public var sendmail: String?
  /// Confirmed mail waits this long, so that it can be taken back.
  public var mailUndoSeconds = 15
  /// Mail goes without asking where it was understood well enough.
  public var sendsUnasked = false
  /// No process with network is ever started.
  public var offline = false
  /// What the page offers to write into a question, as in "Shorter: Say this in one sentence: {selection}".
  public var templates: [String] = []
  /// Names under which programs may ask for a pack, as in "gpt-4o=qwen2.5-coder-1.5b-instruct-q4_k_m".
  public var aliases: [String] = []
  /// Pages of others that may use the API with a key, as in "https://chat.example.org"; nil: none.
  public var origins: [String]?
  /// Repositories of the hub from which models may be fetched, as in "OWNER/REPO"; nil: none.
  public var repositories: [String]?

  public init() {}

  /// Reads a settings file over the defaults, so that a file written by an older version keeps working.
  package init(over file: URL) throws { self = try Settings.read(file).settings }

  /// What a settings file says, over the defaults, and why some of it was not taken: whoever wrote it, by hand or long ago, it is
  /// held to the same table as what is set now.
  package static func read(_ file: URL) throws -> (settings: Settings, refused: [SettingsError]) {
    guard FileManager.default.fileExists(atPath: file.path) else { return (Settings(), []) }
    let stored: [String: JSONNode]
    do {
      stored = try JSON.decode([String: JSONNode].self, from: RegularFile.whole(file.path, limit: 1 << 20))
    } catch is DecodingError {
      throw SettingsError.notAnObject(file.path)
    }
    var refused: [SettingsError] = []
    var values = try JSONNode.fields(of: Settings())
    for rule in SettingRule.all {
      guard let value = stored[rule.name] else { continue }
      if rule.setBy == .terminal {
        // Whoever can write settings must not thereby choose a program or a place: the permissions name them.
        if value != .null { refused.append(.belongsToPermissions(rule)) }
      } else if rule.accepts(value) {
        values[rule.name] = value
      } else {
        refused.append(.notTaken(rule, value))
      }
    }
    return (try JSON.decode(Settings.self, from: JSON.encode(values)), refused)
  }

  /// The same settings with one of them, by its name in the file, replaced by a JSON value ("fast", 4, true, null).
  package func setting(_ name: String, to json: String) throws -> Settings {
    guard let rule = SettingRule.of(name) else { throw SettingsError.unknown(name, SettingRule.all.map(\.name)) }
    let value = JSONNode(typed: json)
    if case .mailProgram = rule.kind, case .text(let command) = value { _ = try MailProgram(command) }
    guard rule.accepts(value) else { throw SettingsError.badValue(rule, json) }
    var values = try JSONNode.fields(of: self)
    values[name] = value
    return try JSON.decode(Settings.self, from: JSON.encode(values))
  }

  /// What answers to this caller are told. What a program asks with its key is a conversation of its own.
  package func instructions(for caller: Caller) -> String? { caller.isPerson ? instructions : nil }

  /// Every setting by its name and as a person reads it.
  package var entries: [(name: String, value: String)] {
    Mirror(reflecting: self).children.compactMap { child in
      guard let label = child.label else { return nil }
      let value = Mirror(reflecting: child.value)
      let inner: Any? = value.displayStyle == .optional ? value.children.first?.value : child.value
      return (label, inner.map { "\($0)" } ?? "null")
    }
  }

  package func write(to file: URL) throws {
    try Folders.make(file.deletingLastPathComponent())
    // Programs and places are named in the permissions alone; here they would travel with backups and be believed by nobody.
    let kept = Permissions(offline: offline).governing(self)
    var written = try JSONNode.fields(of: kept)
    // Nothing instead of a default that is something has to be said, or the default would come back.
    for name in try JSONNode.fields(of: Settings()).keys where written[name] == nil { written[name] = .null }
    // A link of the person's stays, and the file that it leads to is the one that is written.
    let end = RegularFile.isLink(file.path) ? RegularFile.resolved(file.path) : nil
    try DurableFile.write(JSON.encode(written, pretty: true), to: end.map { URL(filePath: $0) } ?? file)
  }
}

package enum SettingsError: Explained {
  case notAnObject(String)
  case unreadable(String, String)
  case unknown(String, [String])
  case badValue(SettingRule, String)
  /// What a file says, where the default is used instead.
  case notTaken(SettingRule, JSONNode)
  case belongsToPermissions(SettingRule)
  case terminalOnly(String, String)

  /// Which setting it is about.
  package var setting: String? {
    switch self {
    case .notAnObject, .unreadable: nil
    case .unknown(let name, _), .terminalOnly(let name, _): name
    case .badValue(let rule, _), .notTaken(let rule, _), .belongsToPermissions(let rule): rule.name
    }
  }

  package var code: String {
    switch self {
    case .notAnObject, .unreadable: "settings_unreadable"
    case .unknown: "setting_not_found"
    case .badValue, .notTaken, .belongsToPermissions, .terminalOnly: "setting_refused"
    }
  }
  package var message: String {
    switch self {
    case .notAnObject(let path): "The settings file \(path) does not hold a JSON object."
    case .unreadable(let path, let reason): "The settings file \(path) cannot be read: \(reason)."
    case .unknown(let name, _): "There is no setting \"\(Self.plain(name))\"."
    case .badValue(let rule, let value): "The setting \(rule.name) cannot be \"\(Self.plain(value))\"."
    case .notTaken(let rule, let value):
      "The settings file gives \(rule.name) as \(Self.plain(value.words)), which it cannot be: the default holds."
    case .belongsToPermissions(let rule):
      "The settings file gives \(rule.name), which is not believed there: the default holds."
    case .terminalOnly(let name, _): "The setting \(name) is changed in a terminal only."
    }
  }
  package var remedy: String? {
    switch self {
    case .notAnObject, .unreadable: "Mend it or delete it; the defaults then apply."
    case .unknown(let name, let names):
      Nearest.question(name, among: names) + "\"libera settings describe\" lists them."
    case .badValue(let rule, _), .notTaken(let rule, _): "It is \(rule.allowed)."
    case .belongsToPermissions(let rule): "Set it in a terminal: libera settings set \(rule.name) …"
    case .terminalOnly(let name, let value): "Type: libera settings set \(name) \(Self.shell(value))"
    }
  }

  /// Short enough to be read, and nothing in it that moves a terminal's cursor.
  private static func plain(_ text: String) -> String {
    String(text.prefix(60).map { SettingRule.isPlain(String($0)) ? $0 : "?" })
  }

  private static func shell(_ value: String) -> String {
    let word = plain(value)
    return word.contains { !$0.isLetter && !$0.isNumber }
      ? "'\(word.replacing("'", with: "'\\''"))'" : word
  }
}
