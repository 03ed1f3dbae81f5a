import Core
import Foundation

/// VEVENTs and VTODOs as RFC 5545 writes them: folded at 75 bytes, texts escaped, times with their zone.
struct ICalendar {
  enum Kind: String { case event = "VEVENT", task = "VTODO" }

  var kind: Kind
  var uid: String
  var title: String
  /// Local seconds since 1970.
  var start: Int?
  var end: Int?
  var isAllDay = false
  var rrule: String?
  var zone: TimeZone
  var stamp: Date

  /// When it is over: of an event nobody said how long it takes, after an hour, or after the day.
  var over: Int? {
    end ?? start.map { kind == .event ? $0 + (isAllDay ? Civil.secondsPerDay : 3600) : $0 }
  }

  func written() -> String {
    var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//LiberaGPT//EN"]
    if let start, !isAllDay, !isUniversal { lines += zoneLines(around: start) }
    lines += ["BEGIN:\(kind.rawValue)", "UID:\(uid)"]
    let now = Self.universal(stamp)
    lines += ["DTSTAMP:\(now)", "CREATED:\(now)", "LAST-MODIFIED:\(now)", "SUMMARY:\(Self.escaped(title))"]
    if let start {
      switch kind {
      case .event:
        lines.append("DTSTART" + time(start))
        lines.append("DTEND" + time(over ?? start))
      case .task:
        // A repeating task needs a start for its rule to count from.
        if rrule != nil { lines.append("DTSTART" + time(start)) }
        lines.append("DUE" + time(start))
      }
    }
    if let rrule { lines.append("RRULE:" + rule(rrule)) }
    if kind == .task {
      lines.append("STATUS:NEEDS-ACTION")
      if start != nil {
        let trigger = isAllDay ? "TRIGGER;RELATED=END:PT9H" : rrule == nil ? "TRIGGER;RELATED=END:PT0S" : "TRIGGER:PT0S"
        lines += ["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:\(Self.escaped(title))", trigger, "END:VALARM"]
      }
    }
    lines += ["END:\(kind.rawValue)", "END:VCALENDAR"]
    return lines.map(Self.folded).joined(separator: "\r\n") + "\r\n"
  }

  private var isUniversal: Bool { zone.secondsFromGMT() == 0 && zone.nextDaylightSavingTimeTransition == nil }

  private func time(_ local: Int) -> String {
    let iso = Civil.iso(local).filter { $0 != "-" && $0 != ":" }
    if isAllDay { return ";VALUE=DATE:" + iso.prefix(8) }
    return isUniversal ? ":\(iso)Z" : ";TZID=\(zone.identifier):\(iso)"
  }

  /// The rule's end must have the form of the start: a date, or universal time.
  private func rule(_ rule: String) -> String {
    rule.split(separator: ";").map { part in
      guard part.hasPrefix("UNTIL="), let day = Civil.parse(Self.dashed(String(part.dropFirst(6).prefix(8)))) else {
        return String(part)
      }
      if isAllDay { return "UNTIL=" + part.dropFirst(6).prefix(8) }
      return "UNTIL=" + Self.universal(Walls(zone: zone).date(day + Civil.secondsPerDay - 1))
    }.joined(separator: ";")
  }

  static func dashed(_ digits: String) -> String {
    let characters = Array(digits)
    return characters.count == 8
      ? "\(String(characters[0..<4]))-\(String(characters[4..<6]))-\(String(characters[6...]))" : digits
  }

  /// A VTIMEZONE that is right for the years around the event: the offsets and the rule of the zone's own changes.
  private func zoneLines(around local: Int) -> [String] {
    let begin = Walls(zone: zone).date(local).addingTimeInterval(-366 * Double(Civil.secondsPerDay))
    var lines = ["BEGIN:VTIMEZONE", "TZID:\(zone.identifier)"]
    var changes: [Date] = []
    var cursor = begin
    while changes.count < 2, let next = zone.nextDaylightSavingTimeTransition(after: cursor) {
      changes.append(next)
      cursor = next
    }
    if changes.count < 2 {
      let offset = Civil.offset(Walls(zone: zone).offset(at: local))
      lines += [
        "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:\(offset)", "TZOFFSETTO:\(offset)", "END:STANDARD",
      ]
    }
    for change in changes where changes.count == 2 {
      let before = zone.secondsFromGMT(for: change.addingTimeInterval(-1))
      let after = zone.secondsFromGMT(for: change.addingTimeInterval(1))
      let name = zone.isDaylightSavingTime(for: change.addingTimeInterval(1)) ? "DAYLIGHT" : "STANDARD"
      let wall = Int(change.timeIntervalSince1970) + before
      let day = Civil.floorDiv(wall, Civil.secondsPerDay)
      let date = Civil.date(day)
      let weekday = Recurrence.letters[Civil.weekday(day)]
      let isLast = date.day > Civil.monthLength(date.year, date.month) - 7
      let ordinal = isLast ? -1 : (date.day + 6) / 7
      lines += [
        "BEGIN:\(name)", "DTSTART:" + Civil.iso(wall).filter { $0 != "-" && $0 != ":" },
        "TZOFFSETFROM:\(Civil.offset(before))",
        "TZOFFSETTO:\(Civil.offset(after))", "RRULE:FREQ=YEARLY;BYMONTH=\(date.month);BYDAY=\(ordinal)\(weekday)",
        "END:\(name)",
      ]
    }
    return lines + ["END:VTIMEZONE"]
  }

  static func universal(_ date: Date) -> String {
    Civil.iso(Int(date.timeIntervalSince1970)).filter { $0 != "-" && $0 != ":" } + "Z"
  }

  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case ";": result += "\\;"
      case ",": result += "\\,"
      case "\n": result += "\\n"
      default: if scalar.value >= 0x20, scalar.value != 0x7F { result.unicodeScalars.append(scalar) }
      }
    }
    return result
  }

  /// Lines of at most 75 bytes; a continuation begins with a space and no character is cut.
  static func folded(_ line: String) -> String {
    guard line.utf8.count > 75 else { return line }
    var result = ""
    var width = 0
    for character in line.unicodeScalars {
      let size = String(character).utf8.count
      if width + size > 75 {
        result += "\r\n "
        width = 1
      }
      result.unicodeScalars.append(character)
      width += size
    }
    return result
  }
}
