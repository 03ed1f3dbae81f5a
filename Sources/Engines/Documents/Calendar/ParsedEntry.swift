import CICal
import Core
import Documents
import Foundation

/// A date, or a time in a zone.
struct CalendarMoment {
  var wall: WallTime
  var isDate: Bool
  var zone: CalendarZone
  /// It names no zone: the local one stands in for it.
  var isFloating: Bool

  var instant: Int { zone.instant(wall) }
}

/// What lies between start and end: so much on the wall clock, and so much more as a stopwatch counts.
struct CalendarLength {
  var wall = 0
  var exact = 0

  /// Far more than any entry takes.
  static let most = 36_600 * Civil.secondsPerDay

  init(wall: Int = 0, exact: Int = 0) {
    self.wall = min(max(0, wall), Self.most)
    self.exact = min(max(0, exact), Self.most)
  }

  init(_ duration: icaldurationtype) {
    let sign = duration.is_neg != 0 ? -1 : 1
    self.init(
      wall: sign * (Int(duration.weeks) * 7 + Int(duration.days)) * Civil.secondsPerDay,
      exact: sign * (Int(duration.hours) * 3600 + Int(duration.minutes) * 60 + Int(duration.seconds)))
  }

  var total: Int { wall + exact }
}

/// One VEVENT or VTODO as libical read it.
struct ParsedEntry {
  enum Alarm {
    case beforeStart(Int)
    case beforeEnd(Int)
    case at(Int)
  }

  let kind: CalendarOccurrence.Kind
  var uid: String?
  var title = ""
  var location: String?
  /// What is written of it besides.
  var note: String?
  var status = CalendarOccurrence.Status.stands
  var sequence = -1
  /// What its occurrences are counted from: the start, or of a task without one when it is due.
  var start: CalendarMoment?
  var length = CalendarLength()
  var rules: [RepeatingRule] = []
  var exceptionRules: [RepeatingRule] = []
  var dates: [(moment: CalendarMoment, length: CalendarLength?)] = []
  var exceptions: [CalendarMoment] = []
  var recurrence: CalendarMoment?
  var isThisAndFuture = false
  var alarm: Alarm?
  var problems: [String] = []

  var repeats: Bool { !rules.isEmpty || !dates.isEmpty }

  init(_ kind: CalendarOccurrence.Kind, _ component: OpaquePointer, _ zones: CalendarZones) {
    self.kind = kind
    var reader = EntryReader(component, zones)
    reader.read()
    uid = reader.uid
    title = reader.title
    location = reader.location
    note = reader.note
    status = reader.status
    sequence = reader.sequence
    rules = reader.rules
    exceptionRules = reader.exceptionRules
    dates = reader.dates
    exceptions = reader.exceptions
    recurrence = reader.recurrence
    isThisAndFuture = reader.isThisAndFuture
    let end = kind == .event ? reader.end : reader.due
    if kind == .task { start = reader.start ?? reader.due } else { start = reader.start ?? reader.recurrence }
    if let begins = start, let end, reader.start != nil || kind == .event {
      (start, length) = Self.between(begins, end)
    } else if let duration = reader.duration {
      length = CalendarLength(duration)
      // A negative length counts back from where it was to begin.
      if duration.is_neg != 0, let begins = start {
        var positive = duration
        positive.is_neg = 0
        length = CalendarLength(positive)
        start?.wall = begins.wall.moved(by: -length.total)
      }
    } else if kind == .event, start?.isDate == true {
      length = CalendarLength(wall: Civil.secondsPerDay)
    }
    alarm = Self.alarm(component)
    problems = reader.problems
    let isBrokenTime = reader.broken.contains { ["DTSTART", "DUE", "RECURRENCE-ID"].contains($0) }
    if start == nil, kind == .event || isBrokenTime { problems.append("\(named) has no time that can be understood") }
    if reader.broken.contains(where: { ["RRULE", "RDATE", "EXRULE", "EXDATE"].contains($0) }) {
      problems.append("\(named) repeats in a way that cannot be understood: times may be missing or too many")
    }
    if reader.broken.contains(where: { ["DTEND", "DURATION"].contains($0) }) {
      problems.append("\(named) has no end that can be understood")
    }
    for zone in reader.unknownZones.sorted().prefix(3) {
      problems.append("\(named) names the zone “\(zone.prefix(60))”, which is not known: it is shown as local time")
    }
  }

  var named: String { title.isEmpty ? "An entry without a title" : "“\(title.prefix(80))”" }

  /// Ends that stand before their start change places with it.
  private static func between(_ start: CalendarMoment, _ end: CalendarMoment) -> (CalendarMoment, CalendarLength) {
    if end.instant < start.instant { return between(end, start) }
    var begin = start
    // "From the 3rd to the 4th at noon": days and times do not mix.
    if start.isDate != end.isDate { begin.isDate = false }
    if case .defined(let own) = start.zone, case .defined(let other) = end.zone, own === other {
      return (begin, CalendarLength(wall: end.wall.seconds - start.wall.seconds))
    }
    if start.zone.name == end.zone.name, start.isFloating == end.isFloating {
      return (begin, CalendarLength(wall: end.wall.seconds - start.wall.seconds))
    }
    return (begin, CalendarLength(exact: end.instant - start.instant))
  }

  /// The first alarm that says when.
  private static func alarm(_ component: OpaquePointer) -> Alarm? {
    var part = icalcomponent_get_first_component(component, ICAL_VALARM_COMPONENT)
    var seen = 0
    while let one = part, seen < 20 {
      if let property = icalcomponent_get_first_property(one, ICAL_TRIGGER_PROPERTY),
        let value = icalproperty_get_value(property)
      {
        let trigger = icalproperty_get_trigger(property)
        if icalvalue_isa(value) == ICAL_DATETIME_VALUE || icaltime_is_null_time(trigger.time) == 0 {
          if let wall = WallTime(trigger.time) { return .at(wall.seconds) }
        } else if icaltriggertype_is_bad_trigger(trigger) == 0 {
          let length = trigger.duration
          let days = Int(length.weeks) * 7 + Int(length.days)
          let rest = Int(length.hours) * 3600 + Int(length.minutes) * 60 + Int(length.seconds)
          let total = min(days * Civil.secondsPerDay + rest, CalendarLength.most) * (length.is_neg != 0 ? -1 : 1)
          let related = icalproperty_get_first_parameter(property, ICAL_RELATED_PARAMETER)
          let isEnd = related.map { icalparameter_get_related($0) == ICAL_RELATED_END } ?? false
          return isEnd ? .beforeEnd(total) : .beforeStart(total)
        }
      }
      part = icalcomponent_get_next_component(component, ICAL_VALARM_COMPONENT)
      seen += 1
    }
    return nil
  }
}
