import Core
import Foundation

/// From words to a frame and a decision: the classifier and the rules must agree before anything is done unasked.
package struct Understander: Sendable {
  package var model: IntentModel
  package var gate = Gate()
  /// Words that the person's corrections gave a length: "lunch" is 60 minutes.
  package var lengths: [String: Int] = [:]
  /// Mail is sent without asking only where the person said so.
  package var sendsUnasked = false

  package init(model: IntentModel) { self.model = model }

  /// `reading` is what the tuned encoder makes of the text, for the second opinion; without it the prior stands alone. `isForeign`:
  /// the text is not English, the one language that the classifiers read.
  package func understand(
    _ text: String, with resolver: TimeResolver, recognition: Double? = nil, reading: EncoderReading? = nil,
    isForeign: Bool = false
  ) -> Understanding {
    let utterance = ParsedUtterance(text, resolver, reading: reading)
    if let alarm = alarm(utterance, recognition) { return alarm }
    if isForeign || utterance.asked == nil, let request = request(utterance, recognition) { return request }
    let opinions = opinions(utterance)
    let ranked = rank(opinions.fused, utterance)
    let chosen = ranked[0]
    var frame = self.frame(chosen, utterance, opinions, recognition)
    var veto: Veto?
    let isStrange = isForeign && utterance.asked == nil
    let objection = Veto(utterance.phrasing, for: chosen.intent)
    if objection == .change, !isStrange, chosen.intent == .addReminder, utterance.isErrand {
      frame.frame.policy.needsConfirmation = true
    } else if chosen.intent != .none, let reason = isStrange ? .language : objection {
      veto = reason
      frame.frame = .nothing(confidence: 1 - frame.frame.policy.confidence)
      frame.recurrence = nil
      frame.emailFrom = nil
    }
    var alternatives: [Frame] = []
    for other in ranked where other.intent != .none && alternatives.count < 3 {
      if veto == nil, other.intent == chosen.intent { continue }
      guard other.probability > 0.02 || other.byRule else { continue }
      var candidate = self.frame(other, utterance, opinions, recognition).frame
      candidate.policy.needsConfirmation = true
      alternatives.append(candidate)
    }
    var decision = gate.decide(frame.frame, recognition: recognition)
    // A name with its day and its hours is an event, however few others were written so.
    if decision == .ask, chosen.intent == .createEvent, veto == nil, utterance.isTimedEntry, !isUnheard(recognition),
      !frame.frame.policy.needsConfirmation
    {
      decision = .confirm
    }
    // Nothing was understood, and something may well have been meant.
    if frame.frame.intent == .none, veto == nil, ranked.contains(where: { $0.intent != .none && $0.probability > 0.3 })
    {
      decision = .ask
    }
    return Understanding(
      frame: frame.frame, recurrence: frame.recurrence, emailFrom: frame.emailFrom, decision: decision,
      alternatives: alternatives, veto: veto, explanation: explain(opinions, frame, veto, utterance),
      emailAbout: frame.frame.intent == .readEmail ? frame.about : nil,
      topic: frame.frame.intent == .none ? topic(utterance, veto, chosen.intent) : nil,
      isAskedFor: utterance.asked != nil, speaksOfCalendar: utterance.speaksOfCalendar,
      asksByName: utterance.asksByName,
      marks: frame.frame.intent == .none ? [] : marks(frame.frame, frame.timing, utterance),
      times: utterance.times.readings, words: utterance.words)
  }

  private func isUnheard(_ recognition: Double?) -> Bool { recognition.map { $0 < gate.heardFrom } ?? false }

  /// "Move the dentist to Friday" names no calendar, and may yet be about what stands in it.
  private func topic(_ utterance: ParsedUtterance, _ veto: Veto?, _ intent: Intent) -> Understanding.Topic? {
    if veto == .change, intent == .createEvent || intent == .addReminder { return .change }
    let topic = Understanding.Topic(utterance.reading?.label ?? model.label(utterance.features))
    let changes =
      topic == .change && Said.changes.contains(utterance.phrasing.word(utterance.phrasing.body.lowerBound))
    return changes || utterance.speaksOfCalendar ? topic : nil
  }

  /// The words that decided: what asks, what it is about, when.
  private func marks(_ frame: Frame, _ timing: Timing, _ utterance: ParsedUtterance) -> [Card.Mark] {
    var marks = timing.spans.map { Card.Mark(start: $0.lowerBound, end: $0.upperBound, kind: .time) }
    let whole = utterance.phrasing.text
    let texts = [frame.slots.title, frame.slots.emailSubject, frame.slots.emailBody].compactMap(\.self)
    for text in texts + frame.slots.emailTo {
      guard let range = whole.place(of: text) else { continue }
      let start = whole.utf8.distance(from: whole.startIndex, to: range.lowerBound)
      marks.append(Card.Mark(start: start, end: start + text.utf8.count, kind: .text))
    }
    if let asking = utterance.asking,
      !marks.contains(where: { $0.start < asking.upperBound && $0.end > asking.lowerBound })
    {
      marks.append(Card.Mark(start: asking.lowerBound, end: asking.upperBound, kind: .asking))
    }
    return marks.sorted { $0.start < $1.start }
  }

  func opinions(_ utterance: ParsedUtterance) -> Opinions {
    Opinions(prior: model.probabilities(utterance.features), encoder: utterance.reading?.intents)
  }

  struct Candidate {
    var intent: Intent
    var probability: Double
    var byRule: Bool
  }

  /// The intents, likeliest first. A command's opening words count beside the classifier.
  func rank(_ probabilities: [Intent: Double], _ utterance: ParsedUtterance) -> [Candidate] {
    let rule = utterance.asked
    // The encoder knows openings too; beside it they count less.
    let isWhole = utterance.reading == nil || utterance.isListed
    let strength = isWhole ? utterance.strength : utterance.strength.squareRoot()
    return Intent.allCases.filter { !$0.isAlarm }.map { intent in
      let probability = probabilities[intent] ?? 0
      let byRule = intent == rule
      return Candidate(intent: intent, probability: probability, byRule: byRule)
    }.sorted { score($0, strength, utterance) > score($1, strength, utterance) }
  }

  private func score(_ candidate: Candidate, _ strength: Double, _ utterance: ParsedUtterance) -> Double {
    let isEntered = utterance.isEntry && candidate.intent == .createEvent
    if candidate.intent == .none { return candidate.probability * (utterance.reading == nil ? 1 : Self.reserve) }
    return candidate.probability * (candidate.byRule ? strength : isEntered ? Self.entryStrength : 1)
  }

  /// A command that is missed costs more than one that is asked about needlessly: beside the encoder, nothing is understood only
  /// where that is four times as likely. Chosen on half of HWU64, by an encoder that had not seen it.
  private static let reserve = 0.25

  /// Enough to be asked about, where the classifier wavers; the confidence stays what it is.
  private static let entryStrength = 6.0

  private func frame(
    _ candidate: Candidate, _ utterance: ParsedUtterance, _ opinions: Opinions, _ recognition: Double?
  ) -> (frame: Frame, recurrence: String?, emailFrom: String?, about: String?, timing: Timing) {
    let found = utterance.extraction.slots(for: candidate.intent)
    let evidence = IntentEvidence(candidate, opinions, utterance, found)
    let calibration = evidence.isSeconded ? model.calibration : model.calibrationAlone
    let understanding = candidate.intent == .none ? candidate.probability : evidence.probability(calibration)
    let confidence = gate.confidence(understanding: understanding, recognition: recognition)
    var slots = found.slots
    if candidate.intent == .createEvent, slots.durationMinutes == nil, slots.datetimeRange == nil,
      let title = slots.title?.lowercased()
    {
      slots.durationMinutes = lengths.first { title.holds($0.key) }?.value
    }
    let incomplete =
      !candidate.intent.form.needs.allSatisfy(slots.has) || candidate.intent == .sendEmail && !sendsUnasked
    // "If it rains, remind me …": nobody looks whether it does.
    let isConditional = Said.conditions.contains(utterance.phrasing.word(utterance.phrasing.body.lowerBound))
    let isUnsure =
      ![.readEmail, .none].contains(candidate.intent)
      && (found.timing.hasRivals || found.timing.isRough
        || candidate.intent == .createEvent
          && (found.timing.isVague || found.timing.isBound || found.timing.isPartOfDay)
        || found.timing.isPast(at: utterance.resolver.now) || isConditional
        || utterance.extraction.leavesOver(found, candidate.intent))
    let policy = Frame.Policy(needsConfirmation: incomplete || isUnsure, confidence: confidence)
    return (
      Frame(intent: candidate.intent, slots: slots, policy: policy), found.recurrence, found.emailFrom,
      found.emailAbout, found.timing
    )
  }

  private func explain(
    _ opinions: Opinions,
    _ frame: (frame: Frame, recurrence: String?, emailFrom: String?, about: String?, timing: Timing), _ veto: Veto?,
    _ utterance: ParsedUtterance
  ) -> [String] {
    func best(_ name: String, _ opinion: [Intent: Double]) -> String? {
      opinion.max { $0.value < $1.value }.map { "\(name) \($0.key.rawValue) \(($0.value * 1000).rounded() / 1000)" }
    }
    var lines = [best("classifier", opinions.prior), opinions.encoder.flatMap { best("encoder", $0) }].compactMap(
      \.self)
    lines.append(utterance.asked.map { "opening words \($0.rawValue)" } ?? "no opening words")
    if let veto { lines.append("declined: \(veto.rawValue)") }
    for span in frame.timing.spans { lines.append("time \"\(utterance.text(span))\"") }
    if !utterance.times.unexplained.isEmpty {
      lines.append("unexplained: " + utterance.times.unexplained.joined(separator: ", "))
    }
    return lines
  }
}

