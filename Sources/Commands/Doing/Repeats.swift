import Core

/// How often something is to repeat from its day on, as a person chooses it in a list.
package enum Repeats: String, Codable, Sendable, CaseIterable {
  case never, daily, weekly, monthly, yearly

  /// The rule of a calendar for it; nil where nothing repeats.
  func rule(from day: Int) -> String? {
    let date = Civil.date(day)
    return switch self {
    case .never: nil
    case .daily: Recurrence(frequency: .daily).rule
    case .weekly: Recurrence(frequency: .weekly, weekdays: [Civil.weekday(day)]).rule
    case .monthly: Recurrence(frequency: .monthly, monthDays: [date.day]).rule
    case .yearly: Recurrence(frequency: .yearly, monthDays: [date.day], month: date.month).rule
    }
  }
}

extension CardEdits {
  /// The repetition of a frame that these edits were applied to: the one that was chosen, else `rule` as it was. Another hour leaves
  /// that as it is; another day is not among its days.
  package func recurrence(_ rule: String?, of frame: Frame, before: Frame) -> String? {
    guard let start = Card(frame).start.flatMap(Civil.parse) else { return nil }
    if let repeats { return repeats.rule(from: Civil.floorDiv(start, Civil.secondsPerDay)) }
    return Card(frame).start?.prefix(10) == Card(before).start?.prefix(10) ? rule : nil
  }

  /// The same in the place of what was done before, with the rule in force there. A day that is none of its days is refused: what
  /// repeats is not made to ring once without a word.
  package func recurrence(_ rule: String?, of frame: Frame) throws -> String? {
    guard repeats == nil, let rule, !rule.isEmpty else { return recurrence(nil, of: frame, before: frame) }
    guard let start = Card(frame).start.flatMap(Civil.parse), let repetition = Recurrence(rule),
      Recurrence.isOurs(rule), repetition.falls(on: Civil.floorDiv(start, Civil.secondsPerDay))
    else { throw CommandError.otherDay }
    return rule
  }
}

extension Recurrence {
  /// A rule that stood in a file goes into a calendar as it is, so it has no sign that ours have not.
  static func isOurs(_ rule: String) -> Bool {
    rule.utf8.count <= 200
      && rule.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || ",-;=".utf8.contains($0) }
  }
}
