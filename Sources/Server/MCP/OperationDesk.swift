package import Assistant
import Core

/// The way of a client to the operations: the data folder's owner for a program that a person started, the server's services for
/// one that has a key.
package protocol OperationDesk: Sendable {
  func call<Of: Operation>(_ type: Of.Type, _ input: Of.Input) -> AsyncThrowingStream<Of.Event, any Error>
  /// Whether this client may use an operation at all.
  func may<Of: Operation>(_ type: Of.Type) -> Bool
}

extension Door: OperationDesk {
  package func may<Of: Operation>(_ type: Of.Type) -> Bool { true }
}

/// What a key may do, over the services.
struct ServiceDesk: OperationDesk {
  let services: [Service]
  let caller: Caller

  func call<Of: Operation>(_ type: Of.Type, _ input: Of.Input) -> AsyncThrowingStream<Of.Event, any Error> {
    streaming { emit in
      guard let service = services.first(where: { $0.name == type.name }) else {
        throw AssistantError.noOperation(type.name)
      }
      guard caller.may(service.right) else { throw CallerError.lacks([service.right]) }
      for try await event in CountedEvents(try service.run(try JSON.encode(input), caller)) {
        emit(try JSON.decode(Of.Event.self, from: event))
      }
    }
  }

  func may<Of: Operation>(_ type: Of.Type) -> Bool {
    services.contains { $0.name == type.name && caller.may($0.right) }
  }
}
