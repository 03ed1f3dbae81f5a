package import Foundation

/// Fast answers soon from little; Deep reads more and takes longer. Their numbers live in `Resources`.
public enum Mode: String, Codable, Sendable, CaseIterable {
  case fast, deep
}

/// Where a model computes: all of its layers on one side, never split.
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
  /// Who answers; nil: the first of the chain that can.
  public var provider: ProviderKind?
  /// The chat pack to use; nil lets the device decide.
  public var pack: String?
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

  public init() {}

  /// Reads a settings file over the defaults, so that a file written by an older version keeps working.
  package init(over file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    let defaults = try JSONSerialization.jsonObject(with: JSON.encode(Settings())) as? [String: Any] ?? [:]
    guard
      let stored = try JSONSerialization.jsonObject(with: RegularFile.whole(file.path, limit: 1 << 20))
        as? [String: Any]
    else {
      throw SettingsError.notAnObject(file.path)
    }
    let merged = defaults.merging(stored) { $1 }
    self = try JSON.decode(Settings.self, from: JSONSerialization.data(withJSONObject: merged))
  }

  /// The same settings with one of them, by its name in the file, replaced by a JSON value ("fast", 4, true, null).
  package func setting(_ name: String, to json: String) throws -> Settings {
    // Optional settings that are nil are absent from the encoded form, so the names come from the type itself.
    guard Mirror(reflecting: self).children.contains(where: { $0.label == name }) else {
      throw SettingsError.unknown(name, Mirror(reflecting: self).children.compactMap(\.label))
    }
    var object = try JSONSerialization.jsonObject(with: JSON.encode(self)) as? [String: Any] ?? [:]
    let quoted = Data("\"\(json)\"".utf8)
    // A bare word is taken as a string, so that a shell needs no second pair of quotes.
    let value =
      try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    object[name] = try value ?? JSONSerialization.jsonObject(with: quoted, options: .fragmentsAllowed)
    do {
      return try JSON.decode(Settings.self, from: JSONSerialization.data(withJSONObject: object))
    } catch is DecodingError { throw SettingsError.badValue(name, json) }
  }

  /// Folders of the person's own that actions are written to. They are opened at the start: one that is changed later is written to
  /// from the next start on.
  package var chosenFolders: [String] { [calendarFolder, tasksFolder, notesFolder, mailFolder].compactMap(\.self) }
  package static let folderNames: Set = ["calendarFolder", "tasksFolder", "notesFolder", "mailFolder"]

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
    try DurableFile.write(JSON.encode(self, pretty: true), to: file)
  }
}

package enum SettingsError: Explained {
  case notAnObject(String)
  case unknown(String, [String])
  case badValue(String, String)

  package var code: String {
    switch self {
    case .notAnObject: "settings_unreadable"
    case .unknown: "setting_not_found"
    case .badValue: "setting_refused"
    }
  }
  package var message: String {
    switch self {
    case .notAnObject(let path): "The settings file \(path) does not hold a JSON object."
    case .unknown(let name, _): "There is no setting \"\(name)\"."
    case .badValue(let name, let value): "The setting \(name) cannot be \"\(value)\"."
    }
  }
  package var remedy: String? {
    switch self {
    case .notAnObject: "Mend it or delete it; the defaults then apply."
    case .unknown(_, let names): "The settings are: \(names.joined(separator: ", "))."
    case .badValue: "See docs/cli.md for what it accepts."
    }
  }
}
