import Core
import Foundation
import TestSupport
import Testing

@testable import Commands

/// Wednesday 10 June 2026, half past nine in Berlin, unless a test says otherwise.
@Suite struct TimeTests {
  private func best(
    _ text: String, now: String = "2026-06-10T09:30:00", zone: String = "Europe/Berlin",
    english: TimeResolver.English = .american
  ) throws -> TimeReading {
    let zone = try #require(TimeZone(identifier: zone))
    let resolver = try #require(TimeResolver(local: now, zone: zone, english: english))
    return try #require(resolver.readings(in: text).readings.first, "no reading of \"\(text)\"")
  }

  @Test(
    "What people say is understood as they mean it",
    arguments: [
      ("remind me tomorrow at seven to call John", "2026-06-11T07:00:00"),
      ("gym at half seven tomorrow", "2026-06-11T07:30:00"),
      ("leave at ten to six", "2026-06-10T17:50:00"),
      ("dinner on saturday at eight", "2026-06-13T20:00:00"),
      ("in an hour and a half", "2026-06-10T11:00:00"),
      ("the 21st at half two", "2026-06-21T14:30:00"),
      ("march fifteenth two thousand and twenty seven at ten am", "2027-03-15T10:00:00"),
      ("a week on tuesday at 3", "2026-06-23T15:00:00"),
      ("meeting from nine to five tomorrow", "2026-06-11T09:00:00/2026-06-11T18:00:00"),
      ("from 8 in the morning to 6 in the evening", "2026-06-11T08:00:00/2026-06-11T19:00:00"),
      ("on new year's eve at 9pm until 2am", "2026-12-31T21:00:00/2027-01-01T03:00:00"),
      ("from Monday to Wednesday next week", "2026-06-15T00:00:00/2026-06-18T00:00:00"),
      ("at fourteen hundred hours", "2026-06-10T14:00:00"),
      ("2026-09-01T14:00", "2026-09-01T14:00:00"),
      ("thanksgiving", "2026-11-26T00:00:00"), ("good friday", "2027-03-26T00:00:00"),
      ("june 18 3:40 AM+1 - 8:50 AM+1", "2026-06-19T03:40:00/2026-06-19T08:51:00"),
      ("june 18 11:05 PM - 7:15 AM+1", "2026-06-18T23:05:00/2026-06-19T07:16:00"),
      ("24 - 29", "2026-06-24T00:00:00/2026-06-30T00:00:00"),
    ])
  func speech(text: String, value: String) throws {
    #expect(try best(text).value == value)
  }

  @Test(
    "Repetitions carry their rule and their next occurrence",
    arguments: [
      ("every other tuesday at 6pm", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "2026-06-16T18:00:00"),
      ("every monday wednesday and friday at 9:15", "FREQ=WEEKLY;BYDAY=MO,WE,FR", "2026-06-12T09:15:00"),
      ("on the first of every month", "FREQ=MONTHLY;BYMONTHDAY=1", "2026-07-01T00:00:00"),
      ("every last friday of the month at 4pm", "FREQ=MONTHLY;BYDAY=-1FR", "2026-06-26T16:00:00"),
      ("every weekday at 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-06-11T08:00:00"),
      ("every year on march 3rd", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3", "2027-03-03T00:00:00"),
    ])
  func repetitions(text: String, rule: String, next: String) throws {
    let reading = try best(text)
    #expect(reading.kind == .recurrence)
    #expect(reading.rrule == rule)
    #expect(reading.value == next)
  }

  @Test("The order of day and month follows the locale, unless only one is possible")
  func locale() throws {
    #expect(try best("3/4/2027").value == "2027-03-04T00:00:00")
    #expect(try best("3/4/2027", english: .british).value == "2027-04-03T00:00:00")
    #expect(try best("25/4/2027").value == "2027-04-25T00:00:00")
    #expect(TimeResolver.English(locale: "en_GB.UTF-8") == .british)
    #expect(TimeResolver.English(locale: "en_US") == .american)
  }

  @Test("The night the clocks change has an hour less, and an hour twice")
  func clockChanges() throws {
    let gap = try best("tomorrow at 2:30 am", now: "2026-03-28T12:00:00")
    #expect(gap.value == "2026-03-29T03:30:00")
    #expect(gap.utcOffset == 7200)
    #expect(try best("in 3 hours", now: "2026-03-29T00:30:00").value == "2026-03-29T04:30:00")
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let resolver = try #require(TimeResolver(local: "2026-10-24T12:00:00", zone: zone))
    let twice = resolver.readings(in: "tomorrow at 2:30 am").readings
    #expect(twice.map(\.value) == ["2026-10-25T02:30:00", "2026-10-25T02:30:00"])
    #expect(twice.map(\.utcOffset) == [7200, 3600])
  }

  @Test("Leap days, the turn of the year and far zones are reckoned rightly")
  func turns() throws {
    #expect(try best("tomorrow", now: "2028-02-28T10:00:00").value == "2028-02-29T00:00:00")
    #expect(try best("in one month", now: "2027-01-31T10:00:00").value == "2027-02-28T00:00:00")
    #expect(try best("next friday", now: "2026-12-30T10:00:00").value == "2027-01-08T00:00:00")
    #expect(try best("at 11pm", now: "2026-12-31T23:30:00").value == "2027-01-01T23:00:00")
    #expect(try best("at noon GMT", zone: "Pacific/Auckland").value == "2026-06-11T00:00:00")
  }

  @Test("Both meanings of \"next Friday\" are given, the week after first")
  func nextFriday() throws {
    let resolver = try TimeResolver.wednesday(in: "GMT")
    #expect(
      resolver.readings(in: "next friday").readings.map(\.value) == ["2026-06-19T00:00:00", "2026-06-12T00:00:00"])
  }

