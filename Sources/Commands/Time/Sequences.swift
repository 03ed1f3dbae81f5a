/// Words beside each other that narrow one moment: "at half past seven on Friday the 20th of September".
extension Grammar {
  private static let leads: Set<String> = [
    "on", "at", "in", "@", "around", "about", "during", "approximately", "approx", "roughly", "this", "near", "like",
    "sometime", "anytime", "over",
  ]
  private static let joints: Set<String> = [
    ",", "on", "at", "in", "of", "the", "around", "about", "approximately", "approx", "roughly", "for", "from", "@",
    "(", ")", ".", "/", "like", "say",
  ]
  private static let bounds: Set<String> = [
    "by", "before", "after", "until", "till", "til", "since", "from", "through", "starting", "past",
  ]

  /// Everything with one meaning of its own.
  func atoms(at index: Int) -> [Hit<Moment>] {
    if let known = atomMemo[index] { return known }
    guard index < tokens.count else { return [] }
    // A rule that comes back to the same token finds nothing there: that ends left recursion.
    atomMemo[index] = []
    var found = calendarDates(at: index) + relatives(at: index) + cycles(at: index)
    for hit in clocks(at: index) {
      var moment = Moment(clock: hit.value, latent: hit.value.bare)
      if hit.value.bare, hit.value.grain == .minute, text(hit.end - 1).count == 4 { moment.doubt = 0.1 }
      // "15.10" is a day where days come first.
      if hit.value.bare, context.dayFirst, text(index + 1) == ".", (1...12).contains(hit.value.minute) {
        moment.doubt = 0.5
      }
      found.append(Hit(value: moment, end: hit.end))
      if isMinutesTo(hit.end) { continue }
      found += clockRanges(from: hit, isBetween: false).map { Hit(value: $0.value.doubted(moment.doubt), end: $0.end) }
    }
    // "between 9 and 11", "later than 3 pm but before 6"
    let inner =
      text(index) == "later" && text(index + 1) == "than"
      ? index + 2 : skip(index + (text(index) == "in" && text(index + 1) == "between" ? 1 : 0), ["between", "from"])
    if inner > index {
      for hit in clocks(at: skip(inner, ["around", "about"])) {
        for range in clockRanges(from: hit, isBetween: true) {
          var range = range
          if text(index) == "between" { range.value.latent = false }
          range.value.doubt = 0
          found.append(range)
        }
      }
    }
    let day = skip(index, ["the"])
    for hit in DayParts.phrases.matches(tokens, at: day) where !isName(index, hit.end) {
      found.append(Hit(value: Moment(part: hit.payload, latent: hit.payload.meal || text(day) == "eve"), end: hit.end))
    }
    atomMemo[index] = found
    return found
  }

  private static let beforeParts: Set<String> = [
    "in", "the", "this", "on", "at", "by", "tomorrow", "today", "yesterday", "every", "each", "next", "last", "early",
    "late", "mid",
    "until", "till", "before", "after", "from", "to", "and", "or", "during", "all", "of", "around", "weekday",
    "weekend", "am", "pm",
    "oclock", "for", "past", "through", "easter", "christmas", "xmas", "halloween", "thanksgiving", "some", "one",
    "that", "tonight", "day",
    "between", "week", "h", "hours", "st", "nd", "rd", "th", "middle", "end", "beginning", "eve",
  ]

  private static let partOpenings: Set<String> = ["when", "after", "before", "at", "first", "last"]

  /// "Parents evening" and "movie night" are things, not times.
  private func isName(_ index: Int, _ end: Int) -> Bool {
    if isNamed(index, end) { return true }
    guard index > 0, let before = token(index - 1), before.kind == .word, text(end) != "of", text(index) != "the" else {
      return false
    }
    return before.weekday == nil && before.month == nil && before.cardinal == nil && before.ordinal == nil
      && !Self.partOpenings.contains(text(index)) && !Self.beforeParts.contains(before.text)
      && Lexicon.zones[before.text] == nil
  }

  /// "Remind me about the evening program" names it; "in the evening call mum" says when.
  private func isNamed(_ index: Int, _ end: Int) -> Bool {
    let article = text(index) == "the" ? index : index - 1
    guard text(article) == "the", article > 0, let next = token(end), next.kind == .word, next.weekday == nil,
      next.month == nil, next.cardinal == nil, next.ordinal == nil, !Self.afterParts.contains(next.text)
    else { return false }
    return !["in", "during", "by", "until", "till", "through", "on", "for", "at", "of", ",", "and"]
      .contains(text(article - 1))
  }

  private static let afterParts: Set<String> = [
    "of", "on", "at", "in", "to", "before", "after", "and", "or", "from", "by", "until", "till", "for", "please",
    "around", "about", "every", "next", "this", "tomorrow", "today", "between", "with", "ish", "time", "hours",
  ]

