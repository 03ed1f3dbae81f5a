package import Core
package import Foundation

/// A browser that was let in.
package struct SessionEntry: Codable, Sendable, Equatable {
  package var id: String
  /// As it calls itself.
  package var browser: String
  package var made: Date
  package var used: Date

  package init(id: String, browser: String, made: Date, used: Date) {
    (self.id, self.browser, self.made, self.used) = (id, browser, made, used)
  }
}

/// Whoever lets browsers in: the server of the page, while this process has one.
package protocol Reception: Sendable {
  /// The page's address with a code that lets one browser in.
  func link() -> String
  func sessions() -> [SessionEntry]
  /// False where there is no such session.
  func end(_ session: String) -> Bool
  /// Something was destroyed: what operations have told of it before is not told again.
  func forget() async
}

/// A link to the page of the server that works with this data folder; it lets one browser in.
package enum ShowPage: Operation {
  package struct Event: Codable, Sendable { package var page: String? }
  package static let name = "page"
  /// Whoever opens the link may do everything.
  package static func check(_ input: Nothing, from caller: Caller) throws {
    try caller.mustBeTerminal("Letting a browser in")
  }
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Event>) async throws {
    emit(Event(page: house.reception?.link()))
  }
}

/// The browsers that are let in; all of them are let go when the program ends.
package enum ListSessions: Operation {
  package static let name = "sessions"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<SessionEntry>) async throws {
    for session in house.reception?.sessions() ?? [] { emit(session) }
  }
}

/// Lets a browser go, or all of them.
package enum EndSessions: Operation {
  package struct Input: Codable, Sendable {
    /// Its id; nil: every session.
    package var id: String?
    package init(id: String? = nil) { self.id = id }
  }
  package struct Event: Codable, Sendable { package var ended: [String] }

  package static let name = "sessions-end"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let reception = house.reception
    guard let id = input.id else {
      let all = reception?.sessions().map(\.id) ?? []
      return emit(Event(ended: all.filter { reception?.end($0) == true }))
    }
    guard reception?.end(id) == true else { throw AssistantError.noSession(id) }
    emit(Event(ended: [id]))
  }
}

package enum ListKeys: Operation {
  package static let name = "keys"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<KeyEntry>) async throws {
    for key in try house.keys.list() { emit(key) }
  }
}

/// A key for another program. Its secret is told this once.
package enum AddKey: Operation {
  package struct Input: Codable, Sendable {
    package var name: String
    package var rights: Set<Right>
    package init(name: String, rights: Set<Right>) { (self.name, self.rights) = (name, rights) }
  }
  package struct Event: Codable, Sendable {
    package var name: String
    package var key: String
  }

  package static let name = "keys-add"
  package static func check(_ input: Input, from caller: Caller) throws { try caller.mustBeTerminal("Making a key") }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    emit(Event(name: input.name, key: try house.keys.add(input.name, input.rights)))
  }
}

/// A key that holds no longer, from the next request on.
package enum RevokeKey: Operation {
  package struct Input: Codable, Sendable {
    package var name: String
    package init(name: String) { self.name = name }
  }

  package static let name = "keys-revoke"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try house.keys.revoke(input.name)
    emit(Nothing())
  }
}
