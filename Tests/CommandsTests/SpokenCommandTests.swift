import Foundation
import Testing

@testable import Commands

/// What people say when they speak rather than write.
@Suite struct SpokenCommandTests {
  private let wednesday: Wednesday

  init() throws { wednesday = try Wednesday() }

  private func understood(_ text: String) -> Understanding { wednesday.understood(text) }

  @Test(
    "Hesitations, politeness, conditions and a word that asks leave the title whole",
    arguments: [
      ("um so like could you maybe remind me uh tomorrow at noon to um call the bank please thanks", "call the bank"),
      ("remind me when I get home to feed the cat", "when I get home to feed the cat"),
      ("I need a reminder to pick up the dry cleaning after work", "pick up the dry cleaning"),
      ("I'm seeing the doctor tomorrow at 4, add that please", "I'm seeing the doctor"),
      ("we have a team dinner on Saturday at 7:30 at Luigi's, put it on the calendar", "team dinner at Luigi's"),
      ("remind me every day at nine and five to take my pills", "take my pills"),
      ("remind me tomorrow to book a table for Friday", "book a table for Friday"),
      ("add all day event company offsite on Friday", "company offsite"),
      ("book club on Tuesday at 7", "book club"), ("book fair on Saturday at ten", "book fair"),
      ("book dentist on Tuesday at 7", "dentist"),
    ])
  func titles(text: String, title: String) {
    #expect(understood(text).frame.slots.title == title)
  }

  @Test("What is to be said to somebody is not taken for politeness")
  func thanks() {
    let frame = understood("reply to Kate and tell her thanks").frame
    #expect(frame.slots.emailTo == ["Kate"])
    #expect(frame.slots.emailBody == "thanks")
    #expect(understood("remind me at noon to call Bob, thanks").frame.slots.title == "call Bob")
  }

  @Test(
    "What is over, does not exist or says two things is asked about",
    arguments: [
      "remind me yesterday to call Bob", "remind me last friday at nine to call Bob",
      "remind me on February 30th to pay", "remind me on April 31st at nine to pay", "remind me at 9 on 30.2. to pay",
      "remind me on Monday the 16th at nine to pay", "schedule lunch on Monday, 16 June, at noon",
      "remind me on 29 February at nine to pay", "schedule a call from February 27th to February 30th",
      "remind me in minus five minutes to pay", "schedule lunch tomorrow at noon for -30 minutes",
      "remind me when I get home to feed the cat",
      "if it rains tomorrow remind me to take an umbrella", "remind me every day at nine and five to take my pills",
      "remind me at 3 or 4 to call Bob", "book a massage in March", "pencil in coffee with Ola sometime next week",
      "remind me tomorrow",
      "schedule lunch with Leo",
    ])
  func asked(text: String) {
    #expect(understood(text).frame.policy.needsConfirmation)
    #expect(understood(text).decision != .act)
  }

  @Test("Of a day that there is none of no time is kept, and its words are not part of the title")
  func noDay() {
    let slots = understood("remind me on April 31st at nine to pay the rent").frame.slots
    #expect(slots.title == "pay the rent" && slots.datetimePoint == nil)
    #expect(understood("remind me on 31 May at nine to pay").frame.slots.datetimePoint == "2027-05-31T09:00:00")
    let right = understood("remind me on Tuesday the 16th at nine to pay the rent").frame
    #expect(right.slots.datetimePoint == "2026-06-16T09:00:00" && !right.policy.needsConfirmation)
  }

