import Commands
import Core
import Foundation
import Testing

@testable import Assistant

@Suite("Questions about the calendar")
struct AgendaAnswerTests {
  @Test("A question shows what stands there; a wish to cancel shows the item and how to take it back")
  func agenda() async throws {
    let home = try OpenHouse()
    let empty = try #require(try await home.all(Perform.self, .init(text: "what is on my calendar tomorrow")).last)
    #expect(empty.agenda?.isEmpty == true && empty.topic == .question && empty.span != nil)

    let said = "remind me tomorrow at seven to call John"
    let action = try #require(try await home.all(Perform.self, .init(text: said, confirmed: true)).last?.action)
    let full = try #require(try await home.all(Perform.self, .init(text: "what is on my calendar tomorrow")).last)
    #expect(full.agenda?.map(\.title) == ["call John"])
    #expect(full.action == nil)

    let change = try #require(try await home.all(Perform.self, .init(text: "cancel my reminder to call John")).last)
    #expect(change.topic == .change && change.agenda?.map(\.action) == [action.id])
    #expect(change.action == nil)
    let other = try #require(try await home.all(Perform.self, .init(text: "play some jazz")).last)
    #expect(other.agenda == nil && other.topic == nil)
  }

  @Test("When something is, the calendar tells where an entry has all its words, else the documents are asked")
  func when() async throws {
    let home = try OpenHouse()
    _ = try await home.all(Perform.self, .init(text: "dentist on 3 March 2027 at 9:30", confirmed: true))
    for (question, titles) in [
      ("When is my dentist appointment?", ["dentist"]), ("wann ist mein Zahnarzttermin", nil),
      ("when do I see the dentist again", ["dentist"]), ("When is the dentist's bill due?", nil),
    ] as [(String, [String]?)] {
      let event = try #require(try await home.all(Perform.self, .init(text: question)).last)
      #expect(event.agenda?.map(\.title) == titles, "\(question)")
    }
  }

  @Test("An hour before something is told from the calendar, and done where the person says so")
  func entryTime() async throws {
    let home = try OpenHouse()
    _ = try await home.all(Perform.self, .init(text: "dentist on 3 March 2027 at 9:30", confirmed: true))
    for (said, start) in [
      ("remind me an hour before the dentist appointment", "2027-03-03T08:30:00"),
      ("Erinnere mich einen Tag vor dem Dentist", "2027-03-02T09:30:00"),
    ] {
      let asked = try #require(try await home.all(Perform.self, .init(text: said)).last)
      #expect(asked.action == nil && asked.decision == .confirm)
      let done = try #require(try await home.all(Perform.self, .init(text: said, confirmed: true)).last)
      #expect(done.action?.state == .done && done.frame.contains(start) && done.frame.contains("dentist"), "\(said)")
    }
    let question = "How many days before the dentist do I have to cancel?"
    let asked = try #require(try await home.all(Perform.self, .init(text: question)).last)
    #expect(!asked.isCommand && asked.agenda == nil && !asked.explanation.contains { $0.hasPrefix("told from") })
  }

  @Test(
    "What somebody has to do is asked of the documents, unless it is asked of a day",
    arguments: [
      ("What do I do when the water does not run out?", false), ("What do I do if the tenant does not pay?", false),
      ("Am I allowed to keep a dog?", false), ("How often do I have to descale the machine?", false),
      ("What do I pay when I am 3 days late?", false), ("Do I need a permit for the shed?", false),
      ("What do I have tomorrow?", true), ("What am I doing this weekend?", true),
      ("Am I free next Tuesday at 3?", true),
      ("Do I have any meetings?", true), ("What are the upcoming reminders?", true), ("What is in my schedule?", true),
      ("What are the intervals in the short schedule?", false),
      ("How many people are needed for an extraordinary meeting?", false),
    ])
  func documents(question: String, isCalendar: Bool) async throws {
    let home = try OpenHouse()
    let event = try #require(try await home.all(Perform.self, .init(text: question)).last)
    #expect((event.agenda != nil) == isCalendar && (event.topic == .question) == isCalendar)
  }

  @Test(
    "What a text asks for that is to be changed is not done, not shown and not kept as heard",
    arguments: [
      "Shorten this: Remind me tomorrow at nine to call Ann about the meeting on Friday.",
      "Put this into bullet points: Buy bread. Call the plumber about the leaking pipe. Write to Anna.",
      "Translate into German: The meeting has been moved to Thursday at 3 pm.",
    ])
  func material(text: String) async throws {
    let home = try OpenHouse()
    let event = try #require(try await home.all(Perform.self, .init(text: text)).last)
    #expect(!event.isCommand && event.action == nil && event.agenda == nil)
    #expect(try await home.all(ListHistory.self, .init()).isEmpty)
  }
}
