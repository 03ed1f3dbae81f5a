import Assistant
import Core

extension Context {
  /// Shows a value: as a line of JSON where that is asked for, else in one line of words.
  func line(_ value: some Encodable, _ words: @autoclosure () -> String) throws {
    try show(value) { terminal.line(words()) }
  }

  /// Shows a value: as a line of JSON where that is asked for, else as `inWords` prints it.
  func show(_ value: some Encodable, _ inWords: () -> Void) throws {
    if json { terminal.line(try JSON.line(value)) } else { inWords() }
  }
}

extension Door {
  /// Everything that an operation tells, once it is over.
  func all<Of: Assistant.Operation>(_ operation: Of.Type, _ input: Of.Input) async throws -> [Of.Event] {
    var events: [Of.Event] = []
    for try await event in call(operation, input) { events.append(event) }
    return events
  }

  /// For an operation that has nothing to tell but that it is done.
  func finish<Of: Assistant.Operation>(_ operation: Of.Type, _ input: Of.Input) async throws {
    for try await _ in call(operation, input) {}
  }
}
