import Commands
import Core
import Foundation
import Inference
import Models
import Resources

/// Who acts: from words to action, by what is understood, decided and done.
actor Acting {
  private let files: ActionFiles
  private let ringing: Ringing
  private let packs: PackStore
  private let models: LoadedPacks
  private let settings: CurrentSettings
  private let governor: Governor
  /// The table that understands commands, once it has been read.
  private var intents: IntentModel?

  init(
    _ files: ActionFiles, _ ringing: Ringing, _ packs: PackStore, _ models: LoadedPacks, _ settings: CurrentSettings,
    _ governor: Governor
  ) {
    (self.files, self.ringing, self.packs) = (files, ringing, packs)
    (self.models, self.settings, self.governor) = (models, settings, governor)
  }

  private func understander() throws -> Understander {
    let model = try intents ?? IntentModel.bundled()
    intents = model
    var understander = Understander(model: model)
    understander.lengths = try files.rules.lengths()
    understander.sendsUnasked = settings.now.sendsUnasked
    return understander
  }

  /// With the second opinion where the embedding pack that it tunes is installed; why not, stands in the explanation.
  func understand(_ text: String, with resolver: TimeResolver, recognition: Double?) async throws
    -> Understanding
  {
    if let told = try await entryTime(text, resolver) {
      let understood = try await understand(inOrder: told.text, with: resolver, recognition: recognition)
      // "How many days before the trip may I cancel?" is asked of the documents.
      if understood.frame.intent != .none { return told.asSaid(understood) }
    }
    return try await understand(inOrder: text, with: resolver, recognition: recognition)
  }

  /// "An hour before the dentist": when that is, the calendar tells.
  private func entryTime(_ text: String, _ resolver: TimeResolver) async throws -> EntryTime? {
    guard EntryTime.mayTell(text) else { return nil }
    let agenda = try await Agenda.read(
      files.places, from: Date(), until: Date().addingTimeInterval(Self.farthest), zone: .current, by: files.reader)
    return EntryTime(text, among: agenda.items.filter { $0.kind != .note }, with: resolver)
  }

  private func understand(inOrder text: String, with resolver: TimeResolver, recognition: Double?) async throws
    -> Understanding
  {
    let sequel = Sequel(text, with: resolver)
    let first = try await understand(alone: sequel.first, with: resolver, recognition: recognition)
    guard sequel.second != nil else { return first }
    guard sequel.follows(first.frame) else {
      return try await understand(alone: text, with: resolver, recognition: recognition)
    }
    var result = first
    result.rest = sequel.rest(after: first.frame, with: resolver)
    if let rest = result.rest { result.explanation.append("then: \(rest)") }
    return result
  }

  private func understand(alone text: String, with resolver: TimeResolver, recognition: Double?) async throws
    -> Understanding
  {
    let understander = try understander()
    var reading: EncoderReading?
    var reason: String?
    do {
      reading = try await read(EncoderReader.words(text).map(\.text), for: understander)
    } catch let error as CancellationError {
      throw error
    } catch { reason = RemoteError(error).message }
    var result = understander.understand(
      text, with: resolver, recognition: recognition, reading: reading, isForeign: QuestionLanguage.isForeign(text))
    if let reason { result.explanation.append("no second opinion: \(reason)") }
    return result
  }

  private func read(_ words: [String], for understander: Understander) async throws -> EncoderReading? {
    guard let reader = understander.model.reader else { return nil }
    let id = IntentModel.encoderPack
    let status = try packs.status(of: id)
    guard status.installed != nil else { throw PackError.notInstalled(id) }
    let model = try await models.model(status, limits: governor.limits(.fast))
    let cores = await model.info?.threads ?? 1
    // A person waits for it before any answer, and a recording that is read meanwhile may take an hour.
    let vectors = try await models.computing("a command", on: id, .person, cores: cores) {
      try await model.read([words])
    }
    return vectors.first.flatMap { rows in reader.reading((0..<rows.count).map { rows[$0] }) }
  }

  func perform(_ input: Perform.Input) async throws -> Perform.Event {
    try Folders.make(files.folder)
    let resolver = TimeResolver(reference: Date(), english: .init(locale: Locale.current.identifier))
    let understood =
      if let answer = try await answerToAlarm(input) { answer } else {
        try await understand(input.text, with: resolver, recognition: input.recognition)
      }
    var frame = understood.frame
    var recurrence = understood.recurrence
    if let edits = input.edits {
      frame = try edits.applied(to: frame, alternatives: understood.alternatives)
      recurrence = try await self.recurrence(edits, of: frame, understood, inPlaceOf: input.replaces)
    }
    let shown = Understand.Event(understood, ms: 0)
    var event = Perform.Event(
      decision: understood.decision, frame: frame.json,
      card: Card(frame, recurrence: recurrence, emailFrom: understood.emailFrom, marks: understood.marks),
      alternatives: shown.alternatives, alternativeCards: shown.alternativeCards, explanation: understood.explanation,
      notices: [], rest: understood.rest)
    // "Shorten this: please call Ann": what is asked for in a text that is to be changed is not asked of us.
    let isMaterial = !input.confirmed && input.edits == nil && TurnRecognition.isChangeOfGivenText(input.text)
    let isWanted = understood.decision == .act && input.onlyShow != true && !isMaterial || input.confirmed
    if frame.intent == .showAlarms || isWanted && frame.intent == .stopAlarm {
      try await settleAlarms(frame, input, &event)
    } else if isWanted, frame.intent != .none {
      try await carryOut(frame, recurrence, understood, input, &event)
    } else if let topic = understood.topic, !isMaterial {
      let span = understood.span(with: resolver)
      event.agenda = try await agenda(topic, understood, span)
      if event.agenda != nil {
        event.topic = topic
        event.span = topic == .change ? nil : span.map { Card.Span($0, zone: resolver.zone) }
      }
    }
    // What was typed and is only guessed to be a command is a question, unless its first words ask.
    let isAskedFor =
      frame.intent == .none
      ? event.agenda != nil : understood.decision != .ask || input.recognition != nil || understood.isAskedFor
    event.isCommand = isAskedFor && !isMaterial
    // Questions that are asked of the assistant are no commands, and are kept with their conversations alone.
    let isHeard = frame.intent != .none || event.agenda != nil || understood.veto != nil && understood.decision != .none
    guard isHeard, !isMaterial else { return event }
    try files.history.add(
      Heard(
        at: Date(), text: input.text, recognition: input.recognition, frame: frame.json, decision: understood.decision,
        confirmed: input.confirmed, action: event.action?.id, explanation: understood.explanation,
        conversation: input.conversation))
    return event
  }

  private func carryOut(
    _ frame: Frame, _ recurrence: String?, _ understood: Understanding, _ input: Perform.Input,
    _ event: inout Perform.Event
  ) async throws {
    let action = try await files.doer.perform(
      frame, recurrence: recurrence, emailFrom: understood.emailFrom, emailAbout: understood.emailAbout,
      heard: input.text, replacing: input.replaces, id: input.id)
    event.action = action
    if let remark = action.reason { event.notices.append(remark) }
    let isTimed = frame.slots.datetimePoint != nil || frame.slots.datetimeRange != nil
    if action.intent.form.rings, isTimed, await !ringing.isOn {
      event.notices.append(UserService.isInstalled ? Texts.ringsWhenServing : Texts.nothingRings)
    }
    if action.state == .waiting, await !ringing.isOn { event.notices.append(Texts.sendsWhenServing) }
    if let edits = input.edits {
      // It is done by now: what cannot be kept for the next time is no fault of it.
      do {
        if let rule = try files.rules.learn(from: understood.frame, corrected: frame, edits) {
          event.notices.append("From now on \(rule.word) takes \(rule.minutes) minutes.")
        }
      } catch { event.notices.append("Its length is not kept for the next time: \(RemoteError(error).message)") }
    }
    ringing.wake()
  }

  private func recurrence(
    _ edits: CardEdits, of frame: Frame, _ understood: Understanding, inPlaceOf replaced: String?
  ) async throws -> String? {
    guard let replaced else { return edits.recurrence(understood.recurrence, of: frame, before: understood.frame) }
    // What earlier versions have written does not tell its rule; the words do.
    let rule = try await files.doer.standing(replaced).recurrence ?? understood.recurrence
    return try edits.recurrence(rule, of: frame)
  }

  // MARK: Alarms and timers that are set

  /// "Stop" and "snooze" are enough while something rings; at other times they are no command.
  private func answerToAlarm(_ input: Perform.Input) async throws -> Understanding? {
    guard input.recognition ?? 1 >= Gate().heardFrom, let answer = Understanding(answeringAlarm: input.text),
      try await ringing.standing().contains(where: { $0.alarm != nil && $0.state == .due && $0.missed != true })
    else { return nil }
    return answer
  }

  private func settleAlarms(_ frame: Frame, _ input: Perform.Input, _ event: inout Perform.Event) async throws {
    let standing = try await ringing.standing().filter { $0.alarm != nil }
    let found = AlarmChoice(frame, among: standing)
    if frame.intent == .showAlarms || found.isUnclear {
      event.alarms = found.rings
      if found.isUnclear { event.decision = .ask }
      return
    }
    let minutes = frame.slots.durationMinutes
    for ring in found.rings where minutes != nil || ring.state == .due {
      _ = try await ringing.settle(ring.id, snoozeMinutes: minutes.map(Double.init))
    }
    let names = found.rings.map { ring in
      "\(ring.name), \((ring.again ?? ring.due).formatted(date: .omitted, time: .shortened))"
    }.joined(separator: "; ")
    event.action = try await files.doer.stop(
      minutes == nil ? found.rings.filter { $0.state != .due }.map(\.action) : [],
      summary: minutes.map { "Put off by \($0) min: \(names)" } ?? "Stopped: \(names)", heard: input.text,
      frame: frame, id: input.id)
    ringing.wake()
  }

  // MARK: The calendar

  /// How far ahead something is looked for by its name, in seconds.
  private static let farthest = 366.0 * 86_400
  /// What repeats is called the same every time; the next few are what is asked for.
  private static let mostCalled = 3

  /// What a question about the calendar, or a wish to change it, is about: the times it names, else the coming week.
  private func agenda(_ topic: Understanding.Topic, _ understood: Understanding, _ span: Range<Date>?) async throws
    -> [AgendaItem]?
  {
    func items(_ span: Range<Date>?, days: Double? = nil) async throws -> [AgendaItem] {
      let start = span?.lowerBound ?? Calendar.current.startOfDay(for: Date())
      let end = span?.upperBound ?? start.addingTimeInterval((days ?? (topic == .question ? 7 : 31)) * 86_400)
      return try await Agenda.read(
        files.places, from: start, until: end, zone: .current, openTasks: span == nil, by: files.reader
      ).items
    }
    // "Cancel the call with Ann" is not about lunch with her.
    func named(_ items: [AgendaItem]) -> [AgendaItem] {
      let most = items.map { understood.words(of: $0.title) }.max() ?? 0
      return most == 0 ? [] : items.filter { understood.words(of: $0.title) == most }
    }
    // "When is my dentist appointment" looks far ahead, and where none stands in the calendar a document may tell.
    if !understood.called.isEmpty {
      let named = try await items(span, days: Self.farthest / 86_400).filter {
        $0.kind != .note && understood.calls($0.title)
      }
      return named.isEmpty ? nil : Array(named.prefix(Self.mostCalled))
    }
    let all = try await items(span)
    let notes = all.filter { $0.kind == .note }
    var found = all.filter { $0.kind != .note }
    if case let items = named(found), !items.isEmpty {
      found = items
    } else if topic == .question, understood.asksByName {
      return nil
    } else if topic == .change {
      // "Move the dentist to Friday": Friday is where it goes, not where it stands.
      let elsewhere = named(try await items(nil).filter { $0.kind != .note })
      if elsewhere.isEmpty, !understood.speaksOfCalendar { return nil }
      if !elsewhere.isEmpty { found = elsewhere }
    }
    let ours = Dictionary(
      try files.journal.records().compactMap { record in
        record.state == .done ? record.file.map { ($0, record.id) } : nil
      },
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
      files.places, allowed: settings.now.connectors, home: URL.homeDirectory)
  }
}

/// Words that a person reads.
enum Texts {
  static let nothingRings =
    "Nothing runs that would ring or remind you: start \"libera serve\", or \"libera service install\" once and for all."
  static let ringsWhenServing = "The service is installed but not running now; it reminds you when it runs again."
  static let sendsWhenServing = "It goes when \"libera serve\" runs; until then \"libera actions undo\" takes it back."
}
