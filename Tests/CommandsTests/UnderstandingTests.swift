import Core
import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite struct UnderstandingTests {
  private let wednesday: Wednesday

  init() throws { wednesday = try Wednesday() }

  private func understood(_ text: String) -> Understanding { wednesday.understood(text) }

  @Test("A reminder has its text and its moment")
  func reminder() throws {
    let result = understood("Remind me tomorrow at seven to call John, please")
    #expect(result.frame.intent == .addReminder)
    #expect(result.frame.slots.title == "call John")
    #expect(result.frame.slots.datetimePoint == "2026-06-11T07:00:00")
    #expect(result.decision == .act)
  }

  @Test("An event has its name, its hours or its length")
  func event() {
    let range = understood("schedule a meeting with the design team next friday from 2 to 3:30").frame
    #expect(range.intent == .createEvent)
    #expect(range.slots.title == "meeting with the design team")
    #expect(range.slots.datetimeRange == "2026-06-19T14:00:00/2026-06-19T15:30:00")
    let length = understood("book the dentist tomorrow at 3 for 45 minutes").frame
    #expect(length.slots.datetimePoint == "2026-06-11T15:00:00")
    #expect(length.slots.durationMinutes == 45)
    let apart = understood("on friday put lunch with Ann on my calendar at noon").frame
    #expect(apart.slots.title == "lunch with Ann")
    #expect(apart.slots.datetimePoint == "2026-06-12T12:00:00")
  }

  @Test("A repetition is told beside the frame")
  func repetition() {
    let result = understood("remind me every other tuesday at 6pm to put out the recycling")
    #expect(result.recurrence == "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU")
    #expect(result.frame.slots.title == "put out the recycling")
  }

  @Test("A note keeps its words, times and all")
  func note() {
    let result = understood("make a note that the train leaves tomorrow at nine")
    #expect(result.frame.intent == .createNote)
    #expect(result.frame.slots.title == "the train leaves tomorrow at nine")
    #expect(result.frame.slots.datetimePoint == nil)
    #expect(understood("put down that I owe Carla 40 euros").frame.slots.title == "I owe Carla 40 euros")
  }

  @Test("A mail has recipients, subject and body, and is never sent unasked")
  func mail() {
    let result = understood(
      "send an email to john at example dot com and Kate with the subject budget saying the numbers are in")
    #expect(result.frame.intent == .sendEmail)
    #expect(result.frame.slots.emailTo == ["john@example.com", "Kate"])
    #expect(result.frame.slots.emailSubject == "budget")
    #expect(result.frame.slots.emailBody == "the numbers are in")
    #expect(result.frame.policy.needsConfirmation)
    #expect(result.decision != .act)
  }

  @Test(
    "What is sent is no recipient",
    arguments: [
      ("email the report to Susan", ["Susan"], "the report"),
      ("mail the contract to the landlord", ["the landlord"], "the contract"),
      ("email the photos to Ann and Bob", ["Ann", "Bob"], "the photos"),
      ("email John to come early", ["John"], nil),
    ])
  func whatIsSent(text: String, to: [String], subject: String?) {
    let slots = understood(text).frame.slots
    #expect(slots.emailTo == to)
    #expect(slots.emailSubject == subject)
  }

  @Test("An address is taken whole, whatever the encoder makes of its parts")
  func wholeAddress() throws {
    let text = "mail to info@garage.example: is my car ready?"
    let marked: Set<String> = ["info", "@", "garage"]
    let tags: [Float] = EncoderReader.words(text).flatMap { marked.contains($0.text) ? [0.01, 0.99] : [0.99, 0.01] }
    let reading = EncoderReading(labels: ["send_email": 0.95, "none": 0.05], tags: tags, names: ["O", "B-recipient"])
    let slots = wednesday.understood(text, reading: reading).frame.slots
    #expect(slots.emailTo == ["info@garage.example"])
    #expect(slots.emailBody == "is my car ready?")
  }

  @Test("Asking about one's mail reads it")
  func reading() {
    let result = understood("do I have any new emails from Priya")
    #expect(result.frame.intent == .readEmail)
    #expect(result.emailFrom == "Priya")
  }

  @Test(
    "Questions, changes, reports and refusals are not acted on",
    arguments: [
      "what's on my calendar tomorrow", "cancel my meeting with Sarah", "move the dentist to friday at 3",
      "don't remind me to call John", "she told me to buy milk tomorrow", "never mind the reminder",
      "when is my appointment with the dentist", "delete the reminder to pay rent", "how do I set a reminder",
      "I already emailed Anna about the contract", "remind me who won the world cup",
    ])
  func declined(text: String) {
    let result = understood(text)
    #expect(result.frame.intent == .none)
    #expect(result.decision == .none || result.decision == .ask)
  }

  @Test("In a language that no table has, nothing is pieced together; an English opening counts")
  func foreign() {
    func foreign(_ text: String) -> Understanding { wednesday.understood(text, isForeign: true) }
    #expect(foreign("escribe un mail a Paul que llego tarde").veto == .language)
    #expect(foreign("escribe un mail a Paul que llego tarde").frame.intent == .none)
    #expect(foreign("schreib Paul eine Mail dass ich später komme").frame.intent == .sendEmail)
    #expect(foreign("email Claire saying je suis en retard").frame.intent == .sendEmail)
    #expect(foreign("Timer 5 Minuten").frame.intent == .setAlarm)
  }

  @Test(
    "What is said around a command is no part of it",
    arguments: [
      ("remind me to have the car washed on friday", "have the car washed", "2026-06-12T00:00:00"),
      ("remind me to um remind tom about the tickets tonight", "remind tom about the tickets", "2026-06-10T18:00:00"),
      ("tomorrow morning I should ring mum, remind me please", "ring mum", "2026-06-11T00:00:00"),
      ("remind me a fortnight before mum's birthday on 14 August", "mum's birthday", "2026-07-31T00:00:00"),
      ("would you mind reminding me about the laundry at 3", "laundry", "2026-06-10T15:00:00"),
      ("I was wondering if you could remind me at five to call Ann", "call Ann", "2026-06-10T17:00:00"),
      ("what I need is a reminder to text Ann at noon", "text Ann", "2026-06-10T12:00:00"),
      ("remind me that the plumber's coming thursday at ten", "plumber's coming", "2026-06-11T10:00:00"),
      ("remind me at noon to dial in", "dial in", "2026-06-10T12:00:00"),
      ("remind me an hour before the game at 8 pm to order pizza", "order pizza", "2026-06-10T19:00:00"),
      ("remind me ten minutes before the meeting at 3", "meeting", "2026-06-10T14:50:00"),
      ("set a reminder 20 minutes laundry", "laundry", "2026-06-10T09:50:00"),
      ("remind me to water the plants on saturday and sunday", "water the plants", "2026-06-13T00:00:00"),
      ("create a meeting for tomorrow at 9 with Ann", "meeting with Ann", "2026-06-11T09:00:00"),
      ("book lunch with kate i mean karen tomorrow at twelve", "lunch with karen", "2026-06-11T12:00:00"),
      ("I have a job interview on monday at 10 am can you add that", "job interview", "2026-06-15T10:00:00"),
      ("put us down for a tour on friday at noon", "tour", "2026-06-12T12:00:00"),
      ("schedule a Black Friday sale meeting for Monday at 10", "Black Friday sale meeting", "2026-06-15T10:00:00"),
      ("Add tomorrow's dinner at Mario's at 8 to my calendar.", "dinner at Mario's", "2026-06-11T20:00:00"),
      ("Remind me to call April on Sunday.", "call April", "2026-06-14T00:00:00"),
      ("schedule the christmas party for december 12 at 7 pm", "christmas party", "2026-12-12T19:00:00"),
    ])
  func surroundings(text: String, title: String, start: String) throws {
    let slots = understood(text).alternatives.first { [.addReminder, .createEvent].contains($0.intent) }?.slots
    let frame = understood(text).frame
    let chosen = frame.intent == .none ? try #require(slots) : frame.slots
    #expect(chosen.title == title)
    #expect((chosen.datetimePoint ?? chosen.datetimeRange)?.hasPrefix(start) == true)
  }

  @Test("How often stands before the thing")
  func habits() {
    #expect(understood("set a daily reminder at nine pm to stretch").recurrence == "FREQ=DAILY")
    #expect(understood("set up a weekly call with Ann on monday at nine").recurrence == "FREQ=WEEKLY")
    #expect(understood("remind me to read the quarterly report tomorrow").recurrence == nil)
  }

  @Test("Two times for one reminder are put up for confirmation")
  func twoTimes() {
    #expect(understood("remind me at noon and again at 5 to stretch").decision != .act)
  }

  @Test("An event within a part of a day is asked about, for nobody said how long it is")
  func partOfDay() {
    #expect(understood("schedule a meeting tomorrow afternoon").decision == .confirm)
    #expect(understood("schedule a meeting tomorrow from 2 to 3 pm").decision == .act)
  }

  @Test("What is due by a day is due on that day")
  func deadline() {
    #expect(understood("remind me by friday to submit the report").frame.slots.datetimePoint == "2026-06-12T00:00:00")
  }

  @Test("What is missing is asked about")
  func incomplete() {
    #expect(understood("remind me to stretch").decision != .act)
    #expect(understood("create an event").decision != .act)
  }

  @Test(
    "The gate is a table",
    arguments: [
      (0.95, nil as Double?, false, Decision.act), (0.95, nil, true, .confirm), (0.91, nil, false, .act),
      (0.909, nil, false, .confirm), (0.81, nil, false, .confirm), (0.809, nil, false, .ask), (0.2, nil, true, .ask),
      (0.99, 0.49, false, .ask), (0.95, 0.9, false, .act), (0.85, 0.9, true, .confirm),
    ])
  func gate(confidence: Double, recognition: Double?, needs: Bool, decision: Decision) {
    var slots = Frame.Slots()
    slots.title = "x"
    let frame = Frame(
      intent: .addReminder, slots: slots, policy: Frame.Policy(needsConfirmation: needs, confidence: confidence))
    #expect(Gate().decide(frame, recognition: recognition) == decision)
  }

  @Test("Confidence is six parts understanding and four parts recognition; typed text has understanding alone")
  func fusion() {
    #expect(abs(Gate().confidence(understanding: 0.9, recognition: 0.7) - 0.82) < 1e-9)
    #expect(Gate().confidence(understanding: 0.9, recognition: nil) == 0.9)
  }

  @Test("Every frame of thousands of strange inputs conforms to the published grammar")
  func conforming() throws {
    let grammar = try GrammarMatcher.ofFrames()
    #expect(!grammar.accepts("{\"intent\":\"none\"}"))
    #expect(!grammar.accepts(Frame.nothing(confidence: 1).json + " "))
    let words = [
      "remind", "me", "to", "email", "john", "at", "example", "dot", "com", "about", "saying", "subject", "note",
      "that", "schedule",
      "a", "meeting", "tomorrow", "from", "2", "3", "pm", "every", "friday", "for", "30", "minutes", "\"quoted\"", "\\",
      "\u{0}",
      "\u{7}", "\u{7F}", "\n", "\t", "{", "}", ",", "é", "日本", "🕰️", "\u{202E}", "don't", "read", "my", "calendar",
      "called", "and",
      "<|im_start|>", "'; DROP", "99999999999999999999", "\u{301}", "in", "0", "hours",
    ]
    var dice = Dice(11)
    for _ in 0..<1200 {
      let text = (0...dice.next(16)).map { _ in dice.pick(words) }.joined(separator: dice.next(5) == 0 ? "" : " ")
      let result = wednesday.understander.understand(
        text, with: wednesday.resolver, recognition: dice.next(2) == 0 ? nil : Double(dice.next(100)) / 100)
      for frame in [result.frame] + result.alternatives {
        #expect(grammar.accepts(frame.json), "\(text.debugDescription) -> \(frame.json)")
      }
    }
    let long = String(repeating: "remind me to call john tomorrow at 3 and ", count: 3000)
    #expect(grammar.accepts(understood(long).frame.json))
  }

  @Test("Texts in slots are words of the utterance")
  func spans() {
    for text in ["remind me tomorrow to Call “Zoë” at Café 5", "add Büro-Meeting (Raum 3) on friday to my calendar"] {
      let title = understood(text).frame.slots.title ?? ""
      #expect(!title.isEmpty)
      #expect(title.split(separator: " ").allSatisfy { text.contains($0) })
    }
  }
}
