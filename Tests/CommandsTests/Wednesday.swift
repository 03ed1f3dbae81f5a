import Documents
import Foundation
import TestSupport
import Testing

@testable import Commands

/// The moment that the tests speak at: Wednesday 10 June 2026, half past nine in Berlin.
struct Wednesday {
  static let moment = Date(timeIntervalSince1970: 1_781_076_600)
  /// Read once for all tests. The classifier stands alone, without the encoder.
  private static let model = Result { try IntentModel.bundled() }

  let understander: Understander
  let resolver: TimeResolver

  init() throws {
    understander = Understander(model: try Self.model.get())
    resolver = try TimeResolver.wednesday()
  }

  func understood(_ text: String, isForeign: Bool = false, reading: EncoderReading? = nil) -> Understanding {
    understander.understand(text, with: resolver, reading: reading, isForeign: isForeign)
  }

  /// What is asked, in one line: the kind, when, how often, and the texts.
  func line(_ text: String, isForeign: Bool = true) -> String {
    let result = understood(text, isForeign: isForeign)
    if let topic = result.topic, result.frame.intent == .none { return topic.rawValue }
    let slots = result.frame.slots
    let what =
      switch result.frame.intent {
      case .addReminder: "reminder"
      case .createEvent: "event"
      case .createNote: "note"
      case .sendEmail: "mail"
      case .readEmail: "inbox"
      case .setAlarm, .stopAlarm, .showAlarms: "alarm"
      case .none: "-"
      }
    let when = (slots.datetimePoint ?? slots.datetimeRange)?.replacing("2026-", with: "").replacing(":00:00", with: "h")
    let texts = [
      slots.title, slots.emailTo.isEmpty ? nil : slots.emailTo.joined(separator: ", "),
      slots.emailSubject.map { "(\($0))" }, slots.emailBody.map { "«\($0)»" }, result.emailFrom.map { "from \($0)" },
    ]
    return ([what, when, result.recurrence] + texts).compactMap(\.self).joined(separator: " ")
  }
}

extension TimeResolver {
  static func wednesday(in zone: String = "Europe/Berlin") throws -> TimeResolver {
    let zone = try #require(TimeZone(identifier: zone))
    return try #require(TimeResolver(local: "2026-06-10T09:30:00", zone: zone))
  }
}

/// What is read of a text on Wednesday, the likeliest first.
func readings(_ text: String) throws -> [TimeReading] { try TimeResolver.wednesday().readings(in: text).readings }

extension Frame {
  init(_ intent: Intent, confidence: Double = 1, _ fill: (inout Slots) -> Void = { _ in }) {
    var slots = Slots()
    fill(&slots)
    self.init(
      intent: intent, slots: slots, policy: Policy(needsConfirmation: confidence < 1, confidence: confidence))
  }
}

/// Where actions of a test land, on Wednesday in Berlin.
struct Landing {
  private let scratch: Scratch
  var folder: URL { scratch.folder }
  let places: Places
  let journal: FileJournal
  let zone: TimeZone
  let reader = ForeignFiles(ParseDesk())

  init() throws {
    scratch = try Scratch("landing")
    zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let folder = scratch.folder
    places = Places(
      calendar: folder.appending(path: "calendar"), tasks: folder.appending(path: "tasks"),
      notes: folder.appending(path: "notes"), mail: folder.appending(path: "mail"), sender: "me@example.org")
    journal = FileJournal(folder.appending(path: "actions.jsonl"))
  }

  func doer(_ places: Places? = nil, at moment: Date = Wednesday.moment) -> ActionRunner {
    ActionRunner(places: places ?? self.places, journal: journal, zone: zone, reader: reader, clock: { moment })
  }
}
