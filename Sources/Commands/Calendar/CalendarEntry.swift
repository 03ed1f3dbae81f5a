package import Foundation

/// One VEVENT or VTODO as a calendar file holds it. Files are read by this code alone: what stands in a calendar was often
/// sent by strangers, so whatever is not understood is left out and nothing of it can do harm.
package struct CalendarEntry: Sendable, Equatable {
  package enum Kind: String, Sendable { case event = "VEVENT", task = "VTODO" }

  package var kind: Kind
  package var uid: String
  package var title: String
  /// Seconds since 1970 on the wall clock of `zone`.
  var start: Int?
  var end: Int?
  var due: Int?
  package var isAllDay = false
  var repetition: Repetition?
  var exceptions: Set<Int> = []
  package var isOver = false
  /// Seconds from the moment it is due to the moment it rings; nil where it has no alarm.
  package var alarm: Int?
  var zone: TimeZone

  /// The moment that its occurrences are counted from.
  var anchor: Int? { kind == .task ? due ?? start : start }

  /// The entries of one file; `local` is the zone of times that name none.
  package static func read(_ data: Data, local: TimeZone) -> [CalendarEntry] {
    var entries: [CalendarEntry] = []
    var stack: [String] = []
    var lines: [CalendarLine] = []
    for line in CalendarLine.read(data) {
      switch line.name {
      case "BEGIN":
        stack.append(line.value.uppercased())
        if Kind(rawValue: line.value.uppercased()) != nil { lines = [] }
      case "END":
        if let kind = Kind(rawValue: line.value.uppercased()), stack.last == kind.rawValue,
          let entry = CalendarEntry(kind, lines, local: local)
        {
          entries.append(entry)
        }
        if stack.last == line.value.uppercased() { stack.removeLast() }
      default:
        if let inside = stack.last, Kind(rawValue: inside) != nil || inside == "VALARM" { lines.append(line) }
      }
      if entries.count >= 1000 || stack.count > 8 { break }
    }
    return entries
  }

  private init?(_ kind: Kind, _ lines: [CalendarLine], local: TimeZone) {
    func first(_ name: String) -> CalendarLine? { lines.first { $0.name == name } }
    guard let uid = first("UID")?.value, !uid.isEmpty else { return nil }
    self.kind = kind
    self.uid = uid
    title = first("SUMMARY")?.text ?? ""
    let lead = (kind == .task ? first("DUE") : nil) ?? first("DTSTART")
    let isUniversal = lead?.value.hasSuffix("Z") ?? false
    let named = lead?.parameters["TZID"].flatMap { TimeZone(identifier: $0) }
    zone = isUniversal ? TimeZone(secondsFromGMT: 0) ?? local : named ?? local
    isAllDay = lead?.value.count == 8
    start = first("DTSTART")?.moment
    end = first("DTEND")?.moment
    due = first("DUE")?.moment
    if end == nil, let start, let length = first("DURATION").flatMap({ CalendarLine.seconds($0.value) }) {
      end = start + length
    }
    repetition = first("RRULE").flatMap { Repetition($0.value) }
    for line in lines where line.name == "EXDATE" {
      exceptions.formUnion(line.value.split(separator: ",").compactMap { CalendarLine.moment(String($0)) })
    }
    let status = first("STATUS")?.value.uppercased()
    isOver = status == "COMPLETED" || status == "CANCELLED" || first("COMPLETED") != nil
    alarm = first("TRIGGER").flatMap { CalendarLine.seconds($0.value) }
  }

  /// The moments it takes place within a span, as instants.
  package func occurrences(from: Date, until: Date) -> [Date] {
    guard let anchor else { return [] }
    let walls = Walls(zone: zone)
    let first = walls.local(Int(from.timeIntervalSince1970.rounded(.down)))
    let last = walls.local(Int(until.timeIntervalSince1970.rounded(.down)))
    let moments = repetition?.moments(from: anchor, within: first..<max(first, last)) ?? [anchor]
    return moments.filter { $0 >= first && $0 < last && !exceptions.contains($0) }
      .map { Date(timeIntervalSince1970: Double(walls.instant($0))) }
  }

  /// How long each occurrence lasts.
  package var length: TimeInterval {
    guard kind == .event, let start else { return 0 }
    return Double(max(0, (end ?? start + (isAllDay ? 86_400 : 0)) - start))
  }
}

/// One line of RFC 5545, unfolded: name, parameters, value.
struct CalendarLine {
  var name: String
  var parameters: [String: String] = [:]
  var value: String

  static func read(_ data: Data) -> [CalendarLine] {
    let text = String(decoding: data.prefix(2_000_000), as: UTF8.self).replacing("\r\n", with: "\n")
    return text.replacing("\n ", with: "").replacing("\n\t", with: "").split(separator: "\n").prefix(100_000)
      .compactMap { CalendarLine($0) }
  }

  init?(_ line: Substring) {
    var quoted = false
    var parts: [String] = [""]
    var rest: Substring?
    for index in line.indices {
      let character = line[index]
      if character == "\"" { quoted.toggle() }
      if character == ":", !quoted {
        rest = line[line.index(after: index)...]
        break
      }
      if character == ";", !quoted { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    guard let rest, let name = parts.first, !name.isEmpty else { return nil }
    self.name = name.uppercased()
    value = String(rest).trimmingCharacters(in: .whitespaces)
    for part in parts.dropFirst() {
      let halves = part.split(separator: "=", maxSplits: 1)
      if halves.count == 2 {
        parameters[halves[0].uppercased()] = halves[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
      }
    }
  }

  var moment: Int? { CalendarLine.moment(value) }

  /// Escapes undone, control characters left out.
  var text: String {
    var result = ""
    var escaped = false
    for character in value {
      if escaped {
        result.append(character == "n" || character == "N" ? " " : character)
        escaped = false
      } else if character == "\\" {
        escaped = true
      } else if character.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) {
        result.append(character)
      }
    }
    return result
  }

  /// "20260611" or "20260611T070000Z", as seconds on the wall clock.
  static func moment(_ text: String) -> Int? {
    let digits = Array(text.utf8)
    guard digits.count >= 8, digits.prefix(8).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + Int($1) - 0x30 } }
    let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
    guard Civil.isValid(year, month, day) else { return nil }
    let midnight = Civil.day(year, month, day) * Civil.secondsPerDay
    guard digits.count >= 15, digits[8] == 0x54, digits[9..<15].allSatisfy({ (0x30...0x39).contains($0) }) else {
      return digits.count == 8 ? midnight : nil
    }
    let (hour, minute, second) = (number(9..<11), number(11..<13), number(13..<15))
    guard hour < 24, minute < 60, second <= 60 else { return nil }
    return midnight + hour * 3600 + minute * 60 + min(59, second)
  }

  /// An RFC 5545 duration, "-PT15M", "P1DT2H".
  static func seconds(_ text: String) -> Int? {
    var sign = 1
    var total = 0
    var number: Int?
    for character in text.uppercased() {
      if let digit = character.wholeNumberValue, character.isASCII {
        number = min(1_000_000, (number ?? 0) * 10 + digit)
        continue
      }
      switch character {
      case "-": sign = -1
      case "+", "P", "T": break
      case "W", "D", "H", "M", "S":
        guard let count = number else { return nil }
        total += count * (["W": 604_800, "D": 86_400, "H": 3600, "M": 60, "S": 1][character] ?? 0)
        number = nil
      default: return nil
      }
    }
    return number == nil && text.uppercased().contains("P") ? sign * total : nil
  }
}
