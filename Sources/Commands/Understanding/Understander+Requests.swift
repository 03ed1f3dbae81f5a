extension Understander {
  /// A larger share of the lines in Tests/CommandsTests/RequestTests.swift was right before anything was mended for them.
  private static let requested = 0.9

  /// A command, or a question about the calendar, that a table tells. Whatever it is, the person is asked before it is done.
  func request(_ utterance: ParsedUtterance, _ recognition: Double?) -> Understanding? {
    guard let found = RequestReading.best(utterance.phrasing, utterance.resolver) else { return nil }
    let confidence = gate.confidence(understanding: Self.requested, recognition: recognition)
    var frame = Frame.nothing(confidence: confidence)
    var topic: Understanding.Topic?
    var explanation = "no opening words"
    switch found.meaning {
    case .command(let intent):
      frame = Frame(
        intent: intent, slots: found.slots,
        policy: Frame.Policy(needsConfirmation: true, confidence: confidence))
      explanation = "opening words \(intent.rawValue)"
    case .topic(let about): topic = about
    }
    var marks = found.timing.spans.map { Card.Mark(start: $0.lowerBound, end: $0.upperBound, kind: .time) }
    if !found.asking.isEmpty {
      marks.append(Card.Mark(start: found.asking.lowerBound, end: found.asking.upperBound, kind: .asking))
    }
    var understanding = Understanding(
      frame: frame, recurrence: frame.intent.form.isTimed ? found.timing.rrule : nil, emailFrom: found.emailFrom,
      decision: gate.decide(frame, recognition: recognition), alternatives: [], veto: nil, explanation: [explanation],
      emailAbout: nil, topic: topic, isAskedFor: frame.intent != .none, speaksOfCalendar: found.speaksOfCalendar,
      marks: frame.intent == .none ? [] : marks.sorted { $0.start < $1.start }, times: found.times,
      words: utterance.words)
    understanding.called = found.called
    return understanding
  }
}
