import Documents
import Foundation
import Testing

@testable import Commands

@Suite("What others keep where actions land")
struct OthersFilesTests {
  @Test(
    "What lies under the name that an action's file would have stays as it is",
    arguments: [Intent.addReminder, .createNote])
  func kept(intent: Intent) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "libera-others-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let places = Places(
      calendar: folder.appending(path: "calendar"), tasks: folder.appending(path: "tasks"),
      notes: folder.appending(path: "notes"), mail: folder.appending(path: "mail"), sender: "me@example.org")
    let doer = ActionRunner(
      places: places, journal: FileJournal(folder.appending(path: "actions.jsonl")), reader: ForeignFiles(ParseDesk()),
      clock: { Date(timeIntervalSince1970: 1_781_076_600) })
    var slots = Frame.Slots()
    slots.title = "call John"
    let frame = Frame(intent: intent, slots: slots, policy: Frame.Policy(needsConfirmation: false, confidence: 0.95))
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
