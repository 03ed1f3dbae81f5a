import Foundation
import Testing

@testable import Commands

/// Events as people write them down, and things for their lists.
@Suite struct CalendarEntryTests {
  private let wednesday: Wednesday

  init() throws { wednesday = try Wednesday() }

  private func understood(_ text: String) -> Understanding { wednesday.understood(text) }

  @Test(
    "What repeats may have a length, or an end of its own",
    arguments: [
      ("standup every weekday at 9:15 for 15 minutes", "standup", 15, "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
      ("yoga every tuesday at 6pm for an hour", "yoga", 60, "FREQ=WEEKLY;BYDAY=TU"),
      ("schedule piano practice every day at 5 for half an hour", "piano practice", 30, "FREQ=DAILY"),
      (
        "swimming lessons every other saturday at 10 for 45 minutes", "swimming lessons", 45,
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA"
      ),
      ("add team sync each monday from 10 to 10:30", "team sync", 30, "FREQ=WEEKLY;BYDAY=MO"),
      ("block my calendar from 12 to 1 every day for lunch", "lunch", 60, "FREQ=DAILY"),
    ])
  func repeated(text: String, title: String, minutes: Int, rule: String) throws {
    let result = understood(text)
    #expect(result.frame.intent == .createEvent && result.frame.slots.title == title, "\(result.frame.json)")
    #expect(result.frame.slots.durationMinutes == minutes && result.recurrence == rule, "\(result.frame.json)")
  }

  @Test(
    "A name with its beginning and end is an entry",
    arguments: [
      ("vacation from December 20 to December 31", "vacation", "2026-12-20T00:00:00/2027-01-01T00:00:00"),
      ("block out august 3 to august 14 for holiday", "holiday", "2026-08-03T00:00:00/2026-08-15T00:00:00"),
      ("conference from the 4th to the 6th of november", "conference", "2026-11-04T00:00:00/2026-11-07T00:00:00"),
      (
        "add trip to lisbon from may 2nd until may 9th to my calendar", "trip to lisbon",
        "2027-05-02T00:00:00/2027-05-10T00:00:00"
      ),
      ("flight from 13:25 to 14:10", "flight", "2026-06-10T13:25:00/2026-06-10T14:10:00"),
      ("flight from 13:25 to 14:10 tomorrow", "flight", "2026-06-11T13:25:00/2026-06-11T14:10:00"),
      (
        "add flight to berlin on friday from 18:40 to 20:05", "flight to berlin",
        "2026-06-12T18:40:00/2026-06-12T20:05:00"
      ),
    ])
  func entries(text: String, title: String, range: String) throws {
    let frame = understood(text).frame
    #expect(frame.intent == .createEvent && frame.slots.title == title, "\(frame.json)")
    #expect(frame.slots.datetimeRange == range, "\(frame.json)")
  }

  @Test(
    "A name with its day and hours, and nothing that asks, is put up to be entered",
    arguments: [
      ("flight from 13:25 to 14:10 tomorrow", "flight", "2026-06-11T13:25:00/2026-06-11T14:10:00", nil),
      ("tomorrow 13:25 to 14:10 flight", "flight", "2026-06-11T13:25:00/2026-06-11T14:10:00", nil),
      ("Flight to Oslo tomorrow, 13:25-14:10", "Flight to Oslo", "2026-06-11T13:25:00/2026-06-11T14:10:00", nil),
      ("yoga class on saturday from 10 to 11:30", "yoga class", "2026-06-13T10:00:00/2026-06-13T11:30:00", nil),
      (
        "standup on Monday and Wednesday at nine", "standup", "2026-06-15T09:00:00", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2"
      ),
      ("lunch from 12:30 to 13:15 on Friday", "lunch", "2026-06-12T12:30:00/2026-06-12T13:15:00", nil),
      ("lunch every Friday at noon", "lunch", "2026-06-12T12:00:00", "FREQ=WEEKLY;BYDAY=FR"),
      ("standup every Monday and Wednesday at nine", "standup", "2026-06-15T09:00:00", "FREQ=WEEKLY;BYDAY=MO,WE"),
      ("choir tomorrow from 14:00 to 15:30 every week", "choir", "2026-06-11T14:00:00", "FREQ=WEEKLY"),
    ] as [(String, String, String, String?)])
  func timedEntries(text: String, title: String, time: String, rule: String?) throws {
    let result = understood(text)
    let slots = result.frame.slots
    #expect(result.frame.intent == .createEvent && slots.title == title, "\(result.frame.json)")
    #expect((slots.datetimeRange ?? slots.datetimePoint) == time && result.recurrence == rule, "\(result.frame.json)")
    #expect([.act, .confirm].contains(result.decision), "\(result.frame.json)")
  }

  @Test(
    "What is left of an entry without its time is a clean name",
    arguments: [
      (
        "new event: parents' evening, June 30, 5:30-6:15pm, room 204", "parents' evening, room 204",
        "2026-06-30T17:30:00/2026-06-30T18:15:00"
      ),
      ("put \"quarterly review\" in the calendar for July 12 at 10", "quarterly review", "2026-07-12T10:00:00"),
      ("next week thursday doctor 11.30", "doctor", "2026-06-18T11:30:00"),
      (
        "new year's eve drinks at ours from 8pm till 2am", "new year's eve drinks at ours",
        "2026-12-31T20:00:00/2027-01-01T02:00:00"
      ),
    ])
  func names(text: String, title: String, time: String) throws {
    let slots = understood(text).frame.slots
    #expect(slots.title == title && (slots.datetimeRange ?? slots.datetimePoint) == time, "\(slots)")
  }

  @Test("The day of a feast that only names what is entered is asked about")
  func feast() throws {
    let result = understood("schedule the christmas party at 7 pm")
    #expect(
      result.frame.slots.title == "christmas party" && result.frame.policy.needsConfirmation, "\(result.frame.json)")
  }

