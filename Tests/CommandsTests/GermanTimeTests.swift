import Foundation
import Testing

@testable import Commands

/// German expressions, each of a class of its own. Wednesday 10 June 2026, half past nine in Berlin.
@Suite struct GermanTimeTests {
  private func readings(_ text: String) throws -> [TimeReading] {
    try TimeResolver.wednesday().readings(in: text).readings
  }

  @Test(
    "Clock times, days, weeks and months, times from now, lengths and ranges",
    arguments: [
      ("um 14 Uhr", "2026-06-10T14:00:00"), ("um 14 Uhr 30", "2026-06-10T14:30:00"),
      ("14:45 Uhr", "2026-06-10T14:45:00"), ("um 15.30 Uhr", "2026-06-10T15:30:00"),
      ("halb vier", "2026-06-10T15:30:00"), ("morgen um halb zehn", "2026-06-11T09:30:00"),
      ("heute um halb 8 abends", "2026-06-10T19:30:00"), ("Viertel nach vier", "2026-06-10T16:15:00"),
      ("viertel vor 12", "2026-06-10T11:45:00"), ("zehn nach drei", "2026-06-10T15:10:00"),
      ("zwanzig vor fünf", "2026-06-10T16:40:00"), ("fünf vor halb vier", "2026-06-10T15:25:00"),
      ("fünf nach halb drei", "2026-06-10T14:35:00"), ("um acht", "2026-06-10T20:00:00"),
      ("morgen um acht", "2026-06-11T08:00:00"), ("acht Uhr morgens", "2026-06-11T08:00:00"),
      ("um zehn Uhr abends", "2026-06-10T22:00:00"), ("um einundzwanzig Uhr fünfzehn", "2026-06-10T21:15:00"),
      ("morgen Mittag um eins", "2026-06-11T13:00:00"), ("um Mitternacht", "2026-06-11T00:00:00"),
      ("morgen um 7 h", "2026-06-11T07:00:00"),
      ("gegen 18 Uhr", "2026-06-10T18:00:00"), ("übermorgen um 7:05", "2026-06-12T07:05:00"),
      ("Zahnarzt am 17.8. um 9:40", "2026-08-17T09:40:00"),
      ("heute", "2026-06-10T00:00:00"), ("morgen", "2026-06-11T00:00:00"), ("Übermorgen", "2026-06-12T00:00:00"),
      ("gestern", "2026-06-09T00:00:00"), ("vorgestern", "2026-06-08T00:00:00"),
      ("am Freitag", "2026-06-12T00:00:00"), ("nächsten Dienstag", "2026-06-16T00:00:00"),
      ("kommenden Samstag", "2026-06-13T00:00:00"), ("übernächsten Montag", "2026-06-22T00:00:00"),
      ("letzten Montag", "2026-06-08T00:00:00"), ("nächste Woche", "2026-06-15T00:00:00"),
      ("übernächste Woche", "2026-06-22T00:00:00"), ("nächsten Monat", "2026-07-01T00:00:00"),
      ("letztes Jahr", "2025-01-01T00:00:00"), ("dieses Wochenende", "2026-06-12T18:00:00/2026-06-15T00:00:00"),
      ("am 3. Mai", "2027-05-03T00:00:00"), ("am 24. Dezember um 18 Uhr", "2026-12-24T18:00:00"),
      ("3.7.", "2026-07-03T00:00:00"), ("am 03.05.2027", "2027-05-03T00:00:00"),
      ("Freitag, den 12. Juni", "2026-06-12T00:00:00"), ("der dritte Oktober", "2026-10-03T00:00:00"),
      ("am einundzwanzigsten August", "2026-08-21T00:00:00"), ("im März", "2027-03-01T00:00:00"),
      ("Ende Juli", "2026-07-21T00:00:00/2026-08-01T00:00:00"),
      ("Anfang September", "2026-09-01T00:00:00/2026-09-11T00:00:00"),
      ("der letzte Freitag im Monat", "2026-06-26T00:00:00"), ("der erste Montag im Juli", "2026-07-06T00:00:00"),
      ("zu Weihnachten", "2026-12-25T00:00:00"), ("Ostermontag", "2027-03-29T00:00:00"),
      ("am Tag der Deutschen Einheit", "2026-10-03T00:00:00"),
      ("heute Abend", "2026-06-10T18:00:00/2026-06-11T00:00:00"),
      ("morgen früh", "2026-06-11T00:00:00/2026-06-11T12:00:00"),
      ("Montagabend um acht", "2026-06-15T20:00:00"),
      ("am Freitagnachmittag", "2026-06-12T12:00:00/2026-06-12T19:00:00"),
      ("in drei Wochen", "2026-07-01T00:00:00"), ("in zwei Stunden", "2026-06-10T11:30:00"),
      ("in einer halben Stunde", "2026-06-10T10:00:00"), ("in anderthalb Stunden", "2026-06-10T11:00:00"),
      ("in einer Viertelstunde", "2026-06-10T09:45:00"), ("in 20 Minuten", "2026-06-10T09:50:00"),
      ("vor drei Tagen", "2026-06-07T09:00:00"), ("eine Woche nach Ostern", "2027-04-04T00:00:00"),
      ("heute in einer Woche", "2026-06-17T00:00:00"), ("zwei Stunden lang", "PT2H"), ("45 Minuten", "PT45M"),
      ("vom 3. bis 7. Mai", "2027-05-03T00:00:00/2027-05-08T00:00:00"),
      ("vom 3. Juli bis zum 12. August", "2026-07-03T00:00:00/2026-08-13T00:00:00"),
      ("von Montag bis Mittwoch", "2026-06-15T00:00:00/2026-06-18T00:00:00"),
      ("von 9 bis 11 Uhr", "2026-06-11T09:00:00/2026-06-11T12:00:00"),
      ("morgen zwischen 14 und 16 Uhr", "2026-06-11T14:00:00/2026-06-11T17:00:00"),
      ("Freitag von 10:30 bis 11:15", "2026-06-12T10:30:00/2026-06-12T11:16:00"),
      ("bis Freitag", "2026-06-10T09:30:00/2026-06-12T00:00:00"), ("ab Montag", "2026-06-15T00:00:00"),
      ("nach 18 Uhr", "2026-06-10T18:00:00"), ("die nächsten drei Tage", "2026-06-11T00:00:00/2026-06-14T00:00:00"),
    ] as [(String, String)])
  func values(text: String, value: String) throws {
    #expect(try readings(text).first?.value == value, "\(text)")
  }

