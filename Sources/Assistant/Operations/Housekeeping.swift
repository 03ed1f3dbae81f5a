package import Core
import Foundation

/// What an operation without input is given.
package struct Nothing: Codable, Sendable {
  package init() {}
}

/// The licence of the program and of every part it ships or uses.
package enum ShowLicences: Operation {
  package struct Event: Codable, Sendable { package var licences: String }
  package static let name = "licences"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Event>) async throws {
    emit(Event(licences: try String(contentsOf: house.installation.notice, encoding: .utf8)))
  }
}

/// What is known of errors beyond their remedies; in English where there is no such language.
package enum ShowTroubles: Operation {
  package struct Input: Codable, Sendable { package var language: String? }
  package struct Event: Codable, Sendable { package var troubles: [Troubles.Entry] }
  package static let name = "troubles"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let troubles = try Troubles(of: house.installation, in: input.language ?? "en")
    emit(Event(troubles: troubles.entries.filter { !$0.text.isEmpty }))
  }
}

/// The error log, oldest first.
package enum ShowLog: Operation {
  package static let name = "log"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<ErrorLog.Entry>) async throws {
    for entry in try await house.errors.entries() { emit(entry) }
  }
}

package enum ClearLog: Operation {
  package static let name = "log-clear"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try await house.errors.clear()
    emit(Nothing())
  }
}

/// Where the time of the last answers went, as Perfetto opens it.
package enum ShowTrace: Operation {
  package static let name = "trace"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Trace>) async throws {
    emit(Trace(try await house.traces.entries()))
  }
}

package enum ShowSettings: Operation {
  package static let name = "settings"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Settings>) async throws {
    emit(house.settings)
  }
}

/// What each setting may be, in the order people read them.
package enum DescribeSettings: Operation {
  package static let name = "settings-describe"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<SettingDescription>) async throws {
    for description in try SettingDescription.all() { emit(description) }
  }
}

/// One setting by its name in the settings file, its value as JSON.
package enum ChangeSetting: Operation {
  package struct Input: Codable, Sendable {
    package var name: String
    package var value: String
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package static let name = "settings-set"
  /// A key may set what is a matter of taste or of speed. Programs, places, senders and what happens unasked are the person's.
  package static func check(_ input: Input, from caller: Caller) throws {
    switch SettingRule.of(input.name)?.setBy {
    case nil, .anyone: return
    case .person:
      guard caller.isPerson else { throw CallerError.personOnly("The setting \(input.name)") }
    case .terminal:
      guard caller == .terminal else { throw SettingsError.terminalOnly(input.name, input.value) }
    }
  }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Settings>) async throws {
    emit(try await house.change(setting: input.name, to: input.value))
  }
}
