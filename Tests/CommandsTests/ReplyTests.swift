import Foundation
import Testing

@testable import Commands

/// Wednesday 10 June 2026, half past nine in Berlin; the card shows Friday at seven in the evening unless a test says otherwise.
@Suite struct ReplyTests {
  private let resolver: TimeResolver

  init() throws {
    resolver = try TimeResolver.wednesday()
  }

  private func card(_ intent: Intent = .createEvent, point: String? = "2026-06-12T19:00:00", range: String? = nil)
    -> Card
  {
    Card(
      Frame(intent, confidence: 0.9) {
        ($0.title, $0.datetimePoint, $0.datetimeRange) = ("dinner", range == nil ? point : nil, range)
      })
  }

  private func reply(_ text: String, to card: Card, recognition: Double? = nil) -> Reply {
    Reply(text, to: card, with: resolver, recognition: recognition)
  }

  @Test("A bare number said to a timer is a length in what it shows")
  func timer() {
    let card = Card(
      Frame(.setAlarm, confidence: 0.9) {
        ($0.alarm, $0.datetimePoint, $0.seconds) = (.timer, "2026-06-10T09:40:00", 600)
      })
    #expect(reply("actually make that 5", to: card).edits?.start == "2026-06-10T09:35:00")
    #expect(reply("make it twenty", to: card).edits?.start == "2026-06-10T09:50:00")
    #expect(reply("5", to: self.card()).edits?.start == "2026-06-12T17:00:00")
  }

  @Test(
    "Yes, no and neither",
    arguments: [
      ("yes", Reply.Kind.yes), ("Yes please.", .yes), ("yeah do it", .yes), ("ok, go ahead", .yes),
      ("that's right", .yes),
      ("um, sure", .yes), ("sounds good thanks", .yes), ("send it", .yes), ("no problem, do it", .yes),
      ("no", .no), ("no thanks", .no), ("cancel", .no), ("never mind", .no), ("Stop!", .no), ("don't do it", .no),
      ("no, wait", .no), ("okay cancel that", .no), ("forget it", .no), ("yes no", .no),
      ("undo that", .undo), ("take it back", .undo),
      ("what is the weather", .other), ("yes remind me to call Bob", .other), ("no dogs are allowed", .other),
      ("cancel my meeting with Jo", .other), ("", .other), ("make it nice", .other),
      ("remind me at nine to call Bob", .other), ("right turn ahead", .other),
    ])
  func answers(text: String, kind: Reply.Kind) {
    #expect(reply(text, to: card()).kind == kind)
  }

  @Test(
    "Another time is put on the card",
    arguments: [
      ("make it eight", "2026-06-12T20:00:00"), ("no, make it half past eight", "2026-06-12T20:30:00"),
      ("at nine instead", "2026-06-12T21:00:00"), ("eight am", "2026-06-12T08:00:00"),
      ("saturday", "2026-06-13T19:00:00"), ("no, on Sunday instead please", "2026-06-14T19:00:00"),
      ("change it to tomorrow at noon", "2026-06-11T12:00:00"), ("move it to the 20th", "2026-06-20T19:00:00"),
      ("actually in two hours", "2026-06-10T11:30:00"), ("how about quarter past six", "2026-06-12T18:15:00"),
    ])
  func changes(text: String, start: String) {
    let reply = reply(text, to: card())
    #expect(reply.kind == .change)
    #expect(reply.edits?.start == start)
    #expect(reply.edits?.end == nil)
  }

  @Test("A range keeps its length, and gets another where one is said")
  func ranges() {
    let meeting = card(range: "2026-06-12T14:00:00/2026-06-12T15:30:00")
    let later = reply("make it three", to: meeting).edits
    #expect(later?.start == "2026-06-12T15:00:00")
    #expect(later?.end == "2026-06-12T16:30:00")
    #expect(reply("make it an hour", to: meeting).edits?.end == "2026-06-12T15:00:00")
    let whole = reply("from two to four", to: card(point: "2026-06-12T00:00:00")).edits
    #expect(whole?.start == "2026-06-12T14:00:00")
    #expect(whole?.end == "2026-06-12T16:00:00")
    #expect(reply("make it 90 minutes", to: card()).edits?.durationMinutes == 90)
  }

  @Test("Only cards that have a time are changed by one, and the same time changes nothing")
  func untimed() {
    #expect(reply("make it eight", to: card(.sendEmail)).kind == .other)
    #expect(reply("friday at 7 pm", to: card()).kind == .other)
  }

  @Test("A yes that was barely heard does nothing; a no always counts")
  func unheard() {
    #expect(reply("yes", to: card(), recognition: 0.3).kind == .unheard)
    #expect(reply("yes", to: card(), recognition: 0.6).kind == .yes)
    #expect(reply("no", to: card(), recognition: 0.1).kind == .no)
  }

  @Test("What is written on the card later counts, and the rest stays")
  func merged() {
    var first = CardEdits()
    (first.title, first.start) = ("lunch", "2026-06-12T12:00:00")
    var second = CardEdits()
    second.start = "2026-06-12T13:00:00"
    let both = first.merged(with: second)
    #expect(both.title == "lunch")
    #expect(both.start == "2026-06-12T13:00:00")
  }
}
