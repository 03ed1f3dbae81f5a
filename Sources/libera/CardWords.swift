import Commands
import Core
import Foundation

/// What is to be done or was done, in the person's language: made from the slots of a card, as the page does it (Web/js/deeds.js). In
/// English a card has words of its own.
enum CardWords {
  static func words(_ card: Card) -> String {
    guard Tongue.current.language != "en" else { return card.words }
    var parts: [String] = []
    let title = card.title ?? "…"
    switch card.intent {
    case .createEvent: parts.append(say("Event: \(title)"))
    case .addReminder: parts.append(say("Reminder: \(title)"))
    case .createNote: parts.append(say("Note: \(title)"))
    case .setAlarm:
      let kind = card.alarm == .timer ? say("Timer") : say("Alarm")
      parts.append(card.title.map { "\(kind): \($0)" } ?? kind)
      if let seconds = card.seconds { parts.append(Card.span(seconds)) } else if card.start == nil { parts.append("…") }
    case .stopAlarm: parts.append(stopping(card) + (card.title.map { ": \($0)" } ?? ""))
    case .sendEmail:
      parts.append(say("Mail to \(card.to.isEmpty ? "…" : card.to.joined(separator: ", "))"))
      if let subject = card.subject { parts.append(say("about \(subject)")) }
      if let body = card.body { parts.append(say("“\(body)”")) }
    case .readEmail, .showAlarms, .none: return told(card.words)
    }
    if let start = card.start { parts.append(time(start, until: card.end)) }
    if card.end == nil, let minutes = card.durationMinutes { parts.append(Card.span(minutes * 60)) }
    if let rule = card.recurrence { parts.append(repetition(rule)) }
    return parts.joined(separator: ", ")
  }

  /// As the list of actions has it: what it was, a name, and the time as it was entered.
  static func summary(_ action: ActionRecord) -> String {
    guard let end = action.summary.range(of: ": ") else { return told(action.summary) }
    let name = String(action.summary[end.upperBound...])
    switch action.intent {
    case .createEvent: return say("Event: \(name)")
    case .addReminder: return say("Reminder: \(name)")
    case .createNote: return say("Note: \(name)")
    default: return told(action.summary)
    }
  }

  private static func stopping(_ card: Card) -> String {
    // That all are meant stands in the program's own words alone.
    let (isTimer, isAll) = (card.alarm == .timer, card.words.contains(" every "))
    return switch (card.durationMinutes == nil, isTimer, isAll) {
    case (true, false, false): say("Stop the alarm")
    case (true, false, true): say("Stop every alarm")
    case (true, true, false): say("Stop the timer")
    case (true, true, true): say("Stop every timer")
    case (false, false, false): say("Put off the alarm")
    case (false, false, true): say("Put off every alarm")
    case (false, true, false): say("Put off the timer")
    case (false, true, true): say("Put off every timer")
    }
  }

  // MARK: Times, on the wall clock

  private static func formatter(_ template: String) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: Tongue.current.language)
    formatter.timeZone = .gmt
    formatter.setLocalizedDateFormatFromTemplate(template)
    return formatter
  }

  private static func moment(_ local: String) -> Date? {
    let text = local.contains("T") ? local : local + "T00:00:00"
    return try? Date(text + "Z", strategy: .iso8601)  // nil: it is shown as it was written
  }

  static func span(_ span: Card.Span) -> String {
    Tongue.current.language == "en" ? span.words : time(span.start, until: span.end)
  }

  /// "27. Nov. 2026, 09:00", by the clock of this place.
  static func moment(_ moment: Date) -> String {
    let local = formatter("dMMMyyyyjm")
    local.timeZone = .current
    return local.string(from: moment)
  }

  /// "Do., 11. Juni 2026, 07:00–08:00"; what lasts whole days has no hours.
  static func time(_ start: String, until end: String?) -> String {
    let isDay = { (local: String) in !local.contains("T") || local.hasSuffix("T00:00:00") }
    guard let from = moment(start) else { return start }
    let (day, clock) = (formatter("EEEdMMMMyyyy"), formatter("jm"))
    let until = end.flatMap(moment)
    if isDay(start), end.map(isDay) ?? true {
      let last = until?.addingTimeInterval(-86_400)
      return [day.string(from: from), last.flatMap { $0 > from ? day.string(from: $0) : nil }].compactMap(\.self)
        .joined(separator: " – ")
    }
    let begins = "\(day.string(from: from)), \(clock.string(from: from))"
    guard let until, until > from else { return begins }
    let isSameDay = day.string(from: from) == day.string(from: until)
    return begins + "–" + (isSameDay ? "" : day.string(from: until) + ", ") + clock.string(from: until)
  }

  /// A rule of a calendar (RFC 5545) in words; as it was written where these have none.
  static func repetition(_ written: String) -> String {
    guard let rule = Recurrence(written) else { return written }
    let list = rule.days.map { weekday($0.ordinal, $0.weekday) }.joined(separator: " \(say("and")) ")
    // "On Monday and Wednesday", once each.
    if rule.isOnceEach { return say("on \(list)") }
    var words = every(rule.frequency, rule.interval)
    if !list.isEmpty { words += " " + say("on \(list)") }
    if rule.frequency == .monthly, !rule.monthDays.isEmpty {
      let named = rule.monthDays.map { $0 == -1 ? say("on the last day") : say("on day \($0)") }
      words += " " + named.joined(separator: " \(say("and")) ")
    }
    if let count = rule.count { words += ", " + say("\(count) times") }
    if let day = rule.untilDay {
      let last = time(Civil.iso(day * Civil.secondsPerDay), until: nil)
      words += ", " + say("until \(last)")
    }
    return words
  }

  private static func every(_ frequency: Recurrence.Frequency, _ count: Int) -> String {
    switch frequency {
    case .minutely: say(count, one: "every minute", many: "every \(count) minutes")
    case .hourly: say(count, one: "every hour", many: "every \(count) hours")
    case .daily: say(count, one: "every day", many: "every \(count) days")
    case .weekly: say(count, one: "every week", many: "every \(count) weeks")
    case .monthly: say(count, one: "every month", many: "every \(count) months")
    case .yearly: say(count, one: "every year", many: "every \(count) years")
    }
  }

  private static func weekday(_ ordinal: Int, _ day: Int) -> String {
    let name = formatter("EEEE").weekdaySymbols[(day + 1) % 7]
    return switch ordinal {
    case 1: say("the first \(name)")
    case 2: say("the second \(name)")
    case 3: say("the third \(name)")
    case 4: say("the fourth \(name)")
    case 5: say("the fifth \(name)")
    case -1: say("the last \(name)")
    default: name
    }
  }
}
