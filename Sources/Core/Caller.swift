/// What may be done through the API. Each operation and each route needs one of these.
package enum Right: String, Codable, Sendable, CaseIterable {
  /// Questions, search, and reading the documents that answers come from.
  case ask
  /// Vectors of texts.
  case embed
  /// Words from sound.
  case transcribe
  /// Commands, the calendar, tasks, notes, mail and reminders.
  case act
  /// Everything else: what is stored, settings, packs, diagnostics.
  case manage
}

/// Who asks for something to be done.
package enum Caller: Sendable, Equatable {
  /// The person by a command: in this process, or over the owner's socket, which only processes of the same user reach.
  case terminal
  /// The page in a browser that a terminal has let in; it may do all that goes over HTTP.
  case page(session: String)
  /// Another program, by the key that a terminal has given it.
  case key(id: String, rights: Set<Right>)
  /// Nobody who was let in.
  case stranger

  /// Who asked for what is being done. Whatever the program does by itself is done for the person.
  @TaskLocal package static var asking = Caller.terminal

  /// Whether both are one for whom work is done: a person has several pages and terminals, each key is a program.
  package func isSameParty(as other: Caller) -> Bool {
    switch (self, other) {
    case (.key(let id, _), .key(let owner, _)): id == owner
    case (.key, _), (_, .key): false
    default: true
    }
  }

  /// The person, by a command or on the page, and no program of others.
  package var isPerson: Bool {
    switch self {
    case .terminal, .page: true
    case .key, .stranger: false
    }
  }

  package func may(_ right: Right) -> Bool {
    switch self {
    case .terminal, .page: true
    case .key(_, let rights): rights.contains(right)
    case .stranger: false
    }
  }

  /// Whether it may name files and folders of this machine for such a use.
  package func mayName(_ use: PlaceUse) -> Bool {
    switch (self, use) {
    case (.terminal, _), (.page, .reads): true
    default: false
    }
  }

  /// Whether what `other` has started may be seen and stopped: by a page all of it, by a program only its own.
  package func sees(_ other: Caller) -> Bool {
    switch (self, other) {
    case (.terminal, _), (.page, _): true
    case (.key(let id, _), .key(let owner, _)): id == owner
    case (.key, _), (.stranger, _): false
    }
  }

  /// What `terminal` may do and others may not: whatever starts programs, names places on this machine or lets others in.
  package func mustBeTerminal(_ what: String) throws(CallerError) {
    guard self == .terminal else { throw .terminalOnly(what) }
  }
}

/// What is done with a file or folder that an operation's input names.
package enum PlaceUse: Sendable, Equatable {
  /// Read, now or from now on.
  case reads
  case writes
}

/// Why somebody who is known may still not do something.
package enum CallerError: Explained, Equatable {
  case lacks(Set<Right>)
  case terminalOnly(String)
  /// An input that names a place on this machine, by a caller who may not.
  case place(field: String)
  case personOnly(String)

  package var code: String {
    switch self {
    case .lacks: "right_missing"
    case .terminalOnly: "terminal_only"
    case .place: "place_refused"
    case .personOnly: "person_only"
    }
  }
  package var message: String {
    switch self {
    case .lacks(let rights):
      "This key does not have the right \(rights.map(\.rawValue).sorted().joined(separator: " or "))."
    case .terminalOnly(let what): "\(what) can only be done by a command in a terminal."
    case .place(let field): "A file or folder of this machine (\(field)) is not for this caller to name."
    case .personOnly(let what): "\(what) is for the person: on the page or in a terminal, not by a key."
    }
  }
  package var remedy: String? {
    switch self {
    case .lacks: "`libera keys add NAME --rights ...` makes a key that has it."
    case .place: "Hand the file over with PUT /api/uploads and name it by its id, or use a command in a terminal."
    case .terminalOnly, .personOnly: nil
    }
  }
}
