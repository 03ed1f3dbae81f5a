import CICal
import Core
import Foundation

/// Where a wall clock hangs.
enum CalendarZone {
  case universal
  /// A zone the system knows. libical's own copies of these are right for today's rules but not for every past year
  /// (São Paulo in 2014, Tehran in 2019), so it reads only zones that a file defines.
  case named(TimeZone)
  case defined(DefinedZone)

  private func offset(at instant: Int) -> Int {
    switch self {
    case .universal: 0
    case .named(let zone): zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
    case .defined(let zone): zone.offset(at: instant)
    }
  }

  /// Of a time that the clocks leave out or show twice, what they showed before the change counts.
  func instant(_ wall: WallTime) -> Int {
    if case .universal = self { return wall.seconds }
    let before = offset(at: wall.seconds - Civil.secondsPerDay)
    let first = wall.seconds - before
    if offset(at: first) == before { return first }
    let after = offset(at: wall.seconds + Civil.secondsPerDay)
    let second = wall.seconds - after
    return offset(at: second) == after ? second : first
  }

  func wall(_ instant: Int) -> WallTime { WallTime(seconds: instant + offset(at: instant)) }

  var name: String? {
    switch self {
    case .universal: nil
    case .named(let zone): zone.identifier
    case .defined(let zone): zone.name
    }
  }
}

/// A zone that a file brings along, read by libical.
final class DefinedZone {
  let name: String
  private let zone: OpaquePointer

  /// nil where the definition cannot be used.
  init?(_ component: OpaquePointer, name: String) {
    guard Self.isUsable(component), let zone = icaltimezone_new() else { return nil }
    self.name = name
    self.zone = zone
    // It takes what it is given, so it gets a copy.
    guard let copy = icalcomponent_new_clone(component), icaltimezone_set_component(zone, copy) != 0 else { return nil }
  }

  deinit { icaltimezone_free(zone, 1) }

  func offset(at instant: Int) -> Int {
    var time = WallTime(seconds: Self.within(instant)).time(isDate: false)
    time.zone = icaltimezone_get_utc_timezone()
    return Int(icaltimezone_get_utc_offset_of_utc_time(zone, &time, nil))
  }

  /// libical computes changes up to 2037; later years are like those 28, 56, ... years before, which have the same weekdays.
  private static func within(_ instant: Int) -> Int {
    let last = 2_051_222_400  // the beginning of 2035
    guard instant >= last else { return instant }
    let cycle = (28 * 365 + 7) * Civil.secondsPerDay
    return instant - ((instant - last) / cycle + 1) * cycle
  }

  /// At least one clock, and none that is more than a day off.
  private static func isUsable(_ component: OpaquePointer) -> Bool {
    var clocks = 0
    for kind in [ICAL_XSTANDARD_COMPONENT, ICAL_XDAYLIGHT_COMPONENT] {
      var part = icalcomponent_get_first_component(component, kind)
      while let one = part {
        for kind in [ICAL_TZOFFSETTO_PROPERTY, ICAL_TZOFFSETFROM_PROPERTY] {
          guard let property = icalcomponent_get_first_property(one, kind), icalproperty_get_value(property) != nil
          else { return false }
          let offset =
            kind == ICAL_TZOFFSETTO_PROPERTY
            ? icalproperty_get_tzoffsetto(property) : icalproperty_get_tzoffsetfrom(property)
          guard (-86_400...86_400).contains(offset) else { return false }
        }
        clocks += 1
        part = icalcomponent_get_next_component(component, kind)
      }
    }
    return (1...1_000).contains(clocks)
  }
}

/// The zones that the times of one file may name.
struct CalendarZones {
  let local: CalendarZone
  private var defined: [String: DefinedZone] = [:]

  init(local: TimeZone) { self.local = .named(local) }

  mutating func define(_ component: OpaquePointer) {
    guard let property = icalcomponent_get_first_property(component, ICAL_TZID_PROPERTY),
      let text = icalproperty_get_tzid(property)
    else { return }
    let name = String(cString: text)
    if defined[name] == nil { defined[name] = DefinedZone(component, name: name) }
  }

  /// Places the system knows come first, because it also knows what changed since the file was written; then what the file
  /// defines, then other programs' names.
  func zone(_ name: String) -> CalendarZone? {
    if let place = place(name) { return .named(place) }
    if let known = WindowsZones.place[name].flatMap(TimeZone.init(identifier:)) { return .named(known) }
    if let own = defined[name] { return .defined(own) }
    if ["UTC", "GMT", "Z"].contains(name.uppercased()) { return .universal }
    // "(UTC+01:00) Berlin" and "GMT+0100" say how far they are off.
    if let offset = Self.offset(name) { return TimeZone(secondsFromGMT: offset).map { .named($0) } }
    return known(name).map { .named($0) }
  }

  /// "Europe/Berlin", also at the end of a path ("/freeassociation.sourceforge.net/Tzfile/Europe/Berlin").
  private func place(_ name: String) -> TimeZone? {
    var parts = name.split(separator: "/").map(String.init)
    while parts.count >= 2 {
      let candidate = parts.joined(separator: "/")
      if let zone = known(candidate) { return zone }
      parts.removeFirst()
    }
    return nil
  }

  private func known(_ name: String) -> TimeZone? {
    guard !name.isEmpty, name.utf8.count < 64,
      name.utf8.allSatisfy({ (0x2B...0x39).contains($0) || (0x41...0x7A).contains($0) })
    else { return nil }
    return TimeZone(identifier: name)
  }

  private static func offset(_ name: String) -> Int? {
    guard let match = name.firstMatch(of: /(?:UTC|GMT)\s?([+\-−])(\d{1,2}):?(\d{2})?(?!\d)/.ignoresCase()) else {
      return nil
    }
    guard let hours = Int(match.2), hours <= 15, let minutes = Int(match.3 ?? "0"), minutes < 60 else { return nil }
    return (match.1 == "+" ? 1 : -1) * (hours * 3600 + minutes * 60)
  }
}
