import Foundation
import Testing

@testable import Commands

/// Everyday expressions, each of a class of its own. Wednesday 10 June 2026, half past nine in Berlin.
@Suite struct EverydayTimeTests {
  @Test(
    "Points and ranges as people say them",
    arguments: [
      ("tomorrow at 4 pm eastern", "2026-06-11T22:00:00"), ("3pm pacific time", "2026-06-11T00:00:00"),
      ("tomorrow at 9 am Tokyo time", "2026-06-11T02:00:00"),
      ("on 15 january at 5 pm London time", "2027-01-15T18:00:00"),
      ("tomorrow at nine in new york time", "2026-06-11T15:00:00"),
      ("at 4 pm central daylight time", "2026-06-10T23:00:00"), ("at 4 pm in Paris", "2026-06-10T16:00:00"),
      ("at 8 pm london road", "2026-06-10T20:00:00"),
      ("noonish", "2026-06-10T12:00:00"), ("around fiveish tomorrow", "2026-06-11T17:00:00"),
      ("sevenish tonight", "2026-06-10T19:00:00"), ("five-ish", "2026-06-10T17:00:00"),
      ("the twentyfirst", "2026-06-21T00:00:00"), ("twentyfirst of may", "2027-05-21T00:00:00"),
      ("end of day tomorrow", "2026-06-11T17:00:00/2026-06-12T00:00:00"),
      ("tomorrow end of day", "2026-06-11T17:00:00/2026-06-12T00:00:00"),
      ("by close of business friday", "2026-06-10T09:30:00/2026-06-13T00:00:00"),
      ("saturday fortnight", "2026-06-27T00:00:00"), ("in two fridays", "2026-06-19T00:00:00"),
      ("three days from now at 4pm", "2026-06-13T16:00:00"), ("in three days at 4 pm", "2026-06-13T16:00:00"),
      ("in three days in the morning", "2026-06-13T00:00:00/2026-06-13T12:00:00"),
      ("last thing tonight", "2026-06-10T21:00:00/2026-06-11T00:00:00"),
      ("later this afternoon", "2026-06-10T12:00:00/2026-06-10T19:00:00"),
      ("later tonight", "2026-06-10T18:00:00/2026-06-11T00:00:00"),
      ("earlier today", "2026-06-10T00:00:00/2026-06-10T09:30:00"),
      ("midweek", "2026-06-10T00:00:00/2026-06-12T00:00:00"),
      ("on the third of the month", "2026-07-03T00:00:00"),
      ("quarter after four", "2026-06-10T16:15:00"),
      ("the monday after easter", "2027-03-29T00:00:00"), ("friday before the 1st of july", "2026-06-26T00:00:00"),
      ("this time tomorrow", "2026-06-11T09:30:00"), ("same time next week", "2026-06-17T09:30:00"),
      ("tomorrow at the same time", "2026-06-11T09:30:00"), ("this time next month", "2026-07-10T09:30:00"),
      ("before work tomorrow", "2026-06-11T06:00:00/2026-06-11T09:00:00"),
      ("buy milk after work", "2026-06-10T17:00:00/2026-06-10T21:00:00"),
      ("take the pills before bed", "2026-06-10T21:00:00/2026-06-11T00:00:00"),
      ("call mum first thing tomorrow", "2026-06-11T00:00:00/2026-06-11T09:00:00"),
      ("late friday night", "2026-06-12T21:00:00/2026-06-13T00:00:00"),
      ("all day friday", "2026-06-12T00:00:00"), ("the whole day tomorrow", "2026-06-11T00:00:00"),
      ("tomorrow all day", "2026-06-11T00:00:00"), ("all next week", "2026-06-15T00:00:00"),
      ("the entire weekend", "2026-06-12T18:00:00/2026-06-15T00:00:00"),
      ("all morning tomorrow", "2026-06-11T00:00:00/2026-06-11T12:00:00"),
      ("sometime next week", "2026-06-15T00:00:00"),
      ("end of summer", "2026-08-22T00:00:00/2026-09-24T00:00:00"),
      ("a decade ago", "2016-06-01T00:00:00"),
      ("a week tomorrow", "2026-06-18T00:00:00"), ("two weeks today", "2026-06-24T00:00:00"),
      ("two weeks friday", "2026-06-26T00:00:00"),
      ("the night before last", "2026-06-08T18:00:00/2026-06-09T00:00:00"),
      ("2moro at 3", "2026-06-11T15:00:00"),
      ("remind me in 20 to check the oven", "2026-06-10T09:50:00"), ("in forty five", "2026-06-10T10:15:00"),
      ("in an hour or two", "2026-06-10T10:30:00"), ("in ten to fifteen minutes", "2026-06-10T09:40:00"),
      ("from wed to fri this week", "2026-06-10T00:00:00/2026-06-13T00:00:00"),
      ("from tuesday to thursday next week", "2026-06-16T00:00:00/2026-06-19T00:00:00"),
      ("12 dezember 13:10", "2026-12-12T13:10:00"), ("3. août", "2026-08-03T00:00:00"),
      ("first monday of next month", "2026-07-06T00:00:00"),
      ("at 10 for an hour tomorrow", "2026-06-11T10:00:00/2026-06-11T12:00:00"),
      ("tomorrow for 2 hours at 10", "2026-06-11T10:00:00/2026-06-11T13:00:00"),
      ("9 am on the dot", "2026-06-11T09:00:00"), ("in under an hour", "2026-06-10T10:30:00"),
      ("at 3 o clock", "2026-06-10T15:00:00"), ("5 pm or so", "2026-06-10T17:00:00"),
      ("later in the week", "2026-06-10T09:30:00/2026-06-15T00:00:00"),
      ("between 3 and 4 on sunday", "2026-06-14T15:00:00/2026-06-14T17:00:00"),
      ("on the 27th at ten to three", "2026-06-27T14:50:00"),
      ("in the morning", "2026-06-11T00:00:00/2026-06-11T12:00:00"),
      ("thursday at 9.30.", "2026-06-11T09:30:00"), ("at 10.30.", "2026-06-10T10:30:00"),
      ("11.9.", "2026-09-11T00:00:00"), ("in 3 working days", "2026-06-15T09:00:00"),
      ("the next working day", "2026-06-11T00:00:00"),
      ("two business days after the 12th", "2026-06-16T00:00:00"),
      ("the last working day of the month", "2026-06-30T00:00:00"),
      ("first working day of august", "2026-08-03T00:00:00"), ("q1 next year", "2027-01-01T00:00:00"),
      ("the second half of 2027", "2027-07-01T00:00:00/2028-01-01T00:00:00"),
      ("h2 2026", "2026-07-01T00:00:00/2027-01-01T00:00:00"),
      ("the first half of december", "2026-12-01T00:00:00/2026-12-16T00:00:00"),
      ("next month's first monday", "2026-07-06T00:00:00"), ("fortnight tomorrow", "2026-06-25T00:00:00"),
      ("a fortnight on saturday", "2026-06-27T00:00:00"), ("half nine in the morning", "2026-06-11T09:30:00"),
      ("at ten of four", "2026-06-10T15:50:00"), ("a quarter after two tomorrow", "2026-06-11T14:15:00"),
      ("since monday", "2026-06-08T00:00:00"), ("tomorrow um at nine", "2026-06-11T09:00:00"),
      ("in like ten minutes", "2026-06-10T09:40:00"),
      ("for the next two hours", "2026-06-10T09:30:00/2026-06-10T11:30:00"),
      ("from 11pm tonight to 5am", "2026-06-10T23:00:00/2026-06-11T06:00:00"),
      ("starts at 6 pm and ends at 8 on friday", "2026-06-12T18:00:00/2026-06-12T21:00:00"),
      ("the first two weeks of january", "2027-01-01T00:00:00/2027-01-15T00:00:00"),
      ("the last two days of the year", "2026-12-30T00:00:00/2027-01-01T00:00:00"),
      ("half past seven tonight", "2026-06-10T19:30:00"), ("quarter to nine", "2026-06-10T20:45:00"),
    ])
  func points(text: String, value: String) throws {
    #expect(try readings(text).first?.value == value)
  }

