package import Core

/// What a request is decided by.
package struct Situation: Sendable, Equatable {
  package var tiers: Tiers
  package var mode: Mode
  package var settings: Settings
  package var device: Device
  /// Prompt tokens per second as measured on this device with the pack in use.
  package var promptSpeed: Double?

  package init(tiers: Tiers, mode: Mode, settings: Settings, device: Device, promptSpeed: Double? = nil) {
    self.tiers = tiers
    self.mode = mode
    self.settings = settings
    self.device = device
    self.promptSpeed = promptSpeed
  }
}

/// One value with its reason. `inForce` when the device, not the mode or the person, decided it.
package struct Limit<Value: Sendable & Equatable>: Sendable, Equatable {
  package var value: Value
  package var reason: String
  package var inForce = false
}

package enum PackPreference: String, Codable, Sendable { case fastest, strongest }

/// What the device can bear now, for one mode. The numbers and their causes stand in `LimitsTable.swift`.
package struct Limits: Sendable, Equatable {
  /// Deep becomes Fast when the device cannot bear it.
  package var mode: Limit<Mode>
  package var passages: Limit<Int>
  package var threshold: Limit<Double>
  package var contextTokens: Limit<Int>
  package var generationTokens: Limit<Int>
  /// The pause between two tokens, for a device that must cool.
  package var pauseMs: Limit<Int>
  package var evidenceTokens: Limit<Int>
  package var preference: Limit<PackPreference>
  /// False: indexing waits.
  package var embedding: Limit<Bool>
  /// False: no local model starts a new answer. One that runs ends within `generationTokens` and `pauseMs`.
  package var heavyInference: Limit<Bool>
  package var loads: Limit<Bool>
  package var partialIntervalMs: Limit<Int>
  package var speechPack: Limit<PackPreference>

  package var all: [LimitEntry] {
    [
      LimitEntry("mode", mode, mode.value.rawValue), LimitEntry("passages", passages),
      LimitEntry("threshold", threshold), LimitEntry("context_tokens", contextTokens),
      LimitEntry("generation_tokens", generationTokens), LimitEntry("pause_ms", pauseMs),
      LimitEntry("evidence_tokens", evidenceTokens),
      LimitEntry("pack_preference", preference, preference.value.rawValue), LimitEntry("embedding", embedding),
      LimitEntry("heavy_inference", heavyInference), LimitEntry("loads", loads),
      LimitEntry("partial_interval_ms", partialIntervalMs),
      LimitEntry("speech_pack", speechPack, speechPack.value.rawValue),
    ]
  }

  /// The constraints a person should see: an answer's metadata and diagnostics carry these.
  package var inForce: [LimitEntry] { all.filter(\.inForce) }
}

package struct LimitEntry: Sendable, Equatable, Codable {
  package var what: String
  package var value: JSONNode
  package var reason: String
  package var inForce: Bool

  enum CodingKeys: String, CodingKey {
    case what, value, reason
    case inForce = "in_force"
  }

  fileprivate init<Of>(_ what: String, _ limit: Limit<Of>, _ value: JSONNode) {
    self.what = what
    self.value = value
    reason = limit.reason
    inForce = limit.inForce
  }
  fileprivate init<Of>(_ what: String, _ limit: Limit<Of>, _ word: String) { self.init(what, limit, .text(word)) }
  fileprivate init(_ what: String, _ limit: Limit<Int>) { self.init(what, limit, .whole(limit.value)) }
  /// A whole number is read back as one.
  fileprivate init(_ what: String, _ limit: Limit<Double>) {
    self.init(what, limit, Int(exactly: limit.value).map(JSONNode.whole) ?? .number(limit.value))
  }
  fileprivate init(_ what: String, _ limit: Limit<Bool>) { self.init(what, limit, .flag(limit.value)) }
}
