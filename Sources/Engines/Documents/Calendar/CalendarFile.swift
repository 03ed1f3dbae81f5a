import CICal
import Documents
import Foundation

/// A calendar file: libical takes it apart, and what takes place within a span is gathered from its entries.
final class CalendarFile {
  private let root: OpaquePointer
  private var zones: CalendarZones
  private var series: [(master: ParsedEntry?, changes: [ParsedEntry])] = []
  private(set) var problems: [String] = []
  private let limits: CalendarLimits
  private var components = 0

  /// What is wrong in a file is said this often; then it is only counted.
  private static let mostProblems = 20

  init(_ bytes: [UInt8], local: TimeZone, limits: CalendarLimits, withNotes: Bool = false) throws {
    self.limits = limits
    guard let text = TextDecoding.decode(bytes)?.text, text.utf8.contains(where: { $0 > 0x20 }) else {
      throw DocumentError.damaged("it is no text")
    }
    let lines = try CalendarLines(text, limits, withNotes: withNotes)
    // Mistakes in a file are for this code to name and not a reason to end the process.
    icalerror_set_errors_are_fatal(0)
    let parsed = lines.text.withUnsafeBytes { icalparser_parse_string($0.bindMemory(to: CChar.self).baseAddress) }
    guard let root = parsed else { throw DocumentError.damaged("it is no calendar") }
    self.root = root
    zones = CalendarZones(local: local)
    guard holdsCalendar(root) else { throw DocumentError.damaged("it is no calendar") }
    walk(root) { kind, component in
      if kind == ICAL_VTIMEZONE_COMPONENT { zones.define(component) }
    }
    gather()
    if lines.tooLong > 0 { say("lines about times that are too long to be read are left out") }
  }

  deinit { icalcomponent_free(root) }

  private func holdsCalendar(_ root: OpaquePointer) -> Bool {
    let kind = icalcomponent_isa(root)
    if kind == ICAL_XROOT_COMPONENT {
      return icalcomponent_get_first_component(root, ICAL_VCALENDAR_COMPONENT) != nil
        || icalcomponent_get_first_component(root, ICAL_VEVENT_COMPONENT) != nil
        || icalcomponent_get_first_component(root, ICAL_VTODO_COMPONENT) != nil
    }
    return [ICAL_VCALENDAR_COMPONENT, ICAL_VEVENT_COMPONENT, ICAL_VTODO_COMPONENT].contains(kind)
  }

  /// Everything that stands directly in the file or in one of its calendars.
  private func walk(_ parent: OpaquePointer, _ visit: (icalcomponent_kind, OpaquePointer) -> Void) {
    let kind = icalcomponent_isa(parent)
    if kind == ICAL_VEVENT_COMPONENT || kind == ICAL_VTODO_COMPONENT { return visit(kind, parent) }
    var next = icalcomponent_get_first_component(parent, ICAL_ANY_COMPONENT)
    while let child = next {
      let kind = icalcomponent_isa(child)
      if kind == ICAL_VCALENDAR_COMPONENT { walk(child, visit) } else { visit(kind, child) }
      next = icalcomponent_get_next_component(parent, ICAL_ANY_COMPONENT)
    }
  }

  private struct Key: Hashable {
    var kind: CalendarOccurrence.Kind
    var uid: String
  }

  /// Entries of one name belong together: one master, or several that a careless program gave the same name, and changes.
  private func gather() {
    var order: [Key] = []
    var groups: [Key: [ParsedEntry]] = [:]
    var nameless = 0
    walk(root) { kind, component in
      guard kind == ICAL_VEVENT_COMPONENT || kind == ICAL_VTODO_COMPONENT else { return }
      components += 1
      guard components <= limits.components else { return }
      let entry = ParsedEntry(kind == ICAL_VEVENT_COMPONENT ? .event : .task, component, zones)
      for problem in entry.problems { say(problem) }
      if entry.uid == nil { nameless += 1 }
      let key = Key(kind: entry.kind, uid: entry.uid ?? "\u{0}\(nameless)")
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(entry)
    }
    if components > limits.components { say("more than \(limits.components) entries; the rest is left out") }
    for key in order {
      let entries = groups[key] ?? []
      let changes = entries.filter { $0.recurrence != nil }
      let masters = entries.filter { $0.recurrence == nil }
      let latest = masters.map(\.sequence).max() ?? 0
      var seen: Set<String> = []
      let kept = masters.filter { $0.sequence == latest }.filter {
        seen.insert("\($0.start.map { "\($0.instant)" } ?? "") \($0.title)").inserted
      }
      for (index, master) in kept.enumerated() { series.append((master, index == 0 ? changes : [])) }
      if kept.isEmpty { series.append((nil, changes)) }
    }
  }

