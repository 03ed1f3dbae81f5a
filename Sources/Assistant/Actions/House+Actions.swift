package import Commands
import Core
import Foundation
import Inference
import Models
import Resources

/// From words to action: understanding, doing, taking back.
extension House {
  var actionPlaces: Places { Places(folders: folders, settings: settings) }
  package var rules: Rules { Rules(folders.actions.appending(path: "rules.json")) }
  package var history: History { History(folders.actions.appending(path: "history.jsonl")) }
  var journal: FileJournal { FileJournal(folders.actions.appending(path: "journal.jsonl")) }
  var bell: Bell { Bell(folders.actions.appending(path: "rings.jsonl"), journal: journal, reader: foreignFiles) }

  /// One for as long as places stay the same, so that two requests for one action meet in it.
  package func doer() -> Doer {
    let places = actionPlaces
    if let made = doing, made.places == places { return made.doer }
    let doer = Doer(places: places, journal: journal, reader: foreignFiles)
    doing = (places, doer)
    return doer
  }

  func understander() throws -> Understander {
    let model = try intents ?? IntentModel.bundled()
    intents = model
    var understander = Understander(model: model)
    understander.lengths = try rules.lengths()
    understander.sendsUnasked = settings.sendsUnasked
    return understander
  }

  /// With the second opinion where the embedding pack that it tunes is installed; why not, stands in the explanation.
  package func understand(_ text: String, with resolver: TimeResolver, recognition: Double?) async throws
    -> Understanding
  {
    let sequel = Sequel(text)
    let text = sequel.first
    let understander = try understander()
    var reading: EncoderReading?
    var reason: String?
    do {
      reading = try await read(EncoderReader.words(text).map(\.text), for: understander)
    } catch let error as CancellationError {
      throw error
    } catch { reason = RemoteError(error).message }
    var result = understander.understand(text, with: resolver, recognition: recognition, reading: reading)
    result.rest = sequel.rest(after: result.frame, with: resolver)
    if let rest = result.rest { result.explanation.append("then: \(rest)") }
    if let reason { result.explanation.append("no second opinion: \(reason)") }
    return result
  }

  private func read(_ words: [String], for understander: Understander) async throws -> EncoderReading? {
    guard let reader = understander.model.reader else { return nil }
    let id = IntentModel.encoderPack
    let status = try packs.status(of: id)
    guard status.installed != nil else { throw PackError.notInstalled(id) }
    let model = try await model(status, limits: governor.limits(.fast)) { _ in }
    let cores = await model.info?.threads ?? 1
    let vectors = try await computing("a command", on: id, .voice, cores: cores) { try await model.read([words]) }
    return vectors.first.flatMap { rows in reader.reading((0..<rows.count).map { rows[$0] }) }
  }

