/// Whom a mail goes to, what it is about and what it says: the words around them tell where each begins.
extension Extraction {
  func sending() -> Found {
    var found = Found()
    let body = phrasing.body
    var at = mailBegin
    if ["off", "out", "back", "to"].contains(phrasing.word(at)), at < body.upperBound { at += 1 }
    // "Let Anna know by email that …"
    if let by = phrasing.find(["by", "email"], from: at) ?? phrasing.find(["by", "mail"], from: at) {
      guard let next = byMail(by, from: at, into: &found) else { return found }
      at = next
    }
    divide(at..<body.upperBound, into: &found)
    return found
  }

  /// Behind the words that ask for a mail, or behind a verb: "send Anna an email".
  private var mailBegin: Int {
    let body = phrasing.body
    let first = body.lowerBound
    if let hit = CommandWords.asked(phrasing.tokens, at: first), hit.payload == .sendEmail { return hit.end }
    if Said.tellsMail.contains(phrasing.word(first)) { return first + 1 }
    return body.lazy.compactMap { start in
      guard let hit = CommandWords.asked(phrasing.tokens, at: start), hit.payload == .sendEmail,
        !["by", "via"].contains(phrasing.word(start - 1))
      else { return nil }
      return hit.end
    }.first ?? first
  }

  /// What stands around "by email"; where the rest begins, if there is one to be divided.
  private func byMail(_ by: Int, from at: Int, into found: inout Found) -> Int? {
    let body = phrasing.body
    let end = phrasing.word(by - 1) == "know" ? by - 1 : by
    // "Forward my itinerary to Linda by email"
    let to = (at..<max(at, end)).last { phrasing.word($0) == "to" }.map { $0 + 1 } ?? skipJoint(at)
    take(to..<max(to, end), as: .recipient, into: &found)
    let next = phrasing.word(by + 2)
    if next == "about", by + 3 < body.upperBound {
      take((by + 3)..<body.upperBound, as: .subject, into: &found)
      return nil
    }
    let marks = marks(from: by + 2, until: body.upperBound)
    if ["and", "to", "with"].contains(next), marks.contains(where: \.isBody) {
      take(marks, until: body.upperBound, into: &found)
      return nil
    }
    // "Send a message by email to the teacher about the trip"
    if found.slots.emailTo.isEmpty, next == "to", by + 3 < body.upperBound { return by + 3 }
    take(skipJoint(by + 2)..<max(skipJoint(by + 2), body.upperBound), as: .body, into: &found)
    return found.slots.emailTo.isEmpty ? at : nil
  }

  /// Where a mark begins, its part begins; a part ends where the next begins.
  private func divide(_ range: Range<Int>, into found: inout Found) {
    let marks = marks(from: range.lowerBound, until: range.upperBound)
    let head = range.lowerBound..<(marks.first?.start ?? range.upperBound)
    take(marks, until: range.upperBound, into: &found)
    take(head, as: .recipient, into: &found)
    // "… about the budget to Anna"
    if found.slots.emailTo.isEmpty, let to = phrasing.find(["to"], from: range.lowerBound),
      found.slots.emailSubject != nil, let mark = marks.first(where: { !$0.isBody }), to > mark.end
    {
      take(to..<(marks.first { $0.start > to }?.start ?? range.upperBound), as: .recipient, into: &found)
      if !found.slots.emailTo.isEmpty, !plain(mark.end..<to).isEmpty { take(mark.end..<to, as: .subject, into: &found) }
    }
    if marks.isEmpty, let to = head.last(where: { phrasing.word($0) == "to" }), to > head.lowerBound,
      isSomebody(to + 1..<head.upperBound)
    {
      take(to..<head.upperBound, as: .recipient, into: &found)
      take(head.lowerBound..<to, as: .subject, into: &found)
      return
    }
    // What follows "email" and a name without any mark is the message: "email john i am late".
    if marks.isEmpty, let split = nameEnd(head), split < head.upperBound {
      let rest = skipJoint(split)..<max(skipJoint(split), head.upperBound)
      if rest.count >= 2 {
        take(head.lowerBound..<split, as: .recipient, into: &found)
        take(rest, as: .body, into: &found)
      }
    }
  }