  private static let counters: Set<String> = [
    "for", "chapter", "page", "room", "number", "level", "row", "platform", "part", "version", "gate", "table", "step",
    "unit", "section",
    "channel", "bus", "line", "terminal", "season", "episode", "volume", "floor", "of",
  ]

  /// "At ten to three" is one time, "from ten to three" two.
  func isMinutesTo(_ joint: Int) -> Bool {
    text(joint) == "to" && text(joint - 2) == "at" && token(joint - 1)?.kind == .word
      && [5, 10, 20, 25].contains(token(joint - 1)?.cardinal ?? 0)
  }

  /// "9:30 - 11:00", "3 to 4pm", "between 2 and 4".
  private func clockRanges(from first: Hit<Clock>, isBetween: Bool) -> [Hit<Moment>] {
    var at = first.end
    var conjunction = text(at)
    let ending = skip(skip(at, [","]), ["and"])
    if ["but", "and"].contains(conjunction), text(at + 1) == "before" {
      conjunction = "to"
      at += 2
    } else if ["end", "ends", "ending", "finish", "finishes", "finishing"].contains(text(ending)) {
      conjunction = "to"
      at = skip(ending + 1, ["at"])
    } else if ["to", "-", "until", "till", "til", "untill", "through", "thru", "and", "or", "~"].contains(conjunction) {
      at += 1
      if text(at) == "-" { at += 1 }
      // "At ten am and two pm" are two times.
      if conjunction == "and", !isBetween { return [] }
      if conjunction == "or", !first.value.bare { return [] }
    } else {
      return []
    }
    at = skip(at, ["around", "about", "at", "approximately"])
    return clocks(at: at).compactMap { last in
      guard unit(at: last.end) == nil || glued(last.end) else { return nil }
      var from = first.value
      var until = last.value
      if from.bare, until.bare, from.grain == .hour, until.grain == .hour, from.hour >= 24 || until.hour >= 24 {
        return nil
      }
      // The half that was said plainly decides for the other: "3 to 4pm", "11 to 1 pm", "9am to 11".
      if from.ambiguous, !until.ambiguous, until.hour >= 12 || until.hour > 0 && !until.bare {
        let afternoon = from.hour % 12 + 12
        let early = from.hour % 12
        let end = until.hour * 60 + until.minute
        if until.hour < 12 {
          from.hour = early * 60 + from.minute < end ? early : afternoon
        } else {
          from.hour =
            afternoon * 60 + from.minute < end || until.hour >= 24 && afternoon * 60 + from.minute < 24 * 60
            ? afternoon : early
        }
        from.ambiguous = false
      }
      var end = last.end
      if text(end) == "+", isNumber(end + 1, digits: 1...1), glued(end + 1) { end += 2 }
      // The end is the first such time after the beginning, which may be said to be a day on itself.
      if from.dayShift > 0 || until.seconds <= from.seconds { until.dayShift = 0 }
      if until.zone != nil, from.zone == nil { from.zone = until.zone }
      var moment = Moment(clock: from, clockEnd: until)
      moment.latent = from.bare && until.bare && !(from.grain == .minute && until.grain == .minute)
      if conjunction == "and" || conjunction == "or" { moment.latent = moment.latent || from.bare }
      if from.bare, until.bare, from.grain == .hour, until.grain == .hour { moment.doubt = 1 }
      return Hit(value: moment, end: end)
    }
  }

  /// All moments that begin at a token, from one atom up to as many as fit together.
  func moments(at index: Int) -> [Hit<Moment>] {
    if let known = momentMemo[index] { return known }
    momentMemo[index] = []
    var found: [Hit<Moment>] = []
    var seen: Set<Int> = []
    var starts = [(index, false)]
    var at = index
    while at < index + 3, let next = afterLead(at) {
      let hasArticle = text(next) == "the"
      at = next
      starts.append((at, true))
      if hasArticle { starts.append((at + 1, true)) }
    }
    for (start, led) in starts where seen.insert(start).inserted {
      let word = start > 0 ? text(start - 1) : ""
      for atom in atoms(at: start) {
        // "A table for four", "chapter four": no hours.
        if Self.counters.contains(word), let clock = atom.value.clock, clock.bare, clock.grain == .hour,
          atom.value.clockEnd == nil
        {
          continue
        }
        var moment = atom.value
        if led || Self.bounds.contains(word) || word == "and" && isSecondClock(start, atom.end) {
          moment.latent = moment.latent && !supports(word == "and" ? "at" : word, moment)
        }
        extend(Hit(value: moment, end: atom.end), into: &found, depth: 0)
      }
    }
    momentMemo[index] = found
    return found
  }

  /// "At nine and five": the second number is an hour like the first.
  private func isSecondClock(_ start: Int, _ end: Int) -> Bool {
    let follow: Set<String> = ["to", "on", "every", "each", "tomorrow", "today", "daily", "please"]
    if let next = token(end), next.kind != .symbol, !follow.contains(next.text) { return false }
    return (max(0, start - 6)..<max(0, start - 1)).contains { first in
      ["at", "@"].contains(text(first - 1)) && clocks(at: first).contains { $0.end == start - 1 }
    }
  }

