package import Core
import Foundation

/// Asks the server that works with this data folder to end once it has given the answers that somebody waits for: another version of
/// the program is about to take its place. Ends when it is about to end.
package enum MakeWay: Operation {
  package struct Event: Codable, Sendable {
    /// How many answers it still gives.
    package var answers: Int
  }
  package static let name = "make-way"
  package static func check(_ input: Nothing, from caller: Caller) throws {
    try caller.mustBeTerminal("Ending the program")
  }
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Event>) async throws {
    try await house.departure.makeWay(house.reception) { emit(Event(answers: $0)) }
  }
}

/// The answers that somebody waits for, and the end of the program after them.
package actor Departure {
  private var answers = 0
  package private(set) var isAskedFor = false
  private nonisolated let departed = AsyncStream.makeStream(of: Void.self)

  /// What somebody waits for as an answer; none begins any more where the program was asked to end.
  func answering(_ body: @Sendable () async throws -> Void) async throws {
    guard !isAskedFor else { throw AssistantError.leaving }
    answers += 1
    defer { answers -= 1 }
    try await body()
  }

  /// Only who serves ends for this: in a conversation on a terminal a person sits.
  fileprivate func makeWay(_ reception: (any Reception)?, _ tell: @Sendable (Int) -> Void) async throws {
    guard reception != nil else { throw AssistantError.servesNobody(ProcessInfo.processInfo.processIdentifier) }
    isAskedFor = true
    do {
      var told = -1
      while answers > 0 {
        if answers != told { tell(answers) }
        told = answers
        try await Task.sleep(for: .milliseconds(50))
      }
    } catch {
      // The caller stopped waiting: answers go on as before.
      isAskedFor = false
      throw error
    }
    departed.continuation.yield()
  }

  /// Ends the program after `last`, the last thing that is done in this house. Answers that are under way are stopped.
  func leave(after last: @Sendable () throws -> Void) throws {
    guard !isAskedFor else { throw AssistantError.leaving }
    try last()
    isAskedFor = true
    departed.continuation.yield()
  }

  /// Returns when the program was asked to end and nobody waits for an answer.
  package nonisolated func wait() async { for await _ in departed.stream { return } }
}
