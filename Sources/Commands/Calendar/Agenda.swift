import Core
package import Documents
package import Foundation

/// What stands in the calendar and the task list, for questions about them.
package struct AgendaItem: Codable, Sendable, Equatable {
  package enum Kind: String, Codable, Sendable {
    case event, task
    /// What could not be understood or is not shown, in words: it stands in the agenda, so that nobody takes it for whole.
    case note
  }

  package var kind: Kind
  package var title: String
  /// Local ISO 8601 to the second; a date alone for whole days and nothing for tasks without a time.
  package var start: String?
  package var end: String?
  package var location: String?
  package var file: String
  /// The action that wrote it and can be taken back.
  package var action: String?

  package init(kind: Kind, title: String, start: String? = nil, end: String? = nil, file: String = "") {
    self.kind = kind
    self.title = title
    self.start = start
    self.end = end
    self.file = file
  }
}

package struct Agenda: Sendable {
  /// In order: what has a time, then tasks without one, then notes about what is missing.
  package var items: [AgendaItem] = []

  /// More than a calendar of decades holds; what lies beyond is named.
  static let mostFiles = 20_000
  /// More than anybody reads, and than one answer should carry.
  static let mostItems = 20_000
  private static let mostNotes = 200

  /// Everything between two moments; tasks without a time only where `openTasks` asks for them.
  package static func read(
    _ places: Places, from: Date, until: Date, zone: TimeZone, openTasks: Bool = false, by reader: ForeignFiles
  ) async throws -> Agenda {
    var files: [ForeignFiles.Calendar] = []
    var notes: [AgendaItem] = []
    for folder in Set([places.calendar, places.tasks]).sorted(by: { $0.path < $1.path }) {
      let names = Self.names(in: folder)
      if names.count > mostFiles {
        notes.append(
          AgendaItem(
            kind: .note, title: "Of \(names.count) calendar files \(mostFiles) were read", file: folder.path))
      }
      files += try await reader.calendars(
        Array(names.prefix(mostFiles)), below: folder, from: from, until: until, zone: zone)
    }
    return Agenda(files, from: from, until: until, zone: zone, openTasks: openTasks, notes: notes)
  }

  init(
    _ files: [ForeignFiles.Calendar], from: Date, until: Date, zone: TimeZone, openTasks: Bool,
    notes: [AgendaItem] = []
  ) {
    let span = from.timeIntervalSince1970..<max(from, until).timeIntervalSince1970
    var found: [(moment: Double, one: CalendarOccurrence, path: String)] = []
    var notes = notes
    for file in files {
      if let failure = file.failure {
        notes.append(AgendaItem(kind: .note, title: "\(file.path) could not be read: \(failure)", file: file.path))
      }
      notes += file.reading.problems.map {
        AgendaItem(kind: .note, title: "In \(file.path): \($0)", file: file.path)
      }
      for one in file.reading.occurrences where one.status == .stands || one.status == .tentative {
        if let moment = one.start.map(Double.init) {
          let end = Double(one.end ?? one.start ?? 0)
          // An event that began before and still goes on belongs to the span as well.
          guard moment < span.upperBound, max(end, moment + 1) > span.lowerBound else { continue }
          found.append((moment, one, file.path))
        } else if openTasks, one.kind == .task {
          found.append((.infinity, one, file.path))
        }
      }
    }
    found.sort { ($0.moment, $0.one.title) < ($1.moment, $1.one.title) }
    items = found.prefix(Self.mostItems).map { AgendaItem($0.one, in: $0.path, zone) }
    if found.count > Self.mostItems {
      notes.append(
        AgendaItem(kind: .note, title: "\(found.count - Self.mostItems) more are not shown: ask for fewer days"))
    }
    items += notes.prefix(Self.mostNotes)
    if notes.count > Self.mostNotes {
      items.append(AgendaItem(kind: .note, title: "\(notes.count - Self.mostNotes) more files could not be read whole"))
    }
  }

  private static func names(in folder: URL) -> [String] {
    // A place that does not exist yet is an empty one.
    guard let names = FileManager.default.subpaths(atPath: folder.path) else { return [] }
    return names.filter { $0.hasSuffix(".ics") && !$0.hasPrefix(".") && !$0.contains("/.") }.sorted()
  }
}

extension AgendaItem {
  fileprivate init(_ one: CalendarOccurrence, in file: String, _ zone: TimeZone) {
    func written(_ instant: Int) -> String {
      let local = Civil.iso(Walls(zone: zone).local(instant))
      return one.isAllDay ? String(local.prefix(10)) : local
    }
    self.init(
      kind: one.kind == .event ? .event : .task, title: one.title.isEmpty ? "(no title)" : one.title,
      start: one.start.map(written), end: one.end.map(written), file: file)
    location = one.location
  }
}
