package import Core
package import Foundation
import Storage
import Workers

/// One thing the product can do. The command line, the owner's socket and the page all call the same operations, so what one
/// can do the others can: a command or a route only turns words into an `Input` and shows the `Event`s.
package protocol Operation: Sendable {
  associatedtype Input: Codable & Sendable
  associatedtype Event: Codable & Sendable
  /// The name on the socket and in `POST /api/NAME`.
  static var name: String { get }
  /// Whether it destroys what a person had, so that nothing may go on telling it.
  static var destroys: Bool { get }
  /// The fields of its input that name files or folders of this machine. Only a terminal may name all of them, a page those that
  /// are read; others hand files over (`Handed`). Held to for every transport, before `check`.
  static var places: [String: PlaceUse] { get }
  /// The numbers of its input, each with its range. Held to for every transport, before `check`.
  static var numbers: [NumberField<Input>] { get }
  /// What a person says in it, which is taken apart, and how much of that is taken at once, in bytes. Held to before `check`.
  static func said(in input: Input) -> (text: String, most: Int)?
  /// Refuses, before anything is done, what this caller may not ask for with this input. That a caller has the right which the
  /// operation needs (`Operations.all`) was seen before; where nothing more is to be said, this stays as it is.
  static func check(_ input: Input, from caller: Caller) throws
  /// Tells what happens while it does; its task is cancelled when nobody listens any more.
  static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws
}

/// Where an operation tells what happens.
package typealias Emit<Event> = @Sendable (Event) -> Void

/// The input of an operation on one thing: a conversation, a document, an action.
package struct ItemInput: Codable, Sendable {
  package var id: String
  package init(id: String) { self.id = id }
}

extension Operation {
  package static var destroys: Bool { false }
  package static var places: [String: PlaceUse] { [:] }
  package static var numbers: [NumberField<Input>] { [] }
  package static func said(in input: Input) -> (text: String, most: Int)? { nil }
  package static func check(_ input: Input, from caller: Caller) throws {}

  /// Runs it, and keeps in the error log what ended it. The one way in for every transport.
  package static func perform(
    _ input: Input, for caller: Caller, in house: House
  ) -> AsyncThrowingStream<Event, any Error> {
    streaming { emit in
      try checkPlaces(input, from: caller, house.folders)
      try (input as? any ReadsCollection)?.check(from: caller)
      if let (text, most) = said(in: input), text.utf8.count > most {
        throw TooLong(bytes: text.utf8.count, most: most)
      }
      for number in numbers { try number.check(input) }
      try check(input, from: caller)
      try await finishing {
        do { try await Caller.$asking.withValue(caller) { try await run(input, in: house, emit: emit) } } catch {
          // What breaks because nobody listens any more is no error.
          if !Task.isCancelled { await house.errors.note(error, in: name) }
          throw error
        }
      } then: {
        if destroys { await house.reception?.forget() }
      }
    }
  }
}

extension Operation {
  /// Looks at the input that the operation will see, not at the bytes it came in.
  private static func checkPlaces(_ input: Input, from caller: Caller, _ folders: Folders) throws {
    guard caller != .terminal, !places.isEmpty else { return }
    let fields = try JSONNode.fields(of: input)
    for (field, use) in places where !caller.mayName(use) {
      let paths: [String]
      switch fields[field] ?? .null {
      case .null: continue
      case .text(let path): paths = [path]
      case let several:
        guard let texts = several.allTexts else { throw CallerError.place(field: field) }
        paths = texts
      }
      guard use == .reads, paths.allSatisfy({ Handed.isHandedOver($0, by: caller, folders) }) else {
        throw CallerError.place(field: field)
      }
    }
  }
}

/// An input that may name a collection to read. What is attached to a conversation lies in one, and is read as the conversation is.
package protocol ReadsCollection {
  var collection: String? { get }
}

extension ReadsCollection {
  fileprivate func check(from caller: Caller) throws {
    guard let collection else { return }
    // It may be written down with a conversation, though there is none of that name.
    guard Attached.isBearable(collection) else { throw StorageError.missing(kind: "collection", id: "…") }
    if Attached.isCollection(collection), !caller.may(.manage) { throw CallerError.lacks([.manage]) }
  }
}

extension ErrorLog {
  /// Keeps an error, unless a person stopped the work or asked for what does not exist.
  func note(_ error: any Error, in subsystem: String) {
    guard !(error is CancellationError), !["usage", "cancelled"].contains(RemoteError(error).code) else { return }
    // Nobody is left to be told of a log that cannot be written; the work whose error this is still tells its caller.
    do { try record(error, in: subsystem) } catch { return }
  }
}

/// Files that were handed over by HTTP: each lies in a folder of its own whose name cannot be guessed, below that of whoever
/// handed it over, who alone may have it used.
package enum Handed {
  /// Where the server at a port keeps them.
  package static func folder(_ folders: Folders, port: UInt16) -> URL {
    folders.scratch.appending(path: "uploads-\(port)", directoryHint: .isDirectory)
  }

  /// The folder of a caller's there. Pages are all of the one person, so that a new session finds what an earlier one brought.
  package static func folder(of caller: Caller) -> String {
    switch caller {
    case .terminal: "terminal"
    case .page: "page"
    case .key(let id, _): "key-\(id)"
    case .stranger: "nobody"
    }
  }

  /// Folders of the cache through which files pass. Each is locked by whoever fills it.
  private static let passing = ["uploads-", "resource-"]

  /// Removes what passed through processes that were killed. The lock stays: a server may be about to take it.
  static func removeLeft(_ folders: Folders) throws {
    let files = FileManager.default
    guard files.fileExists(atPath: folders.scratch.path) else { return }
    for name in try files.contentsOfDirectory(atPath: folders.scratch.path)
    where passing.contains(where: name.hasPrefix) {
      let (folder, lock) = (folders.scratch.appending(path: name, directoryHint: .isDirectory), "lock")
      guard case .taken(let held) = try OwnerLock.take(folder.appending(path: lock)) else { continue }
      try withExtendedLifetime(held) {
        for part in try files.contentsOfDirectory(atPath: folder.path) where part != lock {
          try files.removeItem(at: folder.appending(path: part))
        }
      }
    }
  }

  static func isHandedOver(_ path: String, by caller: Caller, _ folders: Folders) -> Bool {
    let handed = folders.scratch.path + "/uploads-"
    guard path.hasPrefix(handed) else { return false }
    let parts = ForeignName.parts(String(path.dropFirst(handed.count)))
    guard parts.count == 4, UInt16(parts[0]) != nil, parts[1] == folder(of: caller), UUID(uuidString: parts[2]) != nil
    else { return false }
    return ForeignName.isPart(parts[3])
  }
}

/// An operation without its types, for transports that carry JSON.
package struct AnyOperation: Sendable {
  package let name: String
  /// What a caller must have the right to.
  package let right: Right
  package let places: [String: PlaceUse]
  /// The names of the numbers that are held to a range.
  let numbers: [String]
  let input: any (Codable & Sendable).Type
  package let run: @Sendable (Data, Caller, House) -> AsyncThrowingStream<Data, any Error>

  package init<Of: Operation>(_ type: Of.Type, needs right: Right) {
    (name, self.right, places) = (type.name, right, type.places)
    numbers = Of.numbers.map(\.name)
    input = Of.Input.self
    run = { body, caller, house in
      streaming { emit in
        guard caller.may(right) else { throw CallerError.lacks([right]) }
        let input = try JSON.decode(Of.Input.self, from: body)
        for try await event in Of.perform(input, for: caller, in: house) { emit(try JSON.encode(event)) }
      }
    }
  }
}