  @Test(
    "Words that only look like time are left alone",
    arguments: [
      "may I have a word", "read the second email", "I will march to the office with sun in my face", "buy 2 eggs",
      "call the sat nav company", "wed the two ideas", "she sat down",
    ])
  func notTime(text: String) throws {
    let resolver = try TimeResolver.wednesday(in: "GMT")
    #expect(resolver.readings(in: text).readings.isEmpty)
  }

  @Test("Time words without a meaning are reported")
  func unexplained() throws {
    let resolver = try TimeResolver.wednesday(in: "GMT")
    let result = resolver.readings(in: "move it to the fortnight when 25:70 strikes at 9am")
    #expect(result.unexplained == ["fortnight", "25"])
    #expect(result.readings.map(\.text) == ["at 9am"])
  }

  @Test("Offsets are bytes of the utterance, whatever stands before")
  func offsets() throws {
    let text = "Café — remind “Zoë” tomorrow at 7 pm…"
    let reading = try best(text)
    let bytes = Array(text.utf8)
    #expect(String(decoding: bytes[reading.start..<reading.end], as: UTF8.self) == reading.text)
    #expect(reading.text == "tomorrow at 7 pm")
  }

  @Test("Any order of time words, numbers and noise is answered, and values are well formed")
  func noise() throws {
    let words =
      Language.all.flatMap { language in
        [language.vocabulary.weekdays.keys.sorted(), language.vocabulary.months.keys.sorted()].joined()
          + language.vocabulary.units.keys.sorted() + language.vocabulary.cardinals.keys.sorted()
      } + [
        "the", "of", "at", "on", "in", "from", "to", "until", "for", "every", "other", "next", "last", "this", "first",
        "third", "half", "quarter", "past", "and", "a", "an", "ago", "before", "after", "between", "by", "end", "week",
        "weekend", "tonight", "tomorrow", "noon", "midnight", "am", "pm", "p", ".", ",", "-", "/", ":", "'", "(", ")",
        "+",
        "0", "1", "7", "12", "24", "31", "99", "2359", "2026", "99999", "999999999999", "h", "st", "th", "easter",
        "christmas", "closest", "upcoming", "couple", "hundred", "thousand", "é", "\u{200B}", "🕰", "\0",
      ]
    var dice = Dice(7)
    let zone = try #require(TimeZone(identifier: "America/New_York"))
    let resolver = try #require(TimeResolver(local: "2028-02-29T23:59:59", zone: zone))
    for _ in 0..<3000 {
      let text = (0...dice.next(14)).map { _ in dice.pick(words) }.joined(separator: dice.next(4) == 0 ? "" : " ")
      for reading in resolver.readings(in: text).readings {
        #expect(reading.start >= 0 && reading.end <= text.utf8.count && reading.start < reading.end, "\(text)")
        if reading.kind != .duration {
          #expect(reading.value.split(separator: "/").allSatisfy { Civil.parse(String($0)) != nil }, "\(text)")
        }
      }
    }
    let long = String(repeating: "every second monday of 12 to 5 at the end of next ", count: 400)
    #expect(resolver.readings(in: long).readings.count > 100)
  }
}