  /// "Email the report to Susan", "… to my boss"; not "email the team to meet at noon".
  private func isSomebody(_ range: Range<Int>) -> Bool {
    guard let first = range.first else { return false }
    // "The pictures to grandma", and not "the team to confirm"
    if range.count == 1, reading?.slot(first) == .recipient { return true }
    let isNamed = range.allSatisfy { index in
      phrasing.word(index) == "and" || phrasing.tokens[index].kind == .symbol
        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(phrasing.bytes[phrasing.tokens[index].start])
    }
    return isNamed || (2...3).contains(range.count) && Said.articles.contains(phrasing.word(first))
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
    let isName = { (at: Int) in phrasing.word(at) != "to" && !Said.articles.contains(phrasing.word(at)) }
    if phrasing.word(head.lowerBound + 1) == "and", head.count > 4, isName(head.lowerBound), isName(head.lowerBound + 2)
    {
      return head.lowerBound + 3
    }
    let joined: Set<String> = ["and", ",", "&", "at", "@"]
    guard !head.contains(where: { joined.contains(phrasing.word($0)) || Said.mailNouns.contains(phrasing.word($0)) }),
      !["to", "an", "a"].contains(phrasing.word(head.lowerBound))
    else { return nil }
    let end = head.lowerBound + (Said.titles.contains(phrasing.word(head.lowerBound)) ? 2 : 1)
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
      let body = end(.bodyMarks, at, until)
      let subject = end(.subjectMarks, at, until)
      let hasSubject = found.contains { !$0.isBody }
      if let subject, !hasSubject, subject >= body ?? 0, at > from || subject > at + 1 || phrasing.word(at) == "about" {
        found.append(Mark(start: at, end: subject, isBody: false))
        at = subject
        continue
      }
      if let body {
        let word = phrasing.word(at)
        let isWeak =
          body == at + 1 && Said.weakBodyMarks.contains(word)
          && !(hasSubject && ["message", "content"].contains(word) && found.last.map { $0.end < at } ?? false)
        let opensSubject =
          word == "with" && body == at + 1
          && ["subject", "the", "title", "a"].contains(phrasing.word(at + 1))
        if !isWeak || at > from && !opensSubject && found.isEmpty {
          found.append(Mark(start: at, end: skipJoint(body), isBody: true))
          return found
        }
      }
      at += 1
    }
    return found
  }

  func skipJoint(_ index: Int) -> Int {
    var at = index
    // "The subject is …", but "to Ann: is my car ready?"
    while [":", ",", "is", "\"", "that"].contains(phrasing.word(at)), !asks(at), at < phrasing.body.upperBound {
      at += 1
    }
    return at
  }

  private func asks(_ index: Int) -> Bool { phrasing.word(index) == "is" && phrasing.word(index - 1) == ":" }

  /// Where the longest such mark ends, if something stands behind it.
  private func end(_ list: Said, _ at: Int, _ until: Int) -> Int? {
    list.ends(phrasing.tokens, at: at).filter { $0 < until }.max()
  }

  private func plain(_ range: Range<Int>) -> [Int] {
    guard range.lowerBound < range.upperBound else { return [] }
    var kept = Array(range)[...]
    while let first = kept.first, [":", ",", "-", "is", "of", "line"].contains(phrasing.word(first)), !asks(first) {
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
      phrasing.word(end) == "!" || !Said.couldYou.contains(first.text)
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
    var indices = Array(range)[...]
    while let first = indices.first,
      Said.beforeRecipients.contains(phrasing.word(first)) || phrasing.tokens[first].kind == .symbol
    {
      indices.removeFirst()
    }
    // "reply to anna's email", "send anna an email"
    if let cut = indices.first(where: {
      Said.mailNouns.contains(phrasing.word($0))
        && !["at", "@", "dot"].contains(phrasing.word($0 - 1)) && phrasing.word($0 + 1) != "dot"
    }) {
      indices = indices.prefix { $0 < cut }
      while let last = indices.last, Said.beforeMailNoun.contains(phrasing.word(last)) { indices.removeLast() }
    }
    while let last = indices.last,
      [",", "."].contains(phrasing.word(last)) || Said.afterRecipients.contains(phrasing.word(last))
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
      let spell = { (word: String) in CommandWords.english?.spelling[word] ?? word }
      return words[..<at].map(spell).joined() + "@" + words[(at + 1)...].map(spell).joined()
    }
    var name = phrasing.slice(first..<(last + 1))
    for ending in ["'s", "’s"] where name.hasSuffix(ending) { name = String(name.dropLast(2)) }
    return name.isEmpty ? nil : name
  }
}