  @Test("How often, said before the thing, goes with the days left out behind it")
  func exceptions() throws {
    let result = understood("set up a daily standup at 9:15 except fridays")
    #expect(result.recurrence == "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,SA,SU" && result.frame.slots.title == "daily standup")
    #expect(result.frame.slots.datetimePoint == "2026-06-11T09:15:00")
    let apart = understood("every weekday at 4:45 pm remind me to log my hours except on fridays")
    #expect(apart.recurrence == "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH" && apart.frame.slots.title == "log my hours")
  }

  @Test("A sentence that may only tell is asked about")
  func told() throws {
    for text in ["the store is open on Saturday and Sunday from 10 to 4", "rent is due every month on the 1st at 9"] {
      #expect([.ask, .none].contains(understood(text).decision), "\(text)")
    }
  }

  @Test("A length, a beginning and how often go together in whichever order they are said")
  func beginnings() throws {
    for text in [
      "schedule choir tomorrow from 14:00 to 15:30 every week", "add choir every week tomorrow from 14:00 to 15:30",
      "schedule choir every week from tomorrow from 14:00 to 15:30",
      "add choir weekly from 14:00 to 15:30 from tomorrow",
      "schedule choir tomorrow at 14:00 for 90 minutes every week",
    ] {
      let result = understood(text)
      #expect(result.frame.slots.title == "choir", "\(text): \(result.frame.json)")
      #expect(result.recurrence == "FREQ=WEEKLY", "\(text): \(result.frame.json)")
      #expect(result.frame.slots.datetimePoint == "2026-06-11T14:00:00", "\(text): \(result.frame.json)")
      #expect(result.frame.slots.durationMinutes == 90, "\(text): \(result.frame.json)")
    }
  }