  @Test(
    "Repetitions as people say them",
    arguments: [
      ("every half hour", "FREQ=MINUTELY;INTERVAL=30", "2026-06-10T10:00:00"),
      ("every couple of weeks", "FREQ=WEEKLY;INTERVAL=2", "2026-06-24T00:00:00"),
      ("alternate thursdays", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH", "2026-06-11T00:00:00"),
      ("on the 1st and 15th of every month", "FREQ=MONTHLY;BYMONTHDAY=1,15", "2026-06-15T00:00:00"),
      ("every month on the 10th and the 20th", "FREQ=MONTHLY;BYMONTHDAY=10,20", "2026-06-20T00:00:00"),
      ("every six months starting in july", "FREQ=MONTHLY;INTERVAL=6", "2026-07-01T00:00:00"),
      ("every day starting monday at 9", "FREQ=DAILY", "2026-06-15T09:00:00"),
      ("starting monday every day at 9", "FREQ=DAILY", "2026-06-15T09:00:00"),
      ("every 4 hours starting at 8am", "FREQ=HOURLY;INTERVAL=4", "2026-06-11T08:00:00"),
      ("mon-fri 9-5", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-06-11T09:00:00"),
      ("mon, wed, fri at 7", "FREQ=WEEKLY;BYDAY=MO,WE,FR", "2026-06-12T07:00:00"),
      ("weekday mornings", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-06-11T00:00:00"),
      ("tuesday and thursday evenings", "FREQ=WEEKLY;BYDAY=TU,TH", "2026-06-11T18:00:00"),
      ("between 9 and 5 on weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-06-11T09:00:00"),
      ("the first and third monday of each month", "FREQ=MONTHLY;BYDAY=1MO,3MO", "2026-06-15T00:00:00"),
      ("monthly on the last day", "FREQ=MONTHLY;BYMONTHDAY=-1", "2026-06-30T00:00:00"),
      ("every weekday except friday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH", "2026-06-11T00:00:00"),
      ("every day but monday at 9", "FREQ=WEEKLY;BYDAY=TU,WE,TH,FR,SA,SU", "2026-06-11T09:00:00"),
      ("every day at 9 except on sundays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA", "2026-06-11T09:00:00"),
      ("daily except weekends", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-06-11T00:00:00"),
      ("twice a week on monday and thursday", "FREQ=WEEKLY;BYDAY=MO,TH", "2026-06-11T00:00:00"),
      ("on the ninth of may every year", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=9", "2027-05-09T00:00:00"),
      ("on the 15th every month", "FREQ=MONTHLY;BYMONTHDAY=15", "2026-06-15T00:00:00"),
      ("every day this week at 10", "FREQ=DAILY;UNTIL=20260614T235959", "2026-06-10T10:00:00"),
      ("every morning next week", "FREQ=DAILY;UNTIL=20260621T235959", "2026-06-15T00:00:00"),
      ("every monday ten times", "FREQ=WEEKLY;BYDAY=MO;COUNT=10", "2026-06-15T00:00:00"),
      ("every monday for the next month", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20260709T235959", "2026-06-15T00:00:00"),
      ("on monday and wednesday at nine", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2", "2026-06-15T09:00:00"),
      ("wednesday and friday at 3 pm", "FREQ=WEEKLY;BYDAY=WE,FR;COUNT=2", "2026-06-12T15:00:00"),
      ("at ten on saturday and on sunday", "FREQ=WEEKLY;BYDAY=SA,SU;COUNT=2", "2026-06-13T10:00:00"),
      ("next monday and thursday from 9 to 10", "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=2", "2026-06-15T09:00:00"),
      ("thursday and friday next week at 9", "FREQ=WEEKLY;BYDAY=TH,FR;COUNT=2", "2026-06-18T09:00:00"),
      ("monday and wednesday at nine every week", "FREQ=WEEKLY;BYDAY=MO,WE", "2026-06-15T09:00:00"),
      (
        "on monday and wednesday at nine until july 1st", "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260701T235959",
        "2026-06-15T09:00:00"
      ),
      ("every monday at nine until july 1st", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20260701T235959", "2026-06-15T09:00:00"),
      ("every monday and wednesday at nine", "FREQ=WEEKLY;BYDAY=MO,WE", "2026-06-15T09:00:00"),
      ("mondays and wednesdays at nine", "FREQ=WEEKLY;BYDAY=MO,WE", "2026-06-15T09:00:00"),
      ("tomorrow from 14:00 to 15:30 every week", "FREQ=WEEKLY", "2026-06-11T14:00:00"),
      ("on friday at 6 pm for an hour every two weeks", "FREQ=WEEKLY;INTERVAL=2", "2026-06-12T18:00:00"),
      ("tomorrow at 9 every day for two weeks", "FREQ=DAILY;UNTIL=20260624T235959", "2026-06-11T09:00:00"),
      ("tomorrow every week at 9", "FREQ=WEEKLY", "2026-06-11T09:00:00"),
      ("every week tomorrow from 14:00 to 15:30", "FREQ=WEEKLY", "2026-06-11T14:00:00"),
      ("june 20th at noon every month", "FREQ=MONTHLY", "2026-06-20T12:00:00"),
      ("starting monday every day from 9 to 10", "FREQ=DAILY", "2026-06-15T09:00:00"),
      ("tonight at 8 every day", "FREQ=DAILY", "2026-06-10T20:00:00"),
      ("at 9 for an hour every monday", "FREQ=WEEKLY;BYDAY=MO", "2026-06-15T09:00:00"),
      ("july 4th every year", "FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=4", "2026-07-04T00:00:00"),
      ("every christmas", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25", "2026-12-25T00:00:00"),
      ("the next three mondays", "FREQ=WEEKLY;BYDAY=MO;COUNT=3", "2026-06-15T00:00:00"),
      (
        "every monday for the next six weeks", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20260721T235959", "2026-06-15T00:00:00"
      ),
    ])
  func repetitions(text: String, rule: String, next: String) throws {
    let reading = try #require(try readings(text).first)
    #expect(reading.rrule == rule)
    #expect(reading.value == next)
  }

  @Test("Two times are two, and a range is said as one")
  func twoTimes() throws {
    #expect(try readings("at ten am and two pm").filter { $0.kind == .point }.count == 2)
    #expect(try readings("between ten am and two pm").first?.kind == .range)
    #expect(try readings("every day at nine and five").count > 1)
    #expect(try readings("on monday or wednesday at nine").allSatisfy { $0.rrule == nil })
    #expect(try readings("on monday at nine and on wednesday at ten").allSatisfy { $0.rrule == nil })
    #expect(try readings("from monday to friday").first?.kind == .range)
  }

  @Test(
    "What is no time, or no day there is, is not read as one",
    arguments: [
      "twice a day", "three times weekly", "every now and then", "february 30th", "the 31st of june", "the 80s",
      "30 february",
      "remind me about the evening program", "call april", "a night out with june", "add a day trip to bath",
    ])
  func none(text: String) throws {
    let found = try readings(text)
    #expect(found.isEmpty, "\(found)")
  }
}
