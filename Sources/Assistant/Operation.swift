package import Core
package import Foundation

/// One thing the product can do. The command line, the owner's socket and the page all call the same operations, so what one
/// can do the others can: a command or a route only turns words into an `Input` and shows the `Event`s.
package protocol Operation: Sendable {
  associatedtype Input: Codable & Sendable
  associatedtype Event: Codable & Sendable
  /// The name on the socket and in `POST /api/NAME`.
  static var name: String { get }
  /// Whether it destroys what a person had, so that nothing may go on telling it.
  static var destroys: Bool { get }
  /// Refuses, before anything is done, what this caller may not ask for with this input. That a caller has the right which the
  /// operation needs (`Operations.all`) was seen before; where nothing more is to be said, this stays as it is.
  static func check(_ input: Input, from caller: Caller) throws
  /// Streams what happens; ends when it is done; stops its work when the consumer goes away.
  static func run(_ input: Input, in house: House) -> AsyncThrowingStream<Event, any Error>
}

extension Operation {
  package static var destroys: Bool { false }
  package static func check(_ input: Input, from caller: Caller) throws {}

  /// Runs it, and keeps in the error log what ended it. The one way in for every transport.
  package static func perform(
    _ input: Input, for caller: Caller, in house: House
  ) -> AsyncThrowingStream<Event, any Error> {
    streaming { emit in
      try check(input, from: caller)
      do {
        for try await event in run(input, in: house) { emit(event) }
      } catch {
        await house.note(error, in: name)
        throw error
      }
    }
  }
}

/// An operation without its types, for transports that carry JSON.
package struct AnyOperation: Sendable {
  package let name: String
  package let destroys: Bool
  /// What a caller must have the right to.
  package let right: Right
  package let run: @Sendable (Data, Caller, House) -> AsyncThrowingStream<Data, any Error>

  package init<Of: Operation>(_ type: Of.Type, needs right: Right) {
    (name, destroys, self.right) = (type.name, type.destroys, right)
    run = { body, caller, house in
      streaming { emit in
        guard caller.may(right) else { throw CallerError.lacks([right]) }
        let input = try JSON.decode(Of.Input.self, from: body)
        for try await event in Of.perform(input, for: caller, in: house) { emit(try JSON.encode(event)) }
      }
    }
  }
}
