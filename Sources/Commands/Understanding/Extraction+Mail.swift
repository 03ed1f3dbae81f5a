extension Extraction {
  private static let bodyMarks: [[String]] = [
    "saying that", "saying", "that says", "which says", "say that", "and say that", "and say", "to say that", "to say",
    "and tell them that",
    "and tell them", "and tell him that", "and tell him", "and tell her that", "and tell her", "telling them that",
    "telling them", "telling him that", "telling him", "telling her that",
    "telling her", "tell him that", "tell her that", "tell them that", "tell him", "tell her", "tell them",
    "and let them know that", "and let them know", "and let him know that", "and let him know", "and let her know that",
    "and let her know", "letting him know that", "letting her know that", "letting them know that", "letting him know",
    "letting her know", "letting them know", "with the message", "with message", "the message", "body", "with body",
    "with the body", "with the text", "and write that", "and write", "and ask", "asking", "to ask", "that",
    "stating that", "stating", "reading", "with the words", "an email saying", "and write back", "remind her that",
    "remind him that", "remind them that",
    "message is", "the message is", "to tell him that", "to tell her that", "to tell them that",
    "to tell him", "to tell her", "to tell them", "to let him know", "to let her know", "to let them know", "message",
    "content", "text", "with",
  ].map { $0.split(separator: " ").map(String.init) }.sorted { $0.count > $1.count }
  private static let subjectMarks: [[String]] = [
    "with the subject line", "with the subject", "with subject line", "with subject", "with a subject", "subject line",
    "subject", "and the subject", "the subject is", "about", "regarding", "concerning", "re", "on the topic of",
    "with title", "with the title", "titled", "in regards to", "with regards to",
  ].map { $0.split(separator: " ").map(String.init) }.sorted { $0.count > $1.count }

  func sending() -> Found {
    var found = Found()
    let body = phrasing.body
    var at = body.lowerBound
    let verbs: Set<String> = [
      "send", "write", "shoot", "drop", "let", "tell", "give", "message", "inform", "ask", "contact", "fire", "get",
    ]
    if let hit = Triggers.openings.longest(phrasing.tokens, at: at), hit.payload == .sendEmail {
      at = hit.end
    } else if verbs.contains(phrasing.word(at)) {
      // "Send Anna an email": the name stands between.
      at += 1
    } else {
      for start in body where at == body.lowerBound {
        if let hit = Triggers.openings.longest(phrasing.tokens, at: start), hit.payload == .sendEmail,
          !["by", "via"].contains(phrasing.word(start - 1))
        {
          at = hit.end
        }
      }
    }
    if ["off", "out", "back", "to"].contains(phrasing.word(at)), at < body.upperBound { at += 1 }
    // "Let Anna know by email that …"
    if let by = phrasing.find(["by", "email"], from: at) ?? phrasing.find(["by", "mail"], from: at) {
      var end = by
      if phrasing.word(end - 1) == "know" { end -= 1 }
      // "Forward my itinerary to Linda by email"
      let to = (at..<end).last { phrasing.word($0) == "to" }.map { $0 + 1 } ?? skipJoint(at)
      take(to..<max(to, end), as: .recipient, into: &found)
      if phrasing.word(by + 2) == "about", by + 3 < body.upperBound {
        take((by + 3)..<body.upperBound, as: .subject, into: &found)
        return found
      }
      let marks = marks(from: by + 2, until: body.upperBound)
      if ["and", "to", "with"].contains(phrasing.word(by + 2)), marks.contains(where: \.isBody) {
        take(marks, until: body.upperBound, into: &found)
        return found
      }
      if found.slots.emailTo.isEmpty, phrasing.word(by + 2) == "to", by + 3 < body.upperBound {
        // "Send a message by email to the teacher about the trip"
        at = by + 3
      } else {
        take(skipJoint(by + 2)..<max(skipJoint(by + 2), body.upperBound), as: .body, into: &found)
        if !found.slots.emailTo.isEmpty { return found }
      }
    }
    // Where a mark begins first, its part begins; a part ends where the next begins.
    let marks = marks(from: at, until: body.upperBound)
    let head = at..<(marks.first?.start ?? body.upperBound)
    take(marks, until: body.upperBound, into: &found)
    take(head, as: .recipient, into: &found)
    // "… about the budget to Anna"
    if found.slots.emailTo.isEmpty, let to = phrasing.find(["to"], from: at), found.slots.emailSubject != nil,
      let mark = marks.first(where: { !$0.isBody }), to > mark.end
    {
      take(to..<(marks.first { $0.start > to }?.start ?? body.upperBound), as: .recipient, into: &found)
      if !found.slots.emailTo.isEmpty, !plain(mark.end..<to).isEmpty {
        take(mark.end..<to, as: .subject, into: &found)
      }
    }
    // What follows "email" and a name without any mark is the message: "email john i am late".
    if marks.isEmpty, let split = nameEnd(head), split < head.upperBound {
      let rest = skipJoint(split)..<max(skipJoint(split), head.upperBound)
      if rest.count >= 2 {
        take(head.lowerBound..<split, as: .recipient, into: &found)
        take(rest, as: .body, into: &found)
      }
    }
    return found
  }

  private func take(_ marks: [Mark], until: Int, into found: inout Found) {
    for (place, mark) in marks.enumerated() {
      let end = place + 1 < marks.count ? marks[place + 1].start : until
      take(mark.end..<end, as: mark.isBody ? .body : .subject, into: &found)
    }
  }

  /// Where a name ends that nothing marks off: at a colon, or after one word, two where the first is a title or "my".
  private func nameEnd(_ head: Range<Int>) -> Int? {
    guard head.count > 2 else { return nil }
    if let colon = head.first(where: { phrasing.word($0) == ":" }) { return colon }
    // "Email mum and dad happy anniversary"
    if phrasing.word(head.lowerBound + 1) == "and", head.count > 4,
      !["to", "an", "a", "my", "the"].contains(phrasing.word(head.lowerBound)),
      !["my", "the"].contains(phrasing.word(head.lowerBound + 2))
    {
      return head.lowerBound + 3
    }
    guard
      !head.contains(where: { ["and", ",", "&", "at", "@", "email", "mail", "message"].contains(phrasing.word($0)) }),
      !["to", "an", "a"].contains(phrasing.word(head.lowerBound))
    else { return nil }
    let titles: Set<String> = [
      "my", "the", "our", "dr", "doctor", "mr", "mrs", "ms", "miss", "uncle", "aunt", "professor", "prof", "lord",
      "sir",
    ]
    let end = head.lowerBound + (titles.contains(phrasing.word(head.lowerBound)) ? 2 : 1)
    // Two names: "email Kate Miller". A message has a verb or a small word in it.
    return head.upperBound - end >= 2 ? end : nil
  }

  private struct Mark {
    var start: Int
    var end: Int
    var isBody: Bool
  }

  private func marks(from: Int, until: Int) -> [Mark] {
    var found: [Mark] = []
    var at = from
    while at < until {
      let body = Self.bodyMarks.first { fits($0, at, until) }
      let subject = Self.subjectMarks.first { fits($0, at, until) }
      let hasSubject = found.contains { !$0.isBody }
      if let subject, !hasSubject, subject.count >= (body?.count ?? 0),
        at > from || subject.count > 1 || subject[0] == "about"
      {
        found.append(Mark(start: at, end: at + subject.count, isBody: false))
        at += subject.count
        continue
      }
      if let body {
        // A bare "that", "with" or "text" begins the message only when a recipient stands before it.
        let weak =
          body.count == 1 && ["that", "with", "text", "message", "content", "reading"].contains(body[0])
          && !(hasSubject && ["message", "content"].contains(body[0]) && found.last.map { $0.end < at } ?? false)
        let follows =
          at > from && !(body == ["with"] && ["subject", "the", "title", "a"].contains(phrasing.word(at + 1)))
        if !weak || follows && found.isEmpty {
          found.append(Mark(start: at, end: skipJoint(at + body.count), isBody: true))
          return found
        }
      }
      at += 1
    }
    return found
  }

  private func skipJoint(_ index: Int) -> Int {
    var at = index
    while [":", ",", "is", "\"", "that"].contains(phrasing.word(at)), at < phrasing.body.upperBound { at += 1 }
    return at
  }

  private func fits(_ words: [String], _ at: Int, _ until: Int) -> Bool {
    at + words.count < until && words.enumerated().allSatisfy { phrasing.word(at + $0.offset) == $0.element }
  }

  private func plain(_ range: Range<Int>) -> [Int] {
    guard range.lowerBound < range.upperBound else { return [] }
    var kept = Array(range)[...]
    while let first = kept.first, [":", ",", "-", "is", "of", "line"].contains(phrasing.word(first)) {
      kept.removeFirst()
    }
    while let last = kept.last, ["and", ",", "with", "."].contains(phrasing.word(last)) { kept.removeLast() }
    return Array(kept)
  }

  /// The mark that ends the utterance belongs to a message that ends it, unless the asking itself is a question: "could you tell
  /// Ann that dinner is ready?"
  private func mark(after words: [Int]) -> [Int] {
    let end = phrasing.body.upperBound
    guard words.last == end - 1, ["?", "!"].contains(phrasing.word(end)),
      let first = phrasing.tokens.first(where: { $0.kind != .symbol }),
      phrasing.word(end) == "!" || !["can", "could", "would", "will", "may"].contains(first.text)
    else { return [] }
    return [end]
  }

  func take(_ range: Range<Int>, as slot: EncoderReading.Slot, into found: inout Found) {
    guard slot == .recipient else {
      let words = plain(range)
      return found.place(words, as: slot, written(slot == .body ? words + mark(after: words) : words))
    }
    let groups = recipientGroups(range)
    found.slots.emailTo = groups.compactMap { address($0) }
    found.places[.recipient] = groups.flatMap(\.self)
  }

  /// Names and addresses: "Sarah and Tom", "john at example dot com".
  func recipients(_ range: Range<Int>) -> [String] { recipientGroups(range).compactMap { address($0) } }

  /// The words of each.
  private func recipientGroups(_ range: Range<Int>) -> [[Int]] {
    let skipped: Set<String> = [
      "to", "an", "a", "email", "emails", "mail", "message", "line", "by", "know", "reply", "new", "back", "quick",
      "e-mail", "back", "e", "-", "him", "her", "them", "it", "this", "that",
    ]
    var indices = Array(range)[...]
    while let first = indices.first, skipped.contains(phrasing.word(first)) || phrasing.tokens[first].kind == .symbol {
      indices.removeFirst()
    }
    // "reply to anna's email", "send anna an email"
    if let cut = indices.first(where: {
      ["email", "mail", "message", "line", "e-mail", "emails"].contains(phrasing.word($0))
        && !["at", "@", "dot"].contains(phrasing.word($0 - 1)) && phrasing.word($0 + 1) != "dot"
    }) {
      indices = indices.prefix { $0 < cut }
      while let last = indices.last,
        ["an", "a", "by", "the", "this", "new", "last", "latest", "recent", "quick"].contains(phrasing.word(last))
      { indices.removeLast() }
    }
    while let last = indices.last,
      ["and", ",", ".", "with", "a", "an", "the", "from", "for", "saying", "by"].contains(phrasing.word(last))
    { indices.removeLast() }
    guard !indices.isEmpty, indices.count <= 24 else { return [] }
    var groups: [[Int]] = [[]]
    for index in indices {
      let parts = ["and", ","].contains(phrasing.word(index)) || phrasing.word(index) == "&"
      if parts { groups.append([]) } else { groups[groups.count - 1].append(index) }
    }
    return groups
  }

  /// A spelled-out address becomes one; a name stays the words it was, without a possessive.
  private func address(_ indices: [Int]) -> String? {
    guard let first = indices.first, let last = indices.last else { return nil }
    let words = indices.map { phrasing.word($0) }
    // The last "at" parts an address: "Carla at carla dot b at mail dot com".
    let marks = words.indices.filter { words[$0] == "at" }
    if marks.count > 1, marks[0] > 0, marks[marks.count - 1] - marks[marks.count - 2] > 1 {
      return address(Array(indices[(marks[marks.count - 2] + 1)...]))
    }
    if let at = words.firstIndex(of: "at") ?? words.firstIndex(of: "@"), at > 0, at + 1 < words.count,
      words[(at + 1)...].contains("dot") || words[(at + 1)...].contains(".")
    {
      let spell = { (word: String) -> String in
        switch word {
        case "dot", "point": "."
        case "underscore": "_"
        case "dash", "hyphen": "-"
        case "plus": "+"
        case "at": "@"
        default: word
        }
      }
      return words[..<at].map(spell).joined() + "@" + words[(at + 1)...].map(spell).joined()
    }
    var name = phrasing.slice(first..<(last + 1))
    for ending in ["'s", "’s"] where name.hasSuffix(ending) { name = String(name.dropLast(2)) }
    return name.isEmpty ? nil : name
  }

  func readingMail() -> Found {
    var found = Found()
    let body = phrasing.body
    // "Mail from this morning" came within it, not after it.
    let readings = times.readings.filter { $0.kind != .duration }.map { reading in
      guard reading.open == .after, reading.text.lowercased().hasPrefix("from "),
        var inner = resolver.readings(in: String(reading.text.dropFirst(5))).readings.first
      else { return reading }
      (inner.start, inner.end) = (reading.start, reading.end)
      return inner
    }
    let result = Timing(
      TimeResult(readings: readings, unexplained: times.unexplained),
      in: 0..<phrasing.bytes.count, of: phrasing.bytes, with: resolver)
    found.timing = result
    found.slots.datetimePoint = result.point
    found.slots.datetimeRange = result.range
    // Mail of this week is that of all its days.
    if result.isVague, let grain = result.grain, let start = result.point.flatMap(Civil.parse) {
      found.slots.datetimePoint = nil
      found.slots.datetimeRange = Civil.iso(start) + "/" + Civil.iso(Civil.add(1, grain, to: start))
    }
    if let about = phrasing.find(["about"], from: body.lowerBound)
      ?? phrasing.find(["regarding"], from: body.lowerBound),
      about + 1 < body.upperBound
    {
      let topic = ((about + 1)..<body.upperBound).filter { index in
        let token = phrasing.tokens[index]
        return !result.spans.contains { $0.contains(token.start) }
          && !(token.kind == .symbol) && !(index == about + 1 && ["the", "my", "a"].contains(token.text))
      }
      found.emailAbout = written(topic)
    }
    if let from = phrasing.find(["from"], from: body.lowerBound) ?? phrasing.find(["by"], from: body.lowerBound),
      from + 1 < body.upperBound
    {
      var end = from + 1
      let stops: Set<String> = [
        "again", "please", "now", "too", "about", "that", "say", "says", "in", "on", "regarding", "today", "and",
        "with", "received", "sent",
        "yesterday", "this", "?", "to", "email", "mail", "saying",
      ]
      while end < body.upperBound, !stops.contains(phrasing.word(end)), end - from < 7,
        !result.spans.contains(where: { $0.contains(phrasing.tokens[end].start) })
      { end += 1 }
      if end > from + 1 { found.emailFrom = recipients((from + 1)..<end).first }
    } else if let whether = body.first(where: { ["if", "whether"].contains(phrasing.word($0)) }),
      let has = phrasing.find(["has"], from: whether + 2)
    {
      // "Check if Tom has replied"
      found.emailFrom = recipients((whether + 1)..<has).first
    } else if let did = body.prefix(2).first(where: { ["did", "has"].contains(phrasing.word($0)) }) {
      let stops: Set<String> = [
        "email", "reply", "answered", "replied", "emailed", "send", "sent", "write", "written", "mail", "mailed", "i",
      ]
      if let stop = body.first(where: { stops.contains(phrasing.word($0)) }), stop > did + 1 {
        found.emailFrom = recipients((did + 1)..<stop).first
      }
    }
    return found
  }
}