  private func say(_ problem: String) {
    if problems.count < Self.mostProblems { problems.append(problem) }
    if problems.count == Self.mostProblems { problems.append("more of this kind; they are not listed") }
  }

  /// When each entry begins for the first time.
  var starts: [Int] { series.compactMap { ($0.master ?? $0.changes.first)?.start?.instant } }

  /// What is written of an entry besides, by the entry's name.
  var notes: [String: String] {
    series.reduce(into: [:]) { notes, one in
      guard let entry = one.master ?? one.changes.first, let uid = entry.uid, notes[uid] == nil else { return }
      notes[uid] = entry.note
    }
  }

  private var calendar: OpaquePointer? {
    icalcomponent_isa(root) == ICAL_VCALENDAR_COMPONENT
      ? root : icalcomponent_get_first_component(root, ICAL_VCALENDAR_COMPONENT)
  }

  /// What the calendar is called.
  var name: String? {
    var property = calendar.flatMap { icalcomponent_get_first_property($0, ICAL_X_PROPERTY) }
    while let one = property {
      if let called = icalproperty_get_x_name(one).map({ String(cString: $0) }), called == "X-WR-CALNAME" {
        return icalproperty_get_x(one).map { String(cString: $0) }
      }
      property = icalcomponent_get_next_property(calendar, ICAL_X_PROPERTY)
    }
    return nil
  }

  /// The language of the program that wrote it, as its name ends: "-//Waste Works//Calendar 3//DE".
  var language: String? {
    let written = calendar.flatMap { icalcomponent_get_first_property($0, ICAL_PRODID_PROPERTY) }
    let name = written.flatMap { icalproperty_get_prodid($0) }.map { String(cString: $0) } ?? ""
    return name.contains("//") ? LanguageGuess.code(String(name.suffix(2))) : nil
  }

  /// What lies within the span; of what repeats that in `latest`, where there is some and that is given.
  func expand(_ span: Range<Int>, latest: Range<Int>? = nil) throws -> CalendarReading {
    let budget = CalendarBudget(limits)
    var reading = CalendarReading()
    var textBytes = 0
    for (master, changes) in series {
      let named = (master ?? changes.first)?.named ?? ""
      func add(_ span: Range<Int>) -> CalendarBudget.Problem? {
        CalendarSeries(master: master, changes: changes, span: span, budget: budget).expand { occurrence in
          textBytes +=
            occurrence.title.utf8.count + (occurrence.location?.utf8.count ?? 0) + (occurrence.uid?.utf8.count ?? 0)
          guard reading.occurrences.count < limits.occurrences, textBytes <= limits.textBytes else { return false }
          reading.occurrences.append(occurrence)
          return true
        }
      }
      let before = reading.occurrences.count
      var problem = latest.flatMap { master?.repeats == true ? add($0) : nil }
      if problem == nil, reading.occurrences.count == before { problem = add(span) }
      guard let problem else { continue }
      reading.isCut = true
      say(Self.sentence(problem, named))
      if budget.isSpent { break }
    }
    reading.problems = problems
    return reading
  }

  private static func sentence(_ problem: CalendarBudget.Problem, _ named: String) -> String {
    switch problem {
    case .steps: "\(named) repeats by a rule that takes too much work: not all of its times are shown"
    case .occurrences: "\(named) takes place too often: not all of its times are shown"
    case .rule: "\(named) repeats by a rule that makes no sense: only its first time is shown"
    }
  }
}
