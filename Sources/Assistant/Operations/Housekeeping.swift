package import Core

/// What an operation without input is given.
package struct Nothing: Codable, Sendable {
  package init() {}
}

/// The error log, oldest first.
package enum ShowLog: Operation {
  package static let name = "log"
  package static func run(_ input: Nothing, in house: House) -> AsyncThrowingStream<ErrorLog.Entry, any Error> {
    streaming { emit in
      for entry in try await house.errors.entries() { emit(entry) }
    }
  }
}

package enum ClearLog: Operation {
  package static let name = "log-clear"
  package static func run(_ input: Nothing, in house: House) -> AsyncThrowingStream<Nothing, any Error> {
    streaming { emit in
      try await house.errors.clear()
      emit(Nothing())
    }
  }
}

package enum ShowSettings: Operation {
  package static let name = "settings"
  package static func run(_ input: Nothing, in house: House) -> AsyncThrowingStream<Settings, any Error> {
    streaming { emit in emit(await house.settings) }
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
  package static func run(_ input: Input, in house: House) -> AsyncThrowingStream<Settings, any Error> {
    streaming { emit in emit(try await house.change(setting: input.name, to: input.value)) }
  }
}