  @Test(
    "The second command of one breath is kept for itself",
    arguments: [
      (
        "remind me to buy flowers tomorrow. Also schedule lunch with Ann on Friday at noon.",
        "remind me to buy flowers tomorrow", "schedule lunch with Ann on Friday at noon."
      ),
      (
        "put dinner with Jo on my calendar Friday at 8 and remind me to buy wine",
        "put dinner with Jo on my calendar Friday at 8", "remind me to buy wine"
      ),
      (
        "set a reminder to call mum at six and then send an email to Bob saying I am late",
        "set a reminder to call mum at six", "send an email to Bob saying I am late"
      ),
      ("remind me to call Anna and email Bob", nil, ""),
      ("make a note that the key is missing. Remind me to look for it", nil, ""),
      (
        "schedule a call with Ann tomorrow at 3 and remind me an hour before", "schedule a call with Ann tomorrow at 3",
        "remind me 2026-06-11 14:00 about call with Ann"
      ),
      (
        "call with Ann tomorrow at 3, please remind me 10 minutes in advance", "call with Ann tomorrow at 3",
        "remind me 2026-06-11 14:50 about call with Ann"
      ),
      (
        "schedule the dentist on Friday at 3 and remind me about it on Thursday evening",
        "schedule the dentist on Friday at 3", "remind me on Thursday evening about dentist"
      ),
      (
        "schedule a call with Ann tomorrow at 3 and remind me the evening before",
        "schedule a call with Ann tomorrow at 3", "remind me 2026-06-10 in the evening about call with Ann"
      ),
      (
        "remind me at 8 to take the pills and add haircut tomorrow at 10", "remind me at 8 to take the pills",
        "add haircut tomorrow at 10"
      ),
      (
        "dentist on Tuesday at 9 and haircut on Friday at 10", "dentist on Tuesday at 9", "haircut on Friday at 10"
      ),
      ("workshop on Friday at 9 and on Saturday at 10", nil, ""),
      ("schedule a meeting on Monday at 10 and Tuesday at 11 with Bob", nil, ""),
      ("remind me to book the hall on Friday at 9 and call Ann on Saturday at 10", nil, ""),
      ("when is the dentist on Tuesday at 9 and the haircut on Friday at 10", nil, ""),
      ("remind me to call Dr. Miller tomorrow at nine", nil, ""),
      ("book lunch on Friday and add it to my calendar", nil, ""),
    ] as [(String, String?, String)])
  func sequels(text: String, first: String?, rest: String) {
    let sequel = Sequel(text, with: wednesday.resolver)
    #expect(sequel.first == first ?? text)
    #expect(sequel.rest(after: understood(sequel.first).frame, with: wednesday.resolver) ?? "" == rest)
  }

  @Test(
    "Who corrects himself means the later time, and is asked",
    arguments: [
      ("Remind me at 3 to call Bob. No, at 4.", "call Bob", "2026-06-10T16:00:00"),
      ("remind me to call Bob at 3, actually at 4", "call Bob", "2026-06-10T16:00:00"),
      ("remind me to call Bob tomorrow at 3, I mean Friday", "call Bob", "2026-06-12T15:00:00"),
      ("schedule lunch on Friday at noon, sorry, at one pm", "lunch", "2026-06-12T13:00:00"),
      ("Lunch with Odette on Tuesday at twelve, no wait, make it eleven.", "Lunch with Odette", "2026-06-16T11:00:00"),
      ("remind me to call Bob at 3 pm, sorry, 4", "call Bob", "2026-06-10T16:00:00"),
    ])
  func repairs(text: String, title: String, point: String) {
    let understood = understood(text)
    #expect(understood.frame.slots.title == title)
    #expect(understood.frame.slots.datetimePoint == point)
    #expect(understood.decision != .act)
  }

