/// Why an utterance that sounds like a command is none.
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

  init?(_ phrasing: Phrasing, for intent: Intent) {
    let start = phrasing.body.lowerBound
    func word(_ offset: Int) -> String { phrasing.word(start + offset) }
    let first = word(0)
    let asked = Triggers.openings.longest(phrasing.tokens, at: start)?.payload
    if phrasing.body.count == 1 {
      self = .fragment
      return
    }
    // "We have a scan on the 17th, add it": told first, asked for at the end.
    let asksLater = ["add", "put", "note", "schedule", "mark"].contains { verb in
      ["it", "that", "this"].contains { phrasing.find([verb, $0], from: start) != nil }
    }
    if ["dont", "never", "not", "no", "didnt", "cant", "wont", "shouldnt"].contains(first)
      || first == "do" && word(1) == "not"
    {
      let forget = ["let", "forget", "allow"].contains(word(first == "do" ? 2 : 1))
      if !forget {
        self = .negation
        return
      }
      return nil
    }
    let second = word(1)
    if first == "i", second == "dont" || second == "do" && word(2) == "not" || second == "never", asked != .addReminder
    {
      self = .negation
      return
    }
    let past: Set<String> = [
      "already", "forgot", "was", "had", "wrote", "sent", "emailed", "did", "went", "told", "asked", "love", "loved",
      "think", "thought", "missed", "just",
    ]
    if ["put", "added", "noted", "booked"].contains(where: { phrasing.find(["already", $0], from: start) != nil }) {
      self = .reported
      return
    }
    if first == "i", past.contains(second) || ["got", "read", "met", "emailed", "wrote"].contains(second), !asksLater {
      self = .reported
      return
    }
    if asked == nil, !Triggers.questions.contains(first),
      (1...3).contains(where: { ["sent", "wrote", "said", "says", "told"].contains(word($0)) }), first != "who"
    {
      self = .reported
      return
    }
    if intent == .readEmail {
      // Asking about one's mail is what reading it means.
      if ["delete", "archive", "remove", "mark", "clear", "erase", "move"].contains(first) {
        self = .change
        return
      }
      // "How often do you check my email", "which did you delete"
      if phrasing.find(["did", "you"], from: start) != nil {
        self = .question
        return
      }
      if first == "why" || first == "how" && second != "many" {
        self = .question
        return
      }
      // "When did I last email Ann", "have I replied to him": what I did myself is not in the inbox.
      let mailed: Set<String> = [
        "email", "emailed", "mail", "mailed", "write", "written", "reply", "replied", "send", "sent", "answer",
      ]
      if let at = ["did", "have", "had"].lazy.compactMap({
        phrasing.find([$0, "i"], from: start, until: min(start + 4, phrasing.body.upperBound))
      }).first,
        (at + 2..<min(at + 5, phrasing.body.upperBound)).contains(where: { mailed.contains(phrasing.word($0)) }),
        !["get", "got", "receive", "received", "any", "new"].contains(phrasing.word(at + 2))
      {
        self = .question
        return
      }
      return nil
    }
    // "Do" and "have" ask only before somebody: "have I", not "have brunch".
    let persons: Set<String> = ["i", "we", "you", "they", "my", "the", "any", "our", "not", "he", "she", "there"]
    let isQuestion =
      Triggers.questions.contains(first) && !(first == "were" && phrasing.isContracted(start))
      && (!["do", "have"].contains(first) || persons.contains(second))
    if isQuestion, asked == nil || asked == .readEmail, !asksLater {
      self = .question
      return
    }
    // "Let me know whether …", "next appointment"
    if first == "know",
      ["if", "whether", "what", "when", "who", "how", "where"].contains(second)
        || first == "next" && phrasing.body.count <= 3 && asked == nil
    {
      self = .question
      return
    }
    if ["remind", "tell"].contains(first), word(1) == "me",
      ["who", "what", "how", "why", "where", "which", "when"].contains(word(2)), word(2) != "when" || word(3) != "i"
    {
      self = .question
      return
    }
    let things = ["meeting", "event", "appointment", "invite", "call", "dinner", "note", "email"]
    let addsToThing =
      ["add", "append"].contains(first)
      && things.contains {
        phrasing.find(["to", "the", $0], from: start) != nil || phrasing.find(["from", "the", $0], from: start) != nil
      }
    if addsToThing || first == "put" && (second == "off" || phrasing.find(["off", "until"], from: start) != nil) {
      self = .change
      return
    }
    if Triggers.changes.contains(first), asked == nil {
      let keeps =
        first == "drop" && phrasing.find(["email"], from: start) != nil
        || first == "drop" && phrasing.find(["line"], from: start) != nil
      let takes = first == "take" && asked == .createNote
      if !keeps, !takes, !(first == "stop" && word(1) == "me") {
        self = .change
        return
      }
    }
    if first == "turn" || first == "call", word(1) == "off" || phrasing.word(phrasing.body.upperBound - 1) == "off" {
      self = .change
      return
    }
    if phrasing.text.hasSuffix("?"), intent != .sendEmail, intent != .createNote, asked == nil {
      self = .question
      return
    }
    if Triggers.subjects.contains(first) || first == "my" && word(2) == "already", asked == nil, !asksLater,
      !(first == "you" && ["can", "should", "need", "must"].contains(second))
    {
      self = .reported
      return
    }
    if asked == nil, (1...3).contains(where: { Triggers.reporters.contains(word($0)) }),
      intent != .createEvent || first != "i"
    {
      self = .reported
      return
    }
    return nil
  }
}