  func perform(_ input: Perform.Input) async throws -> Perform.Event {
    try Folders.make(folders.actions)
    let resolver = TimeResolver(reference: Date(), english: .init(locale: Locale.current.identifier))
    let understood = try await understand(input.text, with: resolver, recognition: input.recognition)
    var frame = understood.frame
    var recurrence = understood.recurrence
    if let edits = input.edits {
      frame = try edits.applied(to: frame, alternatives: understood.alternatives)
      // Another hour leaves a repetition as it is; another day is not among its days.
      if Card(frame).start?.prefix(10) != Card(understood.frame).start?.prefix(10) { recurrence = nil }
    }
    let shown = Understand.Event(understood, in: input.text, ms: 0)
    var event = Perform.Event(
      decision: understood.decision, frame: frame.json,
      card: Card(frame, recurrence: recurrence, emailFrom: understood.emailFrom, marks: understood.marks),
      alternatives: shown.alternatives, alternativeCards: shown.alternativeCards, explanation: understood.explanation,
      notices: [], rest: understood.rest)
    let isWanted = understood.decision == .act && input.onlyShow != true || input.confirmed
    if isWanted, frame.intent != .none {
      let action = try await doer().perform(
        frame, recurrence: recurrence, emailFrom: understood.emailFrom, emailAbout: understood.emailAbout,
        heard: input.text, id: input.id)
      event.action = action
      if let remark = action.reason { event.notices.append(remark) }
      if action.intent == .addReminder, frame.slots.datetimePoint != nil || frame.slots.datetimeRange != nil, !rings {
        event.notices.append(UserService.isInstalled ? Texts.ringsWhenServing : Texts.nothingRings)
      }
      if action.state == .waiting, !rings { event.notices.append(Texts.sendsWhenServing) }
      if let edits = input.edits, let rule = try rules.learn(from: understood.frame, corrected: frame, edits) {
        event.notices.append("From now on \(rule.word) takes \(rule.minutes) minutes.")
      }
      bellNap.wake()
    } else if let topic = understood.topic {
      let span = understood.span(with: resolver)
      event.agenda = try await agenda(topic, understood, span)
      if event.agenda != nil {
        event.topic = topic
        event.span = topic == .change ? nil : span.map { Card.span($0, zone: resolver.zone) }
      }
    }
    // Questions that are asked of the assistant are no commands, and are kept with their conversations alone.
    guard frame.intent != .none || event.agenda != nil || understood.veto != nil && understood.decision != .none else {
      return event
    }
    try history.add(
      Heard(
        at: Date(), text: input.text, recognition: input.recognition, frame: frame.json, decision: understood.decision,
        confirmed: input.confirmed, action: event.action?.id, explanation: understood.explanation))
    return event
  }

  /// What a question about the calendar, or a wish to change it, is about: the times it names, else the coming week.
  private func agenda(_ topic: Understanding.Topic, _ understood: Understanding, _ span: Range<Date>?) async throws
    -> [AgendaItem]?
  {
    func items(_ span: Range<Date>?) async throws -> [AgendaItem] {
      let start = span?.lowerBound ?? Calendar.current.startOfDay(for: Date())
      let end = span?.upperBound ?? start.addingTimeInterval((topic == .question ? 7 : 31) * 86_400)
      return try await Agenda.read(
        actionPlaces, from: start, until: end, zone: .current, openTasks: span == nil, by: foreignFiles
      ).items
    }
    // "Cancel the call with Ann" is not about lunch with her.
    func named(_ items: [AgendaItem]) -> [AgendaItem] {
      let most = items.map { understood.words(of: $0.title) }.max() ?? 0
      return most == 0 ? [] : items.filter { understood.words(of: $0.title) == most }
    }
    let all = try await items(span)
    let notes = all.filter { $0.kind == .note }
    var found = all.filter { $0.kind != .note }
    if case let items = named(found), !items.isEmpty {
      found = items
    } else if topic == .change {
      // "Move the dentist to Friday": Friday is where it goes, not where it stands.
      let elsewhere = named(try await items(nil).filter { $0.kind != .note })
      if elsewhere.isEmpty, !understood.speaksOfCalendar { return nil }
      if !elsewhere.isEmpty { found = elsewhere }
    }
    let ours = Dictionary(
      try journal.records().compactMap { record in record.state == .done ? record.file.map { ($0, record.id) } : nil },
      uniquingKeysWith: { $1 })
    for index in found.indices { found[index].action = ours[found[index].file] }
    let most = 50
    if found.count > most {
      let more = AgendaItem(kind: .note, title: "\(found.count - most) more: libera agenda shows all of them")
      return Array(found.prefix(most)) + [more] + notes.prefix(most)
    }
    return found + notes.prefix(most)
  }

  func connectorPlaces() -> [ConnectorPlace] {
    ConnectorPlace.all(
      actionPlaces, allowed: settings.connectors, home: FileManager.default.homeDirectoryForCurrentUser)
  }
}

/// Words that a person reads.
enum Texts {
  static let nothingRings =
    "Nothing runs that would remind you: start \"libera serve\", or \"libera service install\" once and for all."
  static let ringsWhenServing = "The service is installed but not running now; it reminds you when it runs again."
  static let sendsWhenServing = "It goes when \"libera serve\" runs; until then \"libera actions undo\" takes it back."
}