  @Test(
    "The marks that speech recognition writes change nothing",
    arguments: [
      (
        "Add a birthday party at Mia's place on Saturday from 3 p.m. to 6 p.m.",
        "2026-06-13T15:00:00/2026-06-13T18:00:00"
      ),
      ("Remind me to call Bob at 6 p.m.", "2026-06-10T18:00:00"),
      ("Remind me to call Bob tomorrow!", "2026-06-11T00:00:00"),
      ("I don't want to forget Anna's birthday on Saturday, remind me.", "2026-06-13T00:00:00"),
    ])
  func marks(text: String, time: String) {
    let slots = understood(text).frame.slots
    #expect(slots.datetimePoint ?? slots.datetimeRange == time)
    #expect(
      EncoderReader.words("Schedule a meeting tomorrow.").map(\.text) == ["Schedule", "a", "meeting", "tomorrow"])
  }

  @Test("Mail of a time came within it")
  func mailOfTheMorning() {
    #expect(
      understood("any emails from the bank this week").frame.slots.datetimeRange
        == "2026-06-08T00:00:00/2026-06-15T00:00:00")
    let frame = understood("Do I have unread emails from this morning?").frame
    #expect(frame.slots.datetimeRange == "2026-06-10T00:00:00/2026-06-10T12:00:00")
  }

  @Test("A reminder before an event is one by itself")
  func before() {
    let frame = understood("remind me 2026-06-11 14:00 about call with Ann").frame
    #expect(frame.intent == .addReminder)
    #expect(frame.slots.title == "call with Ann")
    #expect(frame.slots.datetimePoint == "2026-06-11T14:00:00")
  }

  @Test("A part of the day lands in hours in which people are awake, and is shown as it lands")
  func landing() {
    func card(_ intent: Intent, _ range: String, minutes: Int? = nil) -> Card {
      Card(
        Frame(intent, confidence: 0.9) {
          ($0.title, $0.datetimeRange, $0.durationMinutes) = ("write", range, minutes)
        })
    }
    let morning = "2026-06-11T00:00:00/2026-06-11T12:00:00"
    #expect(card(.createEvent, morning).words == "Event: write, Thu 11 June 2026 09:00 to 12:00")
    #expect(card(.createEvent, morning, minutes: 120).words == "Event: write, Thu 11 June 2026 09:00 to 11:00")
    #expect(card(.addReminder, morning).words == "Reminder: write, Thu 11 June 2026 09:00")
    #expect(
      card(.addReminder, "2026-06-11T00:00:00/2026-06-11T09:00:00").words == "Reminder: write, Thu 11 June 2026 06:00")
    #expect(
      card(.createEvent, "2026-06-11T14:00:00/2026-06-11T15:00:00").words
        == "Event: write, Thu 11 June 2026 14:00 to 15:00")
  }

  @Test(
    "A repetition is shown in words",
    arguments: [
      ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "every 2 weeks on Fri"),
      ("FREQ=MONTHLY;BYDAY=1MO", "every month on the first Mon"),
      ("FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on the 1st and 15th"),
      ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
      ("FREQ=WEEKLY;BYDAY=MO;COUNT=3", "every week on Mon, 3 times"),
      ("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2", "on Mon and Wed"),
      ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20260721T235959", "every week on Mon until Tue 21 July 2026"),
    ])
  func repetition(rule: String, words: String) {
    #expect(Card.repetition(rule) == words)
  }

  @Test(
    "A repetition with a time of day may say how long each lasts",
    arguments: [
      ("schedule standup every weekday at 9:15 for 15 minutes", "standup", "2026-06-11T09:15:00", 15, "MO,TU,WE,TH,FR"),
      ("book yoga every Tuesday at 6 pm for an hour", "yoga", "2026-06-16T18:00:00", 60, "TU"),
    ])
  func lastingRepetitions(text: String, title: String, start: String, minutes: Int, days: String) {
    let result = understood(text)
    #expect(result.frame.slots.title == title)
    #expect(result.frame.slots.datetimePoint == start)
    #expect(result.frame.slots.durationMinutes == minutes)
    #expect(result.recurrence == "FREQ=WEEKLY;BYDAY=\(days)")
  }

  @Test(
    "The mark that ends a message is the message's, unless the asking is the question",
    arguments: [
      ("email anna@example.org asking are you coming tonight?", "are you coming tonight?"),
      ("email anna@example.org saying happy birthday!", "happy birthday!"),
      ("could you email anna@example.org saying that dinner is ready?", "dinner is ready"),
    ])
  func marks(text: String, message: String) { #expect(understood(text).frame.slots.emailBody == message) }
}
