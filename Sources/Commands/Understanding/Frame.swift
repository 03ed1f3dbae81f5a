import Core

/// What an utterance asks for, in the shape that `docs/frame.gbnf` fixes. Times come only from the resolver, texts only from the
/// utterance.
package struct Frame: Sendable, Equatable {
  package var intent: Intent
  package var slots: Slots
  package var policy: Policy

  enum Slot: Sendable { case title, time, minutes, to, subject, body, alarm, seconds, all }

  package struct Slots: Sendable, Equatable {
    package var title: String?
    /// Local ISO 8601 to the second.
    package var datetimePoint: String?
    /// `start/end`; the end is the moment the speaker named.
    package var datetimeRange: String?
    package var durationMinutes: Int?
    package var emailTo: [String] = []
    package var emailSubject: String?
    package var emailBody: String?
    package var alarm: AlarmKind?
    /// How long a timer runs.
    package var seconds: Int?
    /// Every alarm or timer is meant.
    package var all = false

    package init() {}

    func has(_ slot: Slot) -> Bool {
      switch slot {
      case .title: title != nil
      case .time: datetimePoint != nil || datetimeRange != nil
      case .minutes: durationMinutes != nil
      case .to: !emailTo.isEmpty
      case .subject: emailSubject != nil
      case .body: emailBody != nil
      case .alarm: alarm != nil
      case .seconds: seconds != nil
      case .all: all
      }
    }

    /// When it is entered, in local seconds. A part of the day is hours in which people are awake: "tomorrow morning" begins at
    /// nine and not at midnight, and lasts no longer than was said.
    var landing: (start: Int, end: Int?)? {
      guard let range = datetimeRange else { return datetimePoint.flatMap(Civil.parse).map { ($0, nil) } }
      let ends = range.split(separator: "/").compactMap { Civil.parse(String($0)) }
      guard ends.count == 2, ends[0] < ends[1] else { return nil }
      let day = Civil.secondsPerDay
      guard ends[0] % day == 0, ends[1] - ends[0] < day else { return (ends[0], ends[1]) }
      let start = ends[0] + (ends[1] - ends[0] > 9 * 3600 ? 9 : 6) * 3600
      let said = durationMinutes.map { start + min($0, 1440) * 60 }
      return (start, start < ends[1] ? min(said ?? ends[1], ends[1]) : ends[1])
    }
  }

  package struct Policy: Sendable, Equatable {
    package var needsConfirmation: Bool
    package var confidence: Double
  }

  package static func nothing(confidence: Double) -> Frame {
    Frame(intent: .none, slots: Slots(), policy: Policy(needsConfirmation: false, confidence: confidence))
  }

  /// The frame as JSON with keys in the grammar's order.
  package var json: String {
    let parts = intent.form.slots.compactMap(written)
    let confidence = Int((min(1, max(0, policy.confidence.isFinite ? policy.confidence : 0)) * 1000).rounded(.down))
    let digits = String(confidence % 1000)
    let number = confidence == 1000 ? "1.000" : "0." + String(repeating: "0", count: 3 - digits.count) + digits
    return "{\"intent\":\"\(intent.rawValue)\",\"slots\":{\(parts.joined(separator: ","))},"
      + "\"policy\":{\"needs_confirmation\":\(policy.needsConfirmation),\"confidence\":\(number)}}"
  }

  private func written(_ slot: Slot) -> String? {
    func text(_ key: String, _ value: String?) -> String? { value.flatMap(Self.quoted).map { "\"\(key)\":\($0)" } }
    func number(_ key: String, _ value: Int?) -> String? {
      value.flatMap { $0 > 0 ? "\"\(key)\":\($0)" : nil }
    }
    switch slot {
    case .title: return text("title", slots.title)
    case .time: return text("datetime_point", slots.datetimePoint) ?? text("datetime_range", slots.datetimeRange)
    case .minutes: return number("duration_min", slots.durationMinutes)
    case .to:
      let recipients = slots.emailTo.compactMap(Self.quoted)
      return recipients.isEmpty ? nil : "\"email_to\":[\(recipients.joined(separator: ","))]"
    case .subject: return text("email_subject", slots.emailSubject)
    case .body: return text("email_body", slots.emailBody)
    case .alarm: return text("alarm", slots.alarm?.rawValue)
    case .seconds: return number("duration_s", slots.seconds)
    case .all: return slots.all ? "\"all\":true" : nil
    }
  }

  /// A JSON string without control characters; nil when nothing is left to say.
  private static func quoted(_ text: String) -> String? {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      default: if scalar.value >= 0x20, scalar.value != 0x7F { result.unicodeScalars.append(scalar) }
      }
    }
    return result.isEmpty ? nil : "\"\(result)\""
  }
}
