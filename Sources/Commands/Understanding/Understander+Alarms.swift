import Core

extension Understander {
  /// How often what is understood as a whole is right, and what the classifiers hear in words that are not
  /// (Tests/CommandsTests/AlarmTests.swift counts both).
  private static let whole = 0.97
  private static let heard = 0.82

  /// What an utterance asks of alarms and timers. The grammar decides alone where it explains every word; where it does not, the
  /// classifiers must hear an alarm and the person is asked. nil: it is about something else.
  func alarm(_ utterance: ParsedUtterance, _ recognition: Double?) -> Understanding? {
    guard let found = AlarmReading.best(utterance.phrasing, utterance.resolver) else { return nil }
    let intent: Intent = found.act == .set ? .setAlarm : found.act == .show ? .showAlarms : .stopAlarm
    if !found.isWhole {
      let likelihood = utterance.reading?.labels["alarm"] ?? model.probability(of: "alarm", utterance.features)
      let first = utterance.phrasing.word(utterance.phrasing.body.lowerBound)
      guard likelihood >= 0.5, utterance.asked == nil, found.act == .set, found.isAsked, found.unexplained <= 2,
        found.point != nil, !found.timing.isPast(at: utterance.resolver.now), !Said.conditions.contains(first),
        Veto(utterance.phrasing, for: .setAlarm) == nil
      else { return nil }
    }
    let slots = slots(found, utterance)
    // "Change the alarm to seven": no further one is wanted.
    if intent == .setAlarm, let name = slots.title?.lowercased(), Said.changes.contains(name) { return nil }
    let timing = found.timing
    let isUnsure =
      intent == .setAlarm
      && (!intent.form.needs.allSatisfy(slots.has) || timing.hasRivals || timing.isRough || timing.isVague
        || timing.isBound && timing.minutes != nil || found.isGuess || timing.range != nil
        || timing.isPast(at: utterance.resolver.now))
    let confidence = gate.confidence(
      understanding: found.isWhole ? Self.whole : Self.heard, recognition: recognition)
    let frame = Frame(
      intent: intent, slots: slots, policy: Frame.Policy(needsConfirmation: isUnsure, confidence: confidence))
    var marks = timing.spans.map { Card.Mark(start: $0.lowerBound, end: $0.upperBound, kind: .time) }
    if let asking = found.asking {
      marks.append(Card.Mark(start: asking.lowerBound, end: asking.upperBound, kind: .asking))
    }
    return Understanding(
      frame: frame, recurrence: intent == .setAlarm ? found.rule : nil, emailFrom: nil,
      decision: gate.decide(frame, recognition: recognition), alternatives: [], veto: nil,
      explanation: ["opening words \(intent.rawValue)"], emailAbout: nil, topic: nil, isAskedFor: true,
      speaksOfCalendar: false,
      marks: marks.sorted { $0.start < $1.start }, times: utterance.times.readings, words: utterance.words)
  }
  private func slots(_ found: AlarmReading, _ utterance: ParsedUtterance) -> Frame.Slots {
    var slots = Frame.Slots()
    slots.alarm = found.kind
    guard found.act != .show else { return slots }
    slots.title = found.title(utterance.phrasing)
    if found.act == .set {
      slots.datetimePoint = found.point
      slots.datetimeRange = found.timing.range
      slots.seconds = found.seconds
    } else {
      slots.all = found.isAll
      slots.datetimePoint = found.seconds == nil ? found.clock.map(Civil.iso) : nil
      if found.act == .snooze { slots.durationMinutes = max(1, (found.seconds ?? 600) / 60) }
    }
    return slots
  }
}

extension Understanding {
  /// What is said to an alarm that rings, where the words name none: "stop", "snooze".
  package init?(answeringAlarm text: String) {
    guard let act = AlarmReading.answer(text) else { return nil }
    var slots = Frame.Slots()
    slots.alarm = .alarm
    slots.durationMinutes = act == .snooze ? 10 : nil
    self.init(
      frame: Frame(intent: .stopAlarm, slots: slots, policy: Frame.Policy(needsConfirmation: false, confidence: 1)),
      decision: .act, alternatives: [], explanation: ["opening words \(Intent.stopAlarm.rawValue)", "an alarm rings"],
      isAskedFor: true, speaksOfCalendar: false, marks: [], times: [], words: [])
  }
}
