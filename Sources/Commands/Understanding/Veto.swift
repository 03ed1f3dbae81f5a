/// Why an utterance that sounds like a command is not one.
package enum Veto: String, Sendable, Codable {
  /// It asks about something.
  case question
  /// It changes or cancels something that exists.
  case change
  /// It says what somebody did or said.
  case reported
  /// It says not to.
  case negation
  /// A word alone asks for nothing yet.
  case fragment
  /// It is said in a language that the classifiers do not read, and no table tells that it asks for something.
  case language

  init?(_ phrasing: Phrasing, for intent: Intent) {
    guard let veto = Objections(phrasing, intent).veto else { return nil }
    self = veto
  }
}

/// What in an utterance speaks against its being a command.
private struct Objections {
  let phrasing: Phrasing
  let intent: Intent
  let start: Int
  let first: String
  let second: String
  let asked: Intent?
  /// "We have a scan on the 17th, add it": told first, asked for at the end.
  let asksLater: Bool

  init(_ phrasing: Phrasing, _ intent: Intent) {
    self.phrasing = phrasing
    self.intent = intent
    start = phrasing.body.lowerBound
    first = phrasing.word(start)
    second = phrasing.word(start + 1)
    asked = CommandWords.asked(phrasing.tokens, at: start)?.payload
    asksLater = phrasing.find(.asksLater, from: start) != nil
  }

  private func word(_ offset: Int) -> String { phrasing.word(start + offset) }

  private func has(_ words: String...) -> Bool { phrasing.find(words, from: start) != nil }

  /// The first there is.
  var veto: Veto? {
    if phrasing.body.count == 1 { return .fragment }
    if let end = Said.negations.end(phrasing.tokens, at: start) {
      // "Don't let me forget"
      return Said.forgetting.contains(phrasing.word(end)) ? nil : .negation
    }
    if first == "i", Said.negations.end(phrasing.tokens, at: start + 1) != nil, asked != .addReminder {
      return .negation
    }
    if isReported { return .reported }
    if intent == .readEmail { return aboutMail }
    if isQuestion { return .question }
    if isChange { return .change }
    if phrasing.text.hasSuffix("?"), intent != .sendEmail, intent != .createNote, asked == nil { return .question }
    return isStatement ? .reported : nil
  }

  private var isReported: Bool {
    if phrasing.find(.alreadyDone, from: start) != nil { return true }
    if first == "i", Said.past.contains(second), !asksLater { return true }
    return asked == nil && !Said.questions.contains(first) && (1...3).contains { Said.sayers.contains(word($0)) }
  }

  /// Asking about one's mail is what reading it means.
  private var aboutMail: Veto? {
    if Said.mailChanges.contains(first) { return .change }
    // "How often do you check my email", "which did you delete"
    if has("did", "you") || first == "why" || first == "how" && second != "many" { return .question }
    // "When did I last email Ann", "have I replied to him": what I did myself is not in the inbox.
    let until = min(start + 4, phrasing.body.upperBound)
    guard let at = ["did", "have", "had"].compactMap({ phrasing.find([$0, "i"], from: start, until: until) }).first,
      (at + 2..<min(at + 5, phrasing.body.upperBound)).contains(where: { Said.mine.contains(phrasing.word($0)) }),
      !Said.received.contains(phrasing.word(at + 2))
    else { return nil }
    return .question
  }

  private var isQuestion: Bool {
    // "We're …" is no question; "do" and "have" ask only before somebody.
    if Said.questions.contains(first), !(first == "were" && phrasing.isContracted(start)),
      !["do", "have"].contains(first) || Said.persons.contains(second), asked == nil || asked == .readEmail, !asksLater
    {
      return true
    }
    // "Let me know whether …"
    if first == "know", Said.asksAbout.contains(second) { return true }
    return ["remind", "tell"].contains(first) && second == "me" && Said.asksAbout.contains(word(2))
      && !["if", "whether"].contains(word(2)) && (word(2) != "when" || word(3) != "i")
  }

  private var isChange: Bool {
    let addsToThing = ["add", "append"].contains(first) && phrasing.find(.existing, from: start) != nil
    if addsToThing || first == "put" && (second == "off" || has("off", "until")) { return true }
    if Said.changes.contains(first), asked == nil {
      let isMail = first == "drop" && (has("email") || has("line"))
      if !isMail, !(first == "stop" && second == "me") { return true }
    }
    return ["turn", "call"].contains(first)
      && (second == "off" || phrasing.word(phrasing.body.upperBound - 1) == "off")
  }

  private var isStatement: Bool {
    guard asked == nil else { return false }
    if Said.subjects.contains(first) || first == "my" && word(2) == "already", !asksLater,
      !(first == "you" && ["can", "should", "need", "must"].contains(second))
    {
      return true
    }
    return (1...3).contains { Said.reporters.contains(word($0)) } && (intent != .createEvent || first != "i")
  }
}
