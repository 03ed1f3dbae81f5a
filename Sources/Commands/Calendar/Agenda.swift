package import Foundation

/// What stands in the calendar and the task list, for questions about them.
package struct AgendaItem: Codable, Sendable, Equatable {
  package enum Kind: String, Codable, Sendable { case event, task }

  package var kind: Kind
  package var title: String
  /// Local ISO 8601 to the second; a date alone for whole days and nothing for tasks without a time.
  package var start: String?
  package var end: String?
  package var file: String
  /// The action that wrote it and can be taken back.
  package var action: String?
}

package struct Agenda: Sendable {
  package var items: [AgendaItem] = []
  /// Files that could not be read, with the reason.
  package var unread: [String] = []

  /// More than a calendar of decades holds; what lies beyond is counted as unread.
  static let most = 20_000

  /// Everything between two moments, in order; tasks without a time come last and only where `openTasks` asks for them.
  package init(_ places: Places, from: Date, until: Date, zone: TimeZone, openTasks: Bool = false) {
    var found: [(moment: Double, item: AgendaItem)] = []
    for folder in Set([places.calendar, places.tasks]).sorted(by: { $0.path < $1.path }) {
      for file in Self.files(in: folder) {
        guard let data = FileManager.default.contents(atPath: file.path), data.count < 2_000_000 else {
          unread.append(file.path)
          continue
        }
        for entry in CalendarEntry.read(data, local: zone) where !entry.isOver {
          let kind = entry.kind == .event ? AgendaItem.Kind.event : .task
          if entry.anchor == nil, openTasks, kind == .task {
            found.append((.infinity, AgendaItem(kind: kind, title: entry.title, file: file.path)))
          }
          // An event that began before and still goes on belongs to the span as well.
          for moment in entry.occurrences(from: from.addingTimeInterval(-min(entry.length, 31 * 86_400)), until: until)
          where moment.addingTimeInterval(max(entry.length, 1)) > from {
            let item = AgendaItem(
              kind: kind, title: entry.title, start: Self.written(moment, zone, day: entry.isAllDay),
              end: entry.length > 0
                ? Self.written(moment.addingTimeInterval(entry.length), zone, day: entry.isAllDay) : nil,
              file: file.path)
            found.append((moment.timeIntervalSince1970, item))
          }
        }
      }
    }
    items = found.sorted { ($0.moment, $0.item.title) < ($1.moment, $1.item.title) }.map(\.item)
  }

  private static func files(in folder: URL) -> [URL] {
    // A place that does not exist yet is an empty one.
    guard let names = FileManager.default.subpaths(atPath: folder.path) else { return [] }
    return names.filter { $0.hasSuffix(".ics") && !$0.hasPrefix(".") }.sorted().prefix(most)
      .map { folder.appending(path: $0) }
  }

  private static func written(_ moment: Date, _ zone: TimeZone, day: Bool) -> String {
    let local = Walls(zone: zone).local(Int(moment.timeIntervalSince1970))
    return day ? String(Civil.iso(local).prefix(10)) : Civil.iso(local)
  }
}