/// An utterance taken apart once, for all who look at it.
package struct ParsedUtterance: Sendable {
  let phrasing: Phrasing
  let times: TimeResult
  let features: [Int]
  let resolver: TimeResolver
  /// What the encoder reads in it, where it was asked.
  let reading: EncoderReading?
  /// What its opening words ask for, and where they stand.
  let asked: Intent?
  let asking: Range<Int>?
  /// How much the opening counts beside the classifier: several words more than one that is a noun as well.
  let strength: Double
  /// It reads as a line of a calendar, which nothing asks to be entered.
  let isEntry: Bool
  /// One with its day and its hours.
  let isTimedEntry: Bool

  /// Nobody says more than this in one command; what is longer is a document and is judged by its beginning.
  static func bounded(_ text: String) -> String { text.utf8.count > 4000 ? String(text.prefix(2000)) : text }

  package init(_ text: String, _ resolver: TimeResolver, reading: EncoderReading? = nil) {
    let text = Self.bounded(text)
    self.reading = reading
    phrasing = Phrasing(text)
    times = resolver.readings(in: text)
    features = Features.extract(phrasing.tokens, times.readings)
    self.resolver = resolver
    (asked, strength) = Self.asked(phrasing, times)
    let entered = asked == nil ? Self.entered(phrasing, times) : nil
    isEntry = entered != nil
    // "The shop is open from ten to four on Sunday" may only tell.
    let (tokens, body) = (phrasing.tokens, phrasing.body)
    let tells = tokens[body].contains { $0.words.contains(.isBeing) }
    isTimedEntry = !tells && entered.map { $0.hasDate && $0.hasClock } ?? false
    asking =
      phrasing.body.lazy.compactMap { start in
        CommandWords.asked(tokens, at: start).map { tokens[start].start..<tokens[$0.end - 1].end }
      }.first
  }

  package var featureIndices: [Int] { features }
  var extraction: Extraction { Extraction(phrasing: phrasing, times: times, resolver: resolver, reading: reading) }

  /// A question about a lease is not one about the calendar, however alike they sound: it names what stands in one, or asks what
  /// the person has to do at some time.
  var speaksOfCalendar: Bool {
    words.contains { Said.calendarThings.contains($0) }
      || times.readings.contains { $0.kind == .point || $0.kind == .range || $0.isCounted }
        && phrasing.find(.calendarQuestions, from: phrasing.body.lowerBound) != nil
  }

  /// "What are the intervals in the short schedule?" names neither a person's own nor a time, and is about something else as well.
  var asksByName: Bool {
    times.readings.isEmpty && !phrasing.tokens.contains { Said.ownPerson.contains($0.text) }
      && phrasing.tokens.contains {
        $0.kind == .word && !Said.calendarPlain.contains($0.text) && !Said.calendarThings.contains($0.stem)
      }
  }

  /// "Take the cake out in forty minutes" begins as what changes an entry does. The encoder tells them apart, but not for certain.
  var isErrand: Bool { reading?.label == Intent.addReminder.rawValue && !speaksOfCalendar }

  var words: Set<String> { Set(phrasing.tokens.filter { $0.kind == .word && $0.text.count > 2 }.map(\.stem)) }

  func text(_ span: Range<Int>) -> String { String(decoding: phrasing.bytes[span], as: UTF8.self) }

  private static func asked(_ phrasing: Phrasing, _ times: TimeResult) -> (Intent?, Double) {
    let body = phrasing.body
    guard !body.isEmpty else { return (nil, 1) }
    func strength(_ start: Int, _ end: Int) -> Double {
      if end - start > 2 { return 60 }
      if end - start > 1 { return phrasing.word(start) == "remind" ? 200 : 30 }
      return phrasing.word(start) == "schedule" ? 10 : 3
    }
    if let hit = CommandWords.asked(phrasing.tokens, at: body.lowerBound) {
      return (hit.payload, strength(body.lowerBound, hit.end))
    }
    // A time may come first: "tomorrow at nine remind me to …".
    var start = body.lowerBound
    if let lead = times.readings.first(where: { $0.start == phrasing.tokens[start].start }),
      let after = body.first(where: { phrasing.tokens[$0].start >= lead.end })
    {
      start = after
      if let hit = CommandWords.asked(phrasing.tokens, at: start) {
        return (hit.payload, strength(start, hit.end))
      }
    }
    return asked(phrasing, from: start)
  }

  /// When it is, of "vacation from December 20 to December 31": a name, from when and until when, as people write it down.
  private static func entered(_ phrasing: Phrasing, _ times: TimeResult) -> TimeReading? {
    let allDay = Language.all.first?.plain[.allDay]
    let isAllDay = phrasing.body.contains { allDay?.longest(phrasing.tokens, at: $0) != nil }
    let said = times.readings.filter {
      ($0.kind == .range || $0.rrule != nil || isAllDay && $0.hasDate) && $0.open == nil && !$0.isDeadline
    }
    let first = phrasing.word(phrasing.body.lowerBound)
    guard let time = said.max(by: { $0.text.utf8.count < $1.text.utf8.count }), !time.isRough,
      ![Said.questions, .changes, .subjects, .negations].contains(where: { $0.contains(first) })
    else { return nil }
    let rest = phrasing.body.filter { phrasing.tokens[$0].end <= time.start || phrasing.tokens[$0].start >= time.end }
    let words = rest.count { phrasing.tokens[$0].kind == .word }
    let isName =
      ((1...4).contains(words) || words == 0 && phrasing.meal(in: time.start..<time.end) != nil)
      && !rest.contains { Said.reporters.contains(phrasing.word($0)) }
    return isName ? time : nil
  }

  /// Who names the list of tasks means it, whatever else the words look like; how sure that is stays what it is, so it is asked.
  private static let listed = 1e9
  var isListed: Bool { strength >= Self.listed }

  /// What verb and things ask for together, where no opening stands.
  private static func asked(_ phrasing: Phrasing, from start: Int) -> (Intent?, Double) {
    let body = phrasing.body
    let words = (start..<body.upperBound).map { phrasing.tokens[$0].stem }
    if Said.enters.contains(words[0]) {
      if words.contains(where: Said.calendars.contains) { return (.createEvent, 6) }
      if phrasing.find(.taskLists, from: start) != nil { return (.addReminder, Self.listed) }
      if phrasing.find(.tasks, from: start) != nil { return (.addReminder, 6) }
    }
    // "What did Helen write to me"
    if words.count > 4, words[0] == "what", words[1] == "did", words[2] != "i", words.contains("me"),
      words.contains(where: { $0 == "write" || Said.mailWords.contains($0) })
    {
      return (.readEmail, 4)
    }
    // "Did Anna reply to my email" is about what is in the mailbox.
    if Said.mailQuestions.contains(words[0]), words.contains(where: Said.mailbox.contains),
      !words.contains(where: { ["addres", "address", "send"].contains($0) })
    {
      return (.readEmail, 4)
    }
    if words.count > 2, Said.sendsMail.contains(words[0]), words.contains(where: Said.mailWords.contains) {
      return (.sendEmail, 4)
    }
    if let at = phrasing.find(["remind", "me"], from: body.lowerBound),
      at + 2 >= body.upperBound || phrasing.word(at + 2) == "to"
    {
      return (.addReminder, 6)
    }
    return (nil, 1)
  }
}
