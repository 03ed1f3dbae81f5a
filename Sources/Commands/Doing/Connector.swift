import Core
package import Foundation

/// What a connector is asked to bring about.
package struct Order: Sendable {
  package var id: String
  package var frame: Frame
  package var recurrence: String?
  package var emailFrom: String?
  package var emailAbout: String?
  package var zone: TimeZone
  package var now: Date
}

/// What a connector would write, decided before anything is written, so that the journal can name it first.
package struct PlannedWrite: Sendable {
  package var summary: String
  package var file: URL?
  package var contents = Data()
  /// Maildir writes into `tmp` before `new`.
  package var staging: URL?
  /// Folders that must stand beside it for others to recognise the place.
  package var beside: [URL] = []
  package var messages: [MailSummary]?
  /// When mail in the outbox goes; nil for everything else.
  package var sendAt: Date?
  /// What the person should know about it.
  package var remark: String?
}

/// A place where actions land. Planning decides; the `ActionRunner` writes, remembers and takes back.
package protocol Connector: Sendable {
  var intents: Set<Intent> { get }
  func plan(_ order: Order, in places: Places) async throws -> PlannedWrite
}

/// Events into a calendar, reminders and alarms into a task list, both vdirs.
package struct CalendarConnector: Connector {
  package let intents: Set<Intent> = [.createEvent, .addReminder, .setAlarm]
  package init() {}

  package func plan(_ order: Order, in places: Places) throws -> PlannedWrite {
    let slots = order.frame.slots
    let isEvent = order.frame.intent == .createEvent
    let alarm = order.frame.intent == .setAlarm ? slots.alarm ?? .alarm : nil
    guard let title = slots.title ?? alarm?.name else { throw CommandError.incomplete("what it is about") }
    let landing = slots.landing
    if landing == nil, isEvent || alarm != nil || slots.datetimeRange != nil { throw CommandError.incomplete("when") }
    // What no calendar can write down: years beyond four digits.
    guard [landing?.start, landing?.end].compactMap(\.self).allSatisfy(Civil.writable.contains) else {
      throw CommandError.incomplete("a time that a calendar can hold")
    }
    let start = landing?.start
    var end = landing?.end
    let midnight = start.map { $0 % Civil.secondsPerDay == 0 } ?? false
    let wholeDays =
      alarm == nil && midnight && slots.durationMinutes == nil && (end.map { $0 % Civil.secondsPerDay == 0 } ?? true)
    if let minutes = slots.durationMinutes, let start, end == nil { end = start + min(minutes, 525_600) * 60 }
    let entry = ICalendar(
      kind: isEvent ? .event : .task, uid: order.id, title: title, start: start, end: end, isAllDay: wholeDays,
      rrule: start == nil ? nil : order.recurrence, zone: order.zone, stamp: order.now)
    guard entry.over.map(Civil.writable.contains) ?? true else {
      throw CommandError.incomplete("a time that a calendar can hold")
    }
    let folder = isEvent ? places.calendar : places.tasks
    let when = start.map {
      wholeDays ? String(Civil.iso($0).prefix(10)) : String(Civil.iso($0).prefix(16)).replacing("T", with: " ")
    }
    let name = alarm?.name ?? order.frame.intent.form.name
    return PlannedWrite(
      summary: (title == alarm?.name ? title : "\(name): \(title)") + (when.map { ", \($0)" } ?? ""),
      file: folder.appending(path: order.id + ".ics"), contents: Data(entry.written().utf8))
  }
}

/// Notes as Markdown with front matter, one file each.
package struct NotesConnector: Connector {
  package let intents: Set<Intent> = [.createNote]
  package init() {}

  package func plan(_ order: Order, in places: Places) throws -> PlannedWrite {
    guard let text = order.frame.slots.title else { throw CommandError.incomplete("what to note") }
    let first = String(text.split(whereSeparator: \.isNewline).first?.prefix(60) ?? "Note")
    let offset = order.zone.secondsFromGMT(for: order.now)
    let local = Civil.iso(Int(order.now.timeIntervalSince1970) + offset)
    let quoted = first.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let page = "---\nid: \(order.id)\ntitle: \"\(quoted)\"\ncreated: \(local)\n---\n\n\(text)\n"
    return PlannedWrite(
      summary: "Note: \(first)",
      file: places.notes.appending(path: "\(local.prefix(10)) \(slug(first)) \(order.id.prefix(8)).md"),
      contents: Data(page.utf8))
  }

  /// Letters and digits only: a note's words never become a path.
  private func slug(_ text: String) -> String {
    let kept = text.lowercased().precomposedStringWithCanonicalMapping.unicodeScalars.map { scalar -> Character in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil ? Character(scalar) : "-"
    }
    let parts = String(kept).split(separator: "-").joined(separator: "-")
    return parts.isEmpty ? "note" : String(parts.prefix(40))
  }
}
