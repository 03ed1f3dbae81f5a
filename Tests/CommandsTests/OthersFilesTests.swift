import Foundation
import Testing

@testable import Commands

@Suite("What others keep where actions land")
struct OthersFilesTests {
  @Test(
    "What lies under the name that an action's file would have stays as it is",
    arguments: [Intent.addReminder, .createNote])
  func kept(intent: Intent) async throws {
    let landing = try Landing()
    let doer = landing.doer()
    let frame = Frame(intent) { $0.title = "call John" }
    // A note's file bears the beginning of its action's name alone.
    let ours = try #require(try await doer.perform(frame, id: "theirs01-1").file)
    let theirs = ours.replacing("theirs01-1", with: "theirs01-2")
    try Data("theirs".utf8).write(to: URL(filePath: theirs))
    await #expect(throws: CommandError.placeUnusable(theirs, "something else lies there already")) {
      try await doer.perform(frame, id: "theirs01-2")
    }
    #expect(try String(contentsOfFile: theirs, encoding: .utf8) == "theirs")
    #expect(try await doer.actions().map(\.id) == ["theirs01-1"])
  }
}
