import Commands
import Foundation
import Testing

@testable import Assistant

@Suite("What is done, and what is learned from it")
struct ActingTests {
  @Test("A length that no rule can hold is no fault of the event: it is done, once, and its answer says so")
  func lengths() async throws {
    let home = try OpenHouse()
    var edits = CardEdits()
    edits.durationMinutes = 20_160
    let said = "add a meeting with Ann to my calendar tomorrow at 9"
    let input = Perform.Input(text: said, confirmed: true, edits: edits)
    let last = try #require(try await home.all(Perform.self, input).last)
    #expect(last.action?.state == .done)
    #expect(last.notices.contains { $0.hasPrefix("Its length is not kept for the next time") })
    #expect(try home.house.actions.history.last().count == 1)
  }
}
