import Assistant
public import Core
import Foundation

/// What a person has set.
public struct SettingsRoom: Sendable {
  let libera: Libera

  /// The settings now.
  public func current() async throws -> Settings { try await libera.one(ShowSettings.self, Nothing()) }

  /// Changes settings; each value is held to what it can be, and what is refused throws with the reason.
  ///
  /// ```swift
  /// try await libera.settings.change { $0.mode = .deep }
  /// ```
  @discardableResult
  public func change(_ edit: @Sendable (inout Settings) -> Void) async throws -> Settings {
    let before = try await current()
    var after = before
    edit(&after)
    var result = before
    for (name, value) in try Self.differences(before, after) {
      result = try await libera.one(ChangeSetting.self, ChangeSetting.Input(name: name, value: value))
    }
    return result
  }

  /// Every setting that differs, by its name, with its new value as JSON.
  static func differences(_ before: Settings, _ after: Settings) throws -> [(name: String, value: String)] {
    let (old, new) = (try JSONNode.fields(of: before), try JSONNode.fields(of: after))
    return try Set(old.keys).union(new.keys).sorted().compactMap { name in
      let value = new[name] ?? .null
      guard old[name] ?? .null != value else { return nil }
      return (name, String(decoding: try JSON.encode(value), as: UTF8.self))
    }
  }
}

extension Libera {
  public var settings: SettingsRoom { SettingsRoom(libera: self) }
}
