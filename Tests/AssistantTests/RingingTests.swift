import Core
import Foundation
import Synchronization
import Testing

@testable import Assistant

@Suite("Reminders beside everything else")
struct RingingTests {
  /// A desktop that answers nothing until it is let.
  private final class Desktop: Sendable {
    private let state = Mutex((told: 0, asked: 0, answers: false, wasAskedTwice: false))
    var told: Int { state.withLock(\.told) }
    var wasAskedTwice: Bool { state.withLock(\.wasAskedTwice) }
    var isAsked: Bool { state.withLock(\.asked) > 0 }
    func answer() { state.withLock { $0.answers = true } }

    func show() async throws {
      let isSecond = state.withLock { state in
        state.asked += 1
        if state.asked > 1 { state.wasAskedTwice = true }
        return state.asked > 1
      }
      while !isSecond, !state.withLock(\.answers) { try await Task.sleep(for: .milliseconds(10)) }
      state.withLock { ($0.told, $0.asked) = ($0.told + 1, $0.asked - 1) }
    }
  }

  @Test("A desktop that does not answer holds up no other reminder; so many wait for it, and the rest are noted")
  func silentDesktop() async throws {
    let home = try OpenHouse()
    let desktop = Desktop()
    let ringing = Ringing(home.house.actions, home.house.currentSettings, nil, home.house.errors) { _, _ in
      try await desktop.show()
    }
    func remind(_ number: Int) async throws {
      let wish = Perform.Input(text: "remind me in 1 second to turn valve \(number)", confirmed: true)
      #expect(try await home.all(Perform.self, wish).last?.action != nil)
    }
    await ringing.start()
    try await remind(0)
    ringing.wake()
    while !desktop.isAsked { try await Task.sleep(for: .milliseconds(10)) }
    let more = Ringing.mostUntold + 2
    for number in 1...more { try await remind(number) }
    while try await ringing.ring().count <= more { try await Task.sleep(for: .milliseconds(10)) }
    #expect(!desktop.wasAskedTwice && desktop.told == 0)
    #expect(try await home.house.errors.entries().count { $0.message.contains("too many wait for it") } == 2)
    desktop.answer()
    while desktop.told <= Ringing.mostUntold { try await Task.sleep(for: .milliseconds(10)) }
    #expect(!desktop.wasAskedTwice)
    await ringing.stop()
  }
}
