import Foundation
import Testing

@testable import Commands

/// What is mistyped is understood, and what is said but not taken up is asked about.
@Suite struct LeftoverTests {
  private let wednesday: Wednesday

  init() throws { wednesday = try Wednesday() }

  private func understood(_ text: String) -> Understanding { wednesday.understood(text) }

  @Test(
    "Words of which nothing is made are asked about",
    arguments: [
      "schedule a call with Tokyo tomorrow at 7 am their time", "schedule a call at 8 am local time with the office",
      "schedule a concert in Hamburg on the 12th doors at 7", "schedule a concert tomorrow doors 7pm",
      "remind me tomorrow to stretch twice a day", "schedule dinner on Friday at 8 and drinks",
      "remind Paul to bring the ladder on Saturday", "remind me if the parcel has not come by Friday",
      "remind me to send grandma the photos from Sunday", "remind me to mail the notes of Tuesday to Ben",
      "remind me an hour before my dentist appointment",
      "schedule a meeting at noon tomorrow, please place this",
      "add the concert on Friday at 8 to my calendar and set it",
      "put a 7 pm meeting down for March 14", "remind me at the start of each month",
      "create an event to repeat yearly on Friday", "please block off Friday at 8 am on my calendar",
      "add to my calendar for tomorrow a meeting for twelve",
      "remind me about the Monday meeting fifteen minutes before the meeting",
      "create an event gym day on Monday and set it to repeat",
      "add the meeting with Ann to my calendar for Thursday at 9, it has been moved",
    ])
  func asked(text: String) {
    let frame = understood(text).frame
    #expect([.addReminder, .createEvent].contains(frame.intent), "\(text)")
    #expect(frame.policy.needsConfirmation, "\(text)")
  }

  @Test("A reminder beside something whose time was not said has none, and its words stay")
  func beside() {
    let slots = understood("remind me an hour before my dentist appointment").frame.slots
    #expect(slots.title == "hour before my dentist appointment")
    #expect(slots.datetimePoint == nil && slots.durationMinutes == nil)
  }

  @Test(
    "What a joint fastens to the thing, and what stands around it, is taken up",
    arguments: [
      ("schedule lunch on Friday at noon with Ann", "lunch with Ann"),
      ("lunch Friday 12:30 with Ann", "lunch with Ann"),
      ("remind me of the scan at 14:10 on Monday in room 4", "scan in room 4"),
      ("schedule dinner, on Friday at 8, at Nora's", "dinner, at Nora's"),
      ("remind me on Friday at 5 to send the weekly report", "send the weekly report"),
      ("remind us tomorrow at 9 to water the plants", "water the plants"),
      ("remind me at 7 to paint the doors", "paint the doors"),
      ("remind me to hand the keys over at 5", "hand the keys over"),
      ("remind me to move the car over on Friday at 8", "move the car over"),
      ("schedule the parents' evening on Friday at 7", "parents' evening"),
      ("please add the meeting with Ms Boland on Wednesday eight hundred am to my calendar", "meeting with Ms Boland"),
      ("remind me an hour before the show at 8 pm tomorrow", "show"),
      ("remind me every Monday at 9 to repeat the German words", "repeat the German words"),
      ("remind me tomorrow at 9 to repeat the German words", "repeat the German words"),
      ("remind me tomorrow at 9 to listen and repeat", "listen and repeat"),
      ("schedule dinner for six on Friday at 8", "dinner for six"), ("schedule a day off on Friday", "day off"),
      ("schedule the start of the course on Friday at 8", "start of the course"),
      ("remind me on Friday at 8 to put the books down", "put the books down"),
      ("remind me on Friday at 8 to read it", "read it"),
      ("schedule lunch with me and Ann on Friday", "lunch with me and Ann"),
    ])
  func takenUp(text: String, title: String) {
    let frame = understood(text).frame
    #expect(frame.slots.title == title)
    #expect(!frame.policy.needsConfirmation, "\(text)")
  }

  @Test(
    "A slip of one letter is read as what was meant, and titles keep what was written",
    arguments: [
      ("rmind me tomorrow at 9 to call Bob", "call Bob", "2026-06-11T09:00:00"),
      ("remnid me on firday at 9 to call Bob", "call Bob", "2026-06-12T09:00:00"),
      ("rmnd me tmrw 8am to call Bob", "call Bob", "2026-06-11T08:00:00"),
      ("set a remindr for wendesday at 5 to text Zoe", "text Zoe", "2026-06-17T17:00:00"),
      ("remind me at noon to mend the calender", "mend the calender", "2026-06-10T12:00:00"),
      ("remind me at noon to visit the mourning", "visit the mourning", "2026-06-10T12:00:00"),
    ])
  func mistyped(text: String, title: String, point: String) {
    let frame = understood(text).frame
    #expect(frame.intent == .addReminder)
    #expect(frame.slots.title == title)
    #expect(frame.slots.datetimePoint == point)
  }

  @Test(
    "One slip within a word is read as the word, one at its ends and two are not",
    arguments: [
      ("monday", true), ("monnday", true), ("mondey", true), ("modnay", true), ("mnday", true), ("mondax", false),
      ("tonday", false), ("mondy", true), ("mundy", false), ("mdonay", false), ("mdnoay", false), ("mnodey", false),
    ])
  func slips(word: String, isMonday: Bool) {
    #expect((Token.split(word).first?.weekday == 0) == isMonday)
  }

  @Test("A mistyped word is not taken for one with an apostrophe")
  func apostrophes() {
    #expect(Token.split("tommorrow we're").map(\.isContracted) == [false, true])
  }

  @Test(
    "A second thing to enter, and a second alarm, are kept for themselves",
    arguments: [
      (
        "remind me to turn the oven off at 5 and add eggs to my shopping list", "remind me to turn the oven off at 5",
        "add eggs to my shopping list"
      ),
      (
        "remind me to call Ann at 5 and set an alarm for 7", "remind me to call Ann at 5", "set an alarm for 7"
      ),
      (
        "wake me at 6 and put lunch with Bo in my calendar for Friday", "wake me at 6",
        "put lunch with Bo in my calendar for Friday"
      ),
      (
        "put the vet on my calendar for Friday at 2 and set an alarm for 1",
        "put the vet on my calendar for Friday at 2", "set an alarm for 1"
      ),
      ("remind me to call Ann and add her to the list", "remind me to call Ann and add her to the list", nil),
      ("book lunch on Friday and add it to my calendar", "book lunch on Friday and add it to my calendar", nil),
    ] as [(String, String, String?)])
  func sequels(text: String, first: String, second: String?) {
    let sequel = Sequel(text, with: wednesday.resolver)
    #expect(sequel.first == first)
    #expect(sequel.second == second)
  }

  @Test(
    "The Sundays before Christmas",
    arguments: [
      ("on the first Advent Sunday", "2026-11-29T00:00:00"), ("2nd Advent", "2026-12-06T00:00:00"),
      ("third Advent Sunday at 5 pm", "2026-12-13T17:00:00"), ("the fourth Sunday of Advent", "2026-12-20T00:00:00"),
      ("am 3. Adventssonntag", "2026-12-13T00:00:00"), ("am vierten Adventssonntag um 16 Uhr", "2026-12-20T16:00:00"),
      ("le premier dimanche de l'Avent", "2026-11-29T00:00:00"),
    ])
  func advent(text: String, value: String) {
    #expect(wednesday.resolver.readings(in: text).readings.first?.value == value)
  }
}
