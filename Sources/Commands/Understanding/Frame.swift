/// What a person can have done by saying it.
package enum Intent: String, Sendable, Codable, CaseIterable {
  case createEvent = "create_event"
  case addReminder = "add_reminder"
  case createNote = "create_note"
  case readEmail = "read_email"
  case sendEmail = "send_email"
  case none
}

/// What an utterance asks for, in the shape that `frame.gbnf` fixes. Times come only from the resolver, texts only from the
/// utterance.
package struct Frame: Sendable, Equatable {
  package var intent: Intent
  package var slots: Slots
  package var policy: Policy

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

    package init() {}

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
    var parts: [String] = []
    func add(_ key: String, _ value: String?) {
      if let value, let text = Self.quoted(value) { parts.append("\"\(key)\":\(text)") }
    }
    switch intent {
    case .none: break
    case .createEvent, .addReminder:
      add("title", slots.title)
      addTime(&parts)
      if let minutes = slots.durationMinutes, minutes > 0 { parts.append("\"duration_min\":\(minutes)") }
    case .createNote: add("title", slots.title)
    case .readEmail: addTime(&parts)
    case .sendEmail:
      let recipients = slots.emailTo.compactMap(Self.quoted)
      if !recipients.isEmpty { parts.append("\"email_to\":[\(recipients.joined(separator: ","))]") }
      add("email_subject", slots.emailSubject)
      add("email_body", slots.emailBody)
    }
    let confidence = Int((min(1, max(0, policy.confidence.isFinite ? policy.confidence : 0)) * 1000).rounded(.down))
    let digits = String(confidence % 1000)
    let number = confidence == 1000 ? "1.000" : "0." + String(repeating: "0", count: 3 - digits.count) + digits
    return "{\"intent\":\"\(intent.rawValue)\",\"slots\":{\(parts.joined(separator: ","))},"
      + "\"policy\":{\"needs_confirmation\":\(policy.needsConfirmation),\"confidence\":\(number)}}"
  }

  private func addTime(_ parts: inout [String]) {
    if let point = slots.datetimePoint {
      parts.append("\"datetime_point\":\"\(point)\"")
    } else if let range = slots.datetimeRange {
      parts.append("\"datetime_range\":\"\(range)\"")
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