  @Test(
    "Repetitions",
    arguments: [
      ("jeden Montag um 9 Uhr", "FREQ=WEEKLY;BYDAY=MO", "2026-06-15T09:00:00"),
      ("jeden zweiten Montag", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-06-15T00:00:00"),
      ("am Montag und Mittwoch um neun", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2", "2026-06-15T09:00:00"),
      ("nächsten Montag und am Mittwoch um 9 Uhr", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2", "2026-06-15T09:00:00"),
      ("jeden Montag und Mittwoch um neun", "FREQ=WEEKLY;BYDAY=MO,WE", "2026-06-15T09:00:00"),
      ("morgen von 14 bis 15:30 Uhr jede Woche", "FREQ=WEEKLY", "2026-06-11T14:00:00"),
      ("jede Woche ab morgen um 9", "FREQ=WEEKLY", "2026-06-11T09:00:00"),
      ("montags und donnerstags um acht", "FREQ=WEEKLY;BYDAY=MO,TH", "2026-06-11T08:00:00"),
      ("täglich um 7 Uhr", "FREQ=DAILY", "2026-06-11T07:00:00"),
      ("alle zwei Wochen", "FREQ=WEEKLY;INTERVAL=2", "2026-06-24T00:00:00"),
      ("werktags um 8 Uhr 30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-06-11T08:30:00"),
      ("jeden ersten Montag im Monat", "FREQ=MONTHLY;BYDAY=1MO", "2026-07-06T00:00:00"),
      ("jeden Tag außer Sonntag um 10", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA", "2026-06-10T10:00:00"),
      ("jedes Jahr am 3. Mai", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3", "2027-05-03T00:00:00"),
    ])
  func repetitions(text: String, rule: String, next: String) throws {
    let best = try readings(text).first
    #expect(best?.rrule == rule, "\(text)")
    #expect(best?.value == next, "\(text)")
  }

  @Test(
    "What is no time stays unread",
    arguments: ["ein guter Mann", "der dritte Mann", "ich habe acht Katzen", "vor dem Haus", "nach Hause"])
  func nothing(text: String) throws { #expect(try readings(text).isEmpty, "\(text)") }
}
