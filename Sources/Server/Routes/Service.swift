package import Assistant
package import Core
package import Foundation

/// An operation as the server offers it: a name, the right it needs, and a stream of JSON events for a JSON input.
package struct Service: Sendable {
  package var name: String
  package var right: Right
  package var run: @Sendable (Data, Caller) throws -> AsyncThrowingStream<Data, any Error>

  package init(
    _ name: String, needs right: Right,
    _ run: @escaping @Sendable (Data) throws -> AsyncThrowingStream<Data, any Error>
  ) {
    self.name = name
    self.right = right
    self.run = { body, _ in try run(body) }
  }

  package init(_ operation: AnyOperation, in house: House) {
    (name, right) = (operation.name, operation.right)
    run = { CountedEvents.counting(operation.run($0, $1, house)) }
  }
}
