import Core
import Documents
import Foundation

/// A calendar as a document: what takes place, in the order of time, with its day in words.
struct CalendarDocument {
  /// What is not told of it.
  let problem: DocumentError?
  private let entries: [Block]
  private let title: String?
  private let language: String?

  /// What repeats is told from two years before the last entry begins until one year after it. An entry that begins more than a year
  /// from now counts as one that begins then.
  private static let year = 366 * Civil.secondsPerDay
  /// Of one entry so many times are told, and of all; and so much of what they are called and where they are.
  private static let mostOfOne = 400, most = 5_000, textBytes = 1 << 20

  static func begins(_ text: String) -> Bool {
    text.drop(while: \.isWhitespace).prefix(15).uppercased() == "BEGIN:VCALENDAR"
  }

  init(_ bytes: [UInt8], zone: TimeZone = .current) throws {
    var limits = CalendarLimits()
    (limits.occurrencesPerEntry, limits.occurrences, limits.textBytes) = (Self.mostOfOne, Self.most, Self.textBytes)
    let file = try CalendarFile(bytes, local: zone, limits: limits, withNotes: true)
    let starts = file.starts
    var reading = CalendarReading()
    if let first = starts.min(), let last = starts.max() {
      let latest = min(last, Int(Date().timeIntervalSince1970) + Self.year)
      reading = try file.expand(first..<last + 1, latest: latest - 2 * Self.year..<latest + Self.year)
    }
    let occurrences = reading.occurrences
    problem = reading.problems.first.map { DocumentError.entriesLeftOut($0) }
    var notes = file.notes
    let said = occurrences.flatMap { [$0.title, $0.location].compactMap(\.self) } + notes.values
    language = LanguageGuess.guess(said.joined(separator: " ")) ?? file.language
    title = file.name
    let locale = Locale(identifier: language ?? "en")
    entries = occurrences.sorted { ($0.start ?? 0, $0.title) < ($1.start ?? 0, $1.title) }.map { one in
      let when = Self.when(one, one.zone.flatMap { TimeZone(identifier: $0) } ?? zone, locale)
      // What is written besides is told with the first of its times: a short file would come to a long text.
      let note = one.uid.flatMap { notes.removeValue(forKey: $0) }
      let what = [one.title, one.location ?? "", note ?? ""].filter { !$0.isEmpty }
      let text = (when.isEmpty ? "" : when + ": ") + what.map(Self.sentence).joined(separator: " ")
      return Block(.paragraph, text.onOneLine)
    }
  }

  /// "Monday, 7 December 2026, 09:30–11:30" by the clocks of the place that it is planned in.
  private static func when(_ one: CalendarOccurrence, _ zone: TimeZone, _ locale: Locale) -> String {
    var days = Date.FormatStyle(date: .complete, time: .omitted, locale: locale)
    days.timeZone = zone
    let hours = Date.VerbatimFormatStyle(
      format: "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
      timeZone: zone, calendar: Calendar(identifier: .gregorian))
    let start = one.start.map { Date(timeIntervalSince1970: Double($0)) }
    // A whole day ends with the midnight after it.
    let end = one.end.map { Date(timeIntervalSince1970: Double(one.isAllDay ? max($0 - 1, one.start ?? $0) : $0)) }
    let (first, last) = (start.map(days.format), end.map(days.format))
    let (from, until) = one.isAllDay ? (nil, nil) : (start.map(hours.format), end.map(hours.format))
    let when = [first, from].compactMap(\.self).joined(separator: ", ")
    if let last, last != first { return when + " – " + [last, until].compactMap(\.self).joined(separator: ", ") }
    return if let until, until != from { when + "–" + until } else { when }
  }

  func info() -> DocumentInfo {
    var info = DocumentInfo(kind: .text)
    (info.title, info.language) = (title.flatMap { Title.cleaned($0) }, language)
    return info
  }

  func blocks() throws -> [Block] {
    guard !entries.isEmpty else { throw DocumentError.empty }
    return entries
  }

  private static func sentence(_ text: String) -> String {
    let text = text.trimmed()
    return text.last.map { ".!?:".contains($0) } ?? true ? text : text + "."
  }
}
