import Core
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
  /// Streams what happens; ends when it is done; stops its work when the consumer goes away.
  static func run(_ input: Input, in house: House) -> AsyncThrowingStream<Event, any Error>
}

extension Operation {
  package static var destroys: Bool { false }

  /// Runs it, and keeps in the error log what ended it. The one way in for every transport.
  package static func perform(_ input: Input, in house: House) -> AsyncThrowingStream<Event, any Error> {
    streaming { emit in
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
  package let run: @Sendable (Data, House) -> AsyncThrowingStream<Data, any Error>

  package init<Of: Operation>(_ type: Of.Type) {
    (name, destroys) = (type.name, type.destroys)
    run = { body, house in
      streaming { emit in
        let input = try JSON.decode(Of.Input.self, from: body)
        for try await event in Of.perform(input, in: house) { emit(try JSON.encode(event)) }
      }
    }
  }
}
