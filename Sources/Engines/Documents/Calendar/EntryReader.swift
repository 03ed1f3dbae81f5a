import CICal
import Documents

/// Goes once through the properties of an event or a task.
struct EntryReader {
  private let component: OpaquePointer
  private let zones: CalendarZones

  private(set) var uid: String?
  private(set) var title = ""
  private(set) var location: String?
  private(set) var note: String?
  private(set) var status = CalendarOccurrence.Status.stands
  private(set) var sequence = -1
  private(set) var start: CalendarMoment?
  private(set) var end: CalendarMoment?
  private(set) var due: CalendarMoment?
  private(set) var duration: icaldurationtype?
  private(set) var rules: [RepeatingRule] = []
  private(set) var exceptionRules: [RepeatingRule] = []
  private(set) var dates: [(moment: CalendarMoment, length: CalendarLength?)] = []
  private(set) var exceptions: [CalendarMoment] = []
  private(set) var recurrence: CalendarMoment?
  private(set) var isThisAndFuture = false
  private(set) var unknownZones: Set<String> = []
  /// The properties of time that libical or this reader could make nothing of.
  private(set) var broken: Set<String> = []
  private(set) var problems: [String] = []

  private static let most = 10_000
  private static let textBytes = 2_000
  private static let timely = [
    "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXRULE", "EXDATE", "RECURRENCE-ID",
  ]

  init(_ component: OpaquePointer, _ zones: CalendarZones) {
    self.component = component
    self.zones = zones
  }

  mutating func read() {
    var property = icalcomponent_get_first_property(component, ICAL_ANY_PROPERTY)
    while let one = property {
      take(one)
      property = icalcomponent_get_next_property(component, ICAL_ANY_PROPERTY)
    }
  }

  private mutating func take(_ property: OpaquePointer) {
    let kind = icalproperty_isa(property)
    if kind == ICAL_XLICERROR_PROPERTY { return note(icalproperty_get_xlicerror(property)) }
    // The getters expect a value.
    guard icalproperty_get_value(property) != nil else { return }
    switch kind {
    case ICAL_UID_PROPERTY: uid = uid ?? Self.text(icalproperty_get_uid(property))
    case ICAL_SUMMARY_PROPERTY: title = title.isEmpty ? Self.text(icalproperty_get_summary(property)) ?? "" : title
    case ICAL_LOCATION_PROPERTY: location = location ?? Self.text(icalproperty_get_location(property))
    case ICAL_DESCRIPTION_PROPERTY: note = note ?? Self.text(icalproperty_get_description(property))
    case ICAL_SEQUENCE_PROPERTY: sequence = Int(icalproperty_get_sequence(property))
    case ICAL_COMPLETED_PROPERTY: status = .done
    case ICAL_STATUS_PROPERTY: take(icalproperty_get_status(property))
    case ICAL_DTSTART_PROPERTY: if start == nil { start = moment(icalproperty_get_dtstart(property), property) }
    case ICAL_DTEND_PROPERTY: if end == nil { end = moment(icalproperty_get_dtend(property), property) }
    case ICAL_DUE_PROPERTY: if due == nil { due = moment(icalproperty_get_due(property), property) }
    case ICAL_DURATION_PROPERTY:
      let length = icalproperty_get_duration(property)
      if icaldurationtype_is_bad_duration(length) == 0 { duration = length } else { broken.insert("DURATION") }
    case ICAL_X_PROPERTY: takeRule(property)
    case ICAL_EXDATE_PROPERTY:
      guard exceptions.count < Self.most, let one = moment(icalproperty_get_exdate(property), property) else {
        return tooMany(exceptions.count)
      }
      exceptions.append(one)
    case ICAL_RDATE_PROPERTY:
      guard dates.count < Self.most else { return tooMany(dates.count) }
      take(icalproperty_get_rdate(property), property)
    case ICAL_RECURRENCEID_PROPERTY:
      recurrence = moment(icalproperty_get_recurrenceid(property), property)
      let range = icalproperty_get_first_parameter(property, ICAL_RANGE_PARAMETER)
      isThisAndFuture = range.map { icalparameter_get_range($0) == ICAL_RANGE_THISANDFUTURE } ?? false
    default: break
    }
  }

