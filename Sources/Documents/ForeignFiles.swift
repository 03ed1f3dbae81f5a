import Core
package import Foundation
import Workers

/// Calendars and mail that others wrote, as plain values. The files are read in the sealed parse worker and nowhere else; what
/// was learned of one is kept for as long as it stays the same.
package actor ForeignFiles {
  /// A calendar file, and what it came to: its reading, or why there is none.
  package struct Calendar: Sendable {
    package var path: String
    package var reading = CalendarReading()
    package var failure: String?
  }

  private struct Span: Equatable {
    var from: Int
    var until: Int
    var zone: String

    func holds(_ other: Span) -> Bool { from <= other.from && until >= other.until && zone == other.zone }
  }

  private struct Kept {
    var stamp: RegularFile.Stamp
    var span: Span
    var reading: CalendarReading
    var failure: String?
  }

  private let desk: ParseDesk
  private let clock: @Sendable () -> Date
  private var kept: [String: [Kept]] = [:]
  /// How many occurrences are in all that is kept, and was until it was last emptied.
  private var keptOccurrences = 0
  /// How often the worker was asked; for tests of what is kept.
  package private(set) var asked = 0

  /// Of computing, for one file.
  private static let calendarTime = Duration.seconds(2)
  private static let mailTime = Duration.seconds(1)
  /// So many files may end the worker before those that are left are not tried any more.
  private static let mostFailures = 8
  private static let mostKept = 50_000
  /// Of all files together, in one reading and in what is kept.
  private static let mostOccurrences = 100_000
  private static let day = 86_400
  /// The first and the last second of the years 1 to 9999.
  private static let years = -62_135_596_800...253_402_300_799

  package init(_ desk: ParseDesk, clock: @escaping @Sendable () -> Date = { Date() }) {
    self.desk = desk
    self.clock = clock
  }

  // MARK: - Calendars

  /// What takes place between two moments by each of the files `names` below a folder. A file that is gone is left out, one that
  /// cannot be understood is named with the reason; throws only where no worker can be had.
  package func calendars(_ names: [String], below folder: URL, from: Date, until: Date, zone: TimeZone) async throws
    -> [Calendar]
  {
    let span = Self.span(from, until, zone)
    var failures = 0
    var room = Self.mostOccurrences
    var found: [Calendar] = []
    for name in names {
      try Task.checkCancellation()
      let path = folder.appending(path: name).path
      guard room > 0 else {
        found.append(
          Calendar(path: path, failure: "the files before it have more than \(Self.mostOccurrences) dates"))
        continue
      }
      defer { room -= found.last?.reading.occurrences.count ?? 0 }
      do {
        let file = try RegularFile(name, below: folder.path)
        if let known = known(file, span) {
          found.append(Calendar(path: path, reading: known.reading, failure: known.failure))
        } else if failures >= Self.mostFailures {
          found.append(Calendar(path: path, failure: "it was not tried, because other files took too long"))
        } else {
          let one = try await read(file, span)
          if let failure = one.failure {
            failures += 1
            found.append(Calendar(path: path, failure: failure))
          } else {
            found.append(Calendar(path: path, reading: one.reading))
          }
        }
      } catch FileError.missing {
        continue
      } catch let error as FileError { found.append(Calendar(path: path, failure: error.message)) }
    }
    return found
  }

  private static func span(_ from: Date, _ until: Date, _ zone: TimeZone) -> Span {
    func second(_ date: Date) -> Int {
      let seconds = date.timeIntervalSince1970.rounded(.down)
      return seconds.isNaN ? 0 : Int(min(max(seconds, Double(years.lowerBound)), Double(years.upperBound)))
    }
    return Span(from: second(from), until: max(second(from), second(until)), zone: zone.identifier)
  }

  private func known(_ file: RegularFile, _ span: Span) -> Kept? {
    guard let readings = kept[file.path], let stamp = file.stamp else { return nil }
    return readings.first { $0.stamp == stamp && $0.span.holds(span) && (!$0.reading.isCut || $0.span == span) }
  }

  /// Asks for more than is wanted now, so that the next questions find it there; a file that has too much for that is asked for
  /// what is wanted and no more.
  private func read(_ file: RegularFile, _ span: Span) async throws -> Kept {
    let stamp = file.stamp
    let today = Int(clock().timeIntervalSince1970) / Self.day * Self.day
    var wide = Span(from: today - 40 * Self.day, until: today + 75 * Self.day, zone: span.zone)
    if !wide.holds(span) {
      wide.from = max(Self.years.lowerBound, span.from / Self.day * Self.day - Self.day)
      wide.until = min(Self.years.upperBound, span.until / Self.day * Self.day + 2 * Self.day)
    }
    var one = try await ask(file, wide, stamp)
    if one.reading.isCut, wide != span { one = try await ask(file, span, stamp) }
    keep(one, of: file)
    return one
  }

  private func ask(_ file: RegularFile, _ span: Span, _ stamp: RegularFile.Stamp?) async throws -> Kept {
    asked += 1
    var one = Kept(stamp: stamp ?? .unknown, span: span, reading: CalendarReading(), failure: nil)
    do {
      let request = CalendarRequest(from: span.from, until: span.until, zone: span.zone)
      let reading = try await desk.ask(
        "calendar", request, files: [file], within: Self.calendarTime, most: CalendarReading.most,
        for: CalendarReading.self)
      one.reading = Self.checked(reading)
    } catch { one.failure = try Self.sentence(error) }
    return one
  }

  private func keep(_ one: Kept, of file: RegularFile) {
    // A file that was written a moment ago may change again within the same tick of the clock.
    guard let stamp = file.stamp, stamp == one.stamp, stamp.isOlder(than: clock().addingTimeInterval(-2)) else {
      return
    }
    if kept.count >= Self.mostKept || keptOccurrences >= Self.mostOccurrences { (kept, keptOccurrences) = ([:], 0) }
    keptOccurrences += one.reading.occurrences.count
    let others = kept[file.path, default: []].filter { $0.stamp == stamp && !one.span.holds($0.span) }
    kept[file.path] = others.suffix(2) + [one]
  }

  /// What comes from the worker is checked as what comes from a stranger.
  private static func checked(_ reading: CalendarReading) -> CalendarReading {
    var checked = reading
    checked.problems = reading.problems.prefix(30).map { PlainLine.clean($0, most: 300) }
    checked.occurrences = reading.occurrences.compactMap { one in
      var one = one
      if let start = one.start {
        guard years.contains(start), years.contains(one.end ?? start), one.end ?? start >= start else { return nil }
      }
      if let alarm = one.alarm, !(-36_600 * day...36_600 * day).contains(alarm) { one.alarm = nil }
      one.title = PlainLine.clean(one.title, most: 300)
      one.location = one.location.map { PlainLine.clean($0, most: 300) }
      one.zone = one.zone.map { PlainLine.clean($0, most: 100) }
      one.recurrence = one.recurrence.map { PlainLine.clean($0, most: 40) }
      return one
    }
    return checked
  }

  // MARK: - Mail

  /// What of a message is shown; throws what is wrong with the file, in words.
  package func mail(_ name: String, below folder: URL) async throws -> MailReading {
    let file = try RegularFile(name, below: folder.path)
    asked += 1
    var reading: MailReading
    do {
      reading = try await desk.ask("mail", MailRequest(), files: [file], within: Self.mailTime, for: MailReading.self)
    } catch {
      throw DocumentError.unreadable(try Self.sentence(error))
    }
    reading.from = PlainLine.clean(reading.from, most: 300)
    reading.subject = PlainLine.clean(reading.subject, most: 300)
    reading.excerpt = PlainLine.clean(reading.excerpt, most: 240)
    if let date = reading.date, !Self.years.contains(date) { reading.date = nil }
    return reading
  }

  /// What is wrong with a file, in words; rethrows what no file is to blame for.
  private static func sentence(_ error: any Error) throws -> String {
    switch error {
    case let error as DocumentError:
      if case .busy = error { throw error }
      return PlainLine.clean(error.message, most: 300)
    case let error as RemoteError: return PlainLine.clean(error.message, most: 300)
    default: throw error
    }
  }
}
