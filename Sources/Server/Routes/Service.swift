package import Assistant
package import Foundation

/// An operation as the server offers it: a name and a stream of JSON events for a JSON input.
package struct Service: Sendable {
  package var name: String
  /// What it leaves behind must not be told again by anyone.
  package var destroys = false
  package var run: @Sendable (Data) throws -> AsyncThrowingStream<Data, any Error>

  package init(_ name: String, _ run: @escaping @Sendable (Data) throws -> AsyncThrowingStream<Data, any Error>) {
    self.name = name
    self.run = run
  }

  package init(_ operation: AnyOperation, in house: House) {
    self.init(operation.name) { operation.run($0, house) }
    destroys = operation.destroys
  }
}
