package import Foundation

/// Fast answers soon from little; Deep reads more and takes longer. Their numbers live in `Resources`.
public enum Mode: String, Codable, Sendable, CaseIterable {
  case fast, deep
}

/// Where a model computes: all of its layers on one side, never split.
public enum Compute: String, Codable, Sendable, CaseIterable {
  case automatic, cpu, gpu
}

/// Everything a person can set, with its default in this one place.
public struct Settings: Codable, Sendable, Equatable {
  public var mode = Mode.fast
  /// The chat pack to use; nil lets the device decide.
  public var pack: String?
  public var compute = Compute.automatic
  /// nil: chosen by measurement.
  public var threads: Int?
  public var contextTokens: Int?
  /// Passages, relevance threshold, answer length and seconds of reading evidence; nil leaves each to the mode.
  public var passages: Int?
  public var threshold: Double?
  public var generationTokens: Int?
  public var evidenceSeconds: Double?
  /// A pack unused for this long leaves memory; 0 keeps it.
  public var idleUnloadMinutes = 10
  /// No process with network is ever started.
  public var offline = false

  public init() {}

  /// Reads a settings file over the defaults, so that a file written by an older version keeps working.
  package init(over file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    let defaults = try JSONSerialization.jsonObject(with: JSON.encode(Settings())) as? [String: Any] ?? [:]
    guard let stored = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] else {
      throw SettingsError.notAnObject(file.path)
    }
    let merged = defaults.merging(stored) { $1 }
    self = try JSON.decode(Settings.self, from: JSONSerialization.data(withJSONObject: merged))
  }

  package func write(to file: URL) throws {
    try Folders.make(file.deletingLastPathComponent())
    try JSON.encode(self, pretty: true).write(to: file, options: .atomic)
  }
}

package enum SettingsError: Explained {
  case notAnObject(String)

  package var code: String { "settings_unreadable" }
  package var message: String {
    switch self {
    case .notAnObject(let path): "The settings file \(path) does not hold a JSON object."
    }
  }
  package var remedy: String? { "Mend it or delete it; the defaults then apply." }
}