  private func afterLead(_ index: Int) -> Int? {
    if ["some", "any"].contains(text(index)), text(index + 1) == "time" { return index + 2 }
    return Self.leads.contains(text(index)) ? index + 1 : nil
  }

  /// Whether the word before makes a bare number or a doubtful name a time.
  private func supports(_ lead: String, _ moment: Moment) -> Bool {
    if moment.hasClock, !moment.hasDate {
      return [
        "at", "@", "around", "about", "by", "until", "till", "til", "before", "after", "approximately", "from", "since",
        "past",
      ].contains(lead)
    }
    if moment.bareDay { return lead == "on" || lead == "the" || lead == "by" || lead == "until" || lead == "from" }
    if moment.year != nil, moment.month == nil {
      return ["in", "since", "before", "after", "until", "from", "during", "by", "through"].contains(lead)
    }
    return lead != "like"
  }

  private func extend(_ hit: Hit<Moment>, into found: inout [Hit<Moment>], depth: Int) {
    steps += 1
    guard steps < 20_000, found.count < 400 else { return }
    var hit = hit
    hit.end = skip(hit.end, ["approximately", "approx", "ish", "sharp"])
    found.append(hit)
    if depth == 0, text(hit.end) == "time" { found.append(Hit(value: hit.value, end: hit.end + 1)) }
    guard depth < 6 else { return }
    var nexts = [(hit.end, "")]
    var at = hit.end
    while Self.joints.contains(text(at)), at < hit.end + 4 {
      at += 1
      nexts.append((at, text(at - 1)))
    }
    if text(hit.end) == "-" { nexts.append((hit.end + 1, "-")) }
    for (next, joint) in nexts where next < tokens.count {
      for atom in atoms(at: next) {
        guard
          joint != "-"
            || !atom.value.hasDate && (atom.value.part != nil || atom.value.clockEnd != nil && !hit.value.hasClock)
        else { continue }
        guard joint != "from" || atom.value.anchor != nil || atom.value.clockEnd != nil else { continue }
        guard joint != "for" || atom.value.hasDate || atom.value.clock?.bare == false else { continue }
        guard joint != "/" || atom.value.part != nil else { continue }
        guard fits(hit.value, atom.value, joint: joint, gap: next - hit.end) else { continue }
        var next = atom.value
        if supports(joint, next) && joint != "" { next.latent = false }
        var left = hit.value
        if left.latent, left.clock?.bare == true, next.part != nil || next.anchor?.grain == .day || next.weekday != nil
        {
          left.latent = false
        }
        if left.bareDay, left.latent, next.month != nil || next.anchor != nil || next.weekday != nil {
          left.latent = false
        }
        guard let merged = left.merged(with: next) else { continue }
        extend(Hit(value: merged, end: atom.end), into: &found, depth: depth + 1)
      }
    }
  }

  /// Bare numbers join only what makes times of them.
  private func fits(_ left: Moment, _ right: Moment, joint: String, gap: Int) -> Bool {
    if let clock = right.clock, clock.bare, right.clockEnd == nil {
      if ["at", "@", "around", "about", "approximately", "by"].contains(joint) { return true }
      // "12 Nov 1115", "Friday 8 30": four digits, or minutes, right behind a date.
      guard left.hasDate || left.part != nil else { return false }
      if clock.grain == .minute { return joint == "" || joint == "," || joint == "(" }
      return left.part != nil && joint == ""
    }
    if right.clockEnd != nil, right.latent {
      return joint == "" || joint == "from" || ["around", "about", "at", ","].contains(joint)
    }
    // "the third Tuesday" counts Tuesdays.
    if left.bareDay, right.weekday != nil, joint == "" { return false }
    if right.part?.name == "early" || right.part?.name == "late" { return left.hasDate && joint != "of" }
    if left.part?.name == "early" || left.part?.name == "late" {
      return right.anchor?.grain == .day || right.weekday != nil || left.hasDate && right.part != nil
    }
    if let clock = left.clock, clock.bare, left.clockEnd == nil, left.latent {
      // "1 night" is how long.
      if let part = right.part { return part.name != "night" || joint != "" || right.anchor != nil }
      return gap == 0 && (right.anchor?.grain == .day || right.weekday != nil) || joint == "on"
    }
    if right.bareDay, right.latent { return left.weekday != nil || left.anchor?.grain == .day }
    if right.year != nil, right.month == nil, right.latent {
      return joint == "of" || joint == "in" || joint == "," || left.yearly != nil || left.month != nil
    }
    if right.part?.meal == true, right.latent { return left.hasDate }
    if left.latent, left.part?.meal == true { return true }
    return true
  }
}