  /// Rules come under a name that libical does not know, so that it leaves them as they are.
  private mutating func takeRule(_ property: OpaquePointer) {
    guard let name = Self.text(icalproperty_get_x_name(property)), let text = Self.text(icalproperty_get_x(property)),
      let kind = CalendarLines.rules.first(where: { name == CalendarLines.hidden + $0 })
    else { return }
    guard let rule = RepeatingRule(text) else {
      broken.insert(kind)
      return
    }
    guard rules.count + exceptionRules.count < 100 else { return tooMany(Self.most) }
    if kind == "RRULE" { rules.append(rule) } else { exceptionRules.append(rule) }
  }

  private mutating func tooMany(_ count: Int) {
    if count >= Self.most { problems.append("more than \(Self.most) dates of one entry; the rest is left out") }
  }

  private mutating func take(_ status: icalproperty_status) {
    switch status {
    case ICAL_STATUS_CANCELLED: self.status = .cancelled
    case ICAL_STATUS_COMPLETED: self.status = .done
    case ICAL_STATUS_TENTATIVE: if self.status == .stands { self.status = .tentative }
    default: break
    }
  }

  private mutating func take(_ date: icaldatetimeperiodtype, _ property: OpaquePointer) {
    if icaltime_is_null_time(date.time) == 0 {
      if let moment = moment(date.time, property) { dates.append((moment, nil)) }
      return
    }
    guard var begins = moment(date.period.start, property) else { return }
    if begins.isDate {
      // A period has a clock of its own, also where it is written as whole days: it begins at midnight.
      let zone = Self.zoneName(property).flatMap(zones.zone) ?? start?.zone ?? zones.local
      begins = CalendarMoment(wall: begins.wall, isDate: false, zone: zone, isFloating: false)
    }
    var length = CalendarLength(date.period.duration)
    if icaltime_is_null_time(date.period.end) == 0, let end = moment(date.period.end, property) {
      length = CalendarLength(exact: end.instant - begins.instant)
    }
    dates.append((begins, length))
  }

  /// A time with the zone that its property names.
  private mutating func moment(_ time: icaltimetype, _ property: OpaquePointer) -> CalendarMoment? {
    guard let wall = WallTime(time) else {
      broken.insert(String(cString: icalproperty_kind_to_string(icalproperty_isa(property))))
      return nil
    }
    if time.is_date != 0 { return CalendarMoment(wall: wall, isDate: true, zone: zones.local, isFloating: true) }
    if icaltime_is_utc(time) != 0 {
      return CalendarMoment(wall: wall, isDate: false, zone: .universal, isFloating: false)
    }
    guard let name = Self.zoneName(property) else {
      return CalendarMoment(wall: wall, isDate: false, zone: zones.local, isFloating: true)
    }
    if let zone = zones.zone(name) { return CalendarMoment(wall: wall, isDate: false, zone: zone, isFloating: false) }
    unknownZones.insert(name)
    return CalendarMoment(wall: wall, isDate: false, zone: zones.local, isFloating: true)
  }

  private static func zoneName(_ property: OpaquePointer) -> String? {
    icalproperty_get_first_parameter(property, ICAL_TZID_PARAMETER).flatMap(icalparameter_get_tzid).map {
      String(cString: $0)
    }
  }

  /// libical leaves a sentence about each property it dropped: "Can't parse as RECUR value in RRULE property. ..."
  private mutating func note(_ sentence: UnsafePointer<CChar>?) {
    guard let sentence else { return }
    let words = String(cString: sentence).prefix(500).split { !($0.isLetter || $0 == "-") }.map { $0.uppercased() }
    for name in Self.timely where words.contains(name) { broken.insert(name) }
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer else { return nil }
    var length = 0
    while length < textBytes, pointer[length] != 0 { length += 1 }
    guard length > 0 else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: pointer, count: length), as: UTF8.self)
  }
}
