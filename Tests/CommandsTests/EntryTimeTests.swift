import Core
import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite("Times told from what stands in the calendar")
struct EntryTimeTests {
  private let wednesday: Wednesday

  init() throws { wednesday = try Wednesday() }

  private static let entries = [
    AgendaItem(kind: .event, title: "Team sync", start: "2026-06-10T14:00:00", end: "2026-06-10T15:00:00"),
    AgendaItem(kind: .event, title: "Dentist appointment", start: "2026-06-11T15:00:00", end: "2026-06-11T16:00:00"),
    AgendaItem(kind: .event, title: "Zahnarzt Dr. Weber", start: "2026-06-12T08:15:00"),
    AgendaItem(kind: .event, title: "Lunch with Anna", start: "2026-06-12T12:30:00", end: "2026-06-12T13:30:00"),
    AgendaItem(kind: .event, title: "Lunch with Paul", start: "2026-06-15T12:30:00", end: "2026-06-15T13:30:00"),
    AgendaItem(kind: .event, title: "Rendez-vous chez le coiffeur", start: "2026-06-16T10:00:00"),
    AgendaItem(kind: .event, title: "Mum's birthday", start: "2026-06-20"),
    AgendaItem(kind: .task, title: "Pay the rent", start: "2026-06-30T18:00:00"),
  ]

  private static let entryTimes: [(said: String, text: String)] = [
    ("Remind me an hour before the dentist appointment", "Remind me an hour before 2026-06-11 15:00"),
    (
      "remind me 30 minutes before the dentist to pack the x-rays",
      "remind me 30 minutes before 2026-06-11 15:00 to pack the x-rays"
    ),
    (
      "Remind me to buy flowers an hour before lunch with Anna",
      "Remind me to buy flowers an hour before 2026-06-12 12:30"
    ),
    ("remind me half an hour after my lunch with Paul", "remind me half an hour after 2026-06-15 13:30"),
    ("wake me two hours before my dentist appointment", "wake me two hours before 2026-06-11 15:00"),
    ("remind me the day before Mum's birthday to bake", "remind me the day before 2026-06-20 to bake"),
    ("remind me the evening before the dentist to pack", "remind me the evening before 2026-06-11 to pack"),
    ("Erinnere mich am Abend vor dem Zahnarzt", "Erinnere mich am Abend vor 2026-06-12"),
    ("remind me 1 h before the dentist appointment", "remind me 1 h before 2026-06-11 15:00"),
    ("remind me 10 minutes before my next meeting", "remind me 10 minutes before 2026-06-10 14:00"),
    ("remind me two days before the rent", "remind me two days before 2026-06-30 18:00"),
    ("Erinnere mich eine Stunde vor dem Zahnarzttermin", "Erinnere mich eine Stunde vor 2026-06-12 08:15"),
    (
      "Erinnere mich eine halbe Stunde vor dem Zahnarzt Weber daran, Blumen zu kaufen",
      "Erinnere mich eine halbe Stunde vor 2026-06-12 08:15 daran, Blumen zu kaufen"
    ),
    ("Rappelle-moi une heure avant le coiffeur", "Rappelle-moi une heure avant 2026-06-16 10:00"),
    (
      "rappelle-moi deux heures avant mon rendez-vous chez le coiffeur de prendre de l'argent",
      "rappelle-moi deux heures avant 2026-06-16 10:00 de prendre de l'argent"
    ),
  ]

  @Test("The entry's time takes the place of its name", arguments: entryTimes)
  func told(said: String, text: String) throws {
    #expect(EntryTime.mayTell(said))
    let time = try #require(EntryTime(said, among: Self.entries, with: wednesday.resolver))
    #expect(time.text == text)
  }

  @Test(
    "What tells its time by itself, names no entry, or another one than stands there, is as it was said",
    arguments: [
      "remind me an hour before noon to call Ann", "remind me 30 minutes before 3 pm on Thursday",
      "remind me an hour before my meeting with Zoe", "remind me an hour before dinner with Anna",
      "remind me an hour before I leave for the dentist", "remind me an hour before the concert",
      "remind me an hour before Mum's birthday", "remind me to call Ann tomorrow at nine",
      "Erinnere mich vor drei Tagen an den Zahnarzt", "Erinnere mich eine Stunde vor dem Konzert",
      "Rappelle-moi une heure avant le concert", "before", "an hour before", "",
    ])
  func untold(said: String) {
    #expect(EntryTime(said, among: Self.entries, with: wednesday.resolver) == nil)
  }

  @Test("A reminder without words of its own is called as the entry, and what was said is marked where it stands")
  func understood() throws {
    let said = "Remind me an hour before the dentist appointment"
    let time = try #require(EntryTime(said, among: Self.entries, with: wednesday.resolver))
    let understood = time.asSaid(wednesday.understood(time.text))
    #expect(understood.frame.intent == .addReminder && understood.decision == .confirm)
    #expect(understood.frame.slots.title == "Dentist appointment")
    #expect(understood.frame.slots.datetimePoint?.hasPrefix("2026-06-11T14:00") == true)
    let marked = understood.marks.filter { $0.kind == .time }.map { Array(said.utf8)[$0.start..<$0.end] }
    #expect(marked.map { String(decoding: $0, as: UTF8.self) } == ["an hour before the dentist appointment"])
  }

  @Test(
    "The evening before a day is that of the day before it",
    arguments: [
      "the evening before 2026-06-12", "the evening before the 12th of June", "am Abend vor 2026-06-12",
      "am Abend vor dem 12. Juni", "le soir avant le 12 juin",
    ])
  func evening(text: String) {
    #expect(wednesday.resolver.readings(in: text).readings.first?.value.hasPrefix("2026-06-11T18:00") == true)
  }

  @Test(
    "A date in digits is no stretch of days", arguments: ["two days before 2026-06-12", "the day before 2026-06-11"])
  func digits(text: String) {
    #expect(wednesday.resolver.readings(in: text).readings.first?.value.hasPrefix("2026-06-10") == true)
  }
}