  @Test("Two days of one week are both kept")
  func bothDays() throws {
    for (text, start, rule) in [
      ("schedule gym on tuesday and thursday at 6 pm", "2026-06-11T18:00:00", "FREQ=WEEKLY;BYDAY=TU,TH;COUNT=2"),
      ("set up a weekly call with Ann on monday and friday at 9", "2026-06-12T09:00:00", "FREQ=WEEKLY;BYDAY=MO,FR"),
      ("schedule a call on the 15th and the 17th at 10", "2026-06-15T10:00:00", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2"),
      ("schedule a call on june 18 and june 16 at 10", "2026-06-16T10:00:00", "FREQ=WEEKLY;BYDAY=TU,TH;COUNT=2"),
      ("remind me to stretch today and tomorrow at noon", "2026-06-10T12:00:00", "FREQ=WEEKLY;BYDAY=WE,TH;COUNT=2"),
      ("remind me to water plants on saturday and sunday", "2026-06-13T00:00:00", "FREQ=WEEKLY;BYDAY=SA,SU;COUNT=2"),
    ] {
      let result = understood(text)
      #expect(result.frame.slots.datetimePoint == start && result.recurrence == rule, "\(text): \(result.frame.json)")
    }
    for text in ["remind me to call Bob on monday or wednesday at nine", "remind me at 3 or 4 to call Bob"] {
      let result = understood(text)
      #expect(result.recurrence == nil && result.decision != .act, "\(text): \(result.frame.json)")
    }
  }

  @Test(
    "\"All day\" says how long and is no part of the name",
    arguments: [
      ("all day event company holiday on December 24", "company holiday", "2026-12-24T00:00:00"),
      ("all-day event offsite next friday", "offsite", "2026-06-19T00:00:00"),
      ("put moving house as an all day event on saturday", "moving house", "2026-06-13T00:00:00"),
      ("create an all day event called inventory on the 30th", "inventory", "2026-06-30T00:00:00"),
    ])
  func allDay(text: String, title: String, point: String) throws {
    let result = understood(text)
    #expect(result.frame.intent == .createEvent && result.frame.slots.title == title, "\(result.frame.json)")
    #expect(result.frame.slots.datetimePoint == point, "\(result.frame.json)")
    #expect(!result.explanation.contains { $0.hasPrefix("unexplained") }, "\(result.explanation)")
  }

  @Test(
    "What goes on the list of things to do is a task",
    arguments: [
      ("add milk to my todo list", "milk"), ("add call the bank to my to-do list", "call the bank"),
      ("put renew passport on my todo list for monday", "renew passport"),
      ("add water the plants to my tasks tomorrow morning", "water the plants"),
      ("add buying stamps to the to do list", "buying stamps"),
      ("please put clean the gutters on my task list for this weekend", "clean the gutters"),
      ("add milk to my shopping list", "milk"),
    ])
  func tasks(text: String, title: String) throws {
    let frame = understood(text).frame
    #expect(frame.intent == .addReminder && frame.slots.title == title, "\(frame.json)")
    // The encoder knows lists of all kinds and takes none of them for ours, however sure it is.
    let words = EncoderReader.words(text).count
    for labels in [["none": 0.999, "add_reminder": 0.0005], ["none": 1]] {
      let doubt = EncoderReading(labels: labels, tags: Array(repeating: 1, count: words), names: ["O"])
      let asked = wednesday.understood(text, reading: doubt)
      #expect(asked.frame.intent == .addReminder && asked.decision == .ask, "\(asked.frame.json)")
    }
  }

  @Test(
    "A name may begin with a word that asks",
    arguments: [
      ("book club thursday at 7", "book club", "2026-06-11T19:00:00"),
      ("add book club on the 14th at 19:00", "book club", "2026-06-14T19:00:00"),
      ("book fair on saturday", "book fair", "2026-06-13T00:00:00"),
      ("block party on july 4th at noon", "block party", "2026-07-04T12:00:00"),
      ("book club at Anna's tomorrow at eight", "book club at Anna's", "2026-06-11T20:00:00"),
    ])
  func names(text: String, title: String, point: String) throws {
    let frame = understood(text).frame
    #expect(frame.intent == .createEvent && frame.slots.title == title, "\(frame.json)")
    #expect(frame.slots.datetimePoint == point, "\(frame.json)")
  }

  @Test(
    "What says only about when, or only until when, is not done without asking",
    arguments: [
      "remind me at the end of the month to pay the rent", "schedule lunch with Ann early next week",
      "add lunch with Tom to my calendar by friday", "add an event team photo before noon tomorrow",
      "remind me in for hours to take the bread out",
    ])
  func rough(text: String) throws {
    let result = understood(text)
    #expect(result.frame.intent != .none && result.decision != .act, "\(result.decision) \(result.frame.json)")
  }

  @Test(
    "Two days with one time: that time on both of them; of a choice the first, which is asked about",
    arguments: [
      ("remind me to call the plumber tuesday and thursday at 4", "call the plumber", "2026-06-11T16:00:00", "TU,TH"),
      ("lunch with sam tuesday or wednesday at noon", "lunch with sam", "2026-06-16T12:00:00", nil),
      ("schedule yoga on monday and on friday at 18:30", "yoga", "2026-06-12T18:30:00", "MO,FR"),
    ] as [(String, String, String, String?)])
  func twoDays(text: String, title: String, point: String, days: String?) throws {
    let result = understood(text)
    #expect(result.frame.slots.title == title && result.frame.slots.datetimePoint == point, "\(result.frame.json)")
    #expect(result.recurrence == days.map { "FREQ=WEEKLY;BYDAY=\($0);COUNT=2" })
    #expect(days != nil || result.decision != .act)
  }

  @Test(
    "A greeting may name whoever is asked",
    arguments: ["hey Jenkins, remind me to call mum at six", "ok computer remind me to call mum at six"])
  func greeted(text: String) throws {
    let frame = understood(text).frame
    #expect(frame.intent == .addReminder && frame.slots.title == "call mum", "\(frame.json)")
  }
}
