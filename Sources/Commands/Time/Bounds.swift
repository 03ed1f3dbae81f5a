import Core

/// One end of a time, or a beginning and a length: "by Friday", "after six", "Monday at the latest", "4pm for 30 minutes".
extension Grammar {
  enum Bound: String { case by, before, after }

  func bounded(at index: Int) -> [Hit<GrammarFinding>] {
    var found = bounded(behind: index) + boundedDays(at: index)
    if let soon = phrase(.soon, at: index) {
      let now = Period(context.now, .second)
      found.append(open(Placed(period: now), .after, Moment(anchor: now), end: soon.end))
    }
    for hit in moments(at: index) where !hit.value.latent && hit.value.clockEnd == nil {
      for word in language.openEnds.matches(tokens, at: hit.end) {
        guard let placed = place(hit.value).first else { continue }
        found.append(open(placed, word.payload == .after ? .after : .before, hit.value, end: word.end))
      }
    }
    return found
  }

  private func open(_ placed: Placed, _ direction: TimeReading.Open, _ moment: Moment, end: Int) -> Hit<GrammarFinding>
  {
    var placed = placed
    placed.open = direction
    placed.isRange = false
    return Hit(
      value: GrammarFinding(placed: [placed], moment: moment, doubt: moment.doubt, hasClock: moment.hasClock), end: end)
  }

  /// "By Friday", "before noon", "since Monday"
  private func bounded(behind index: Int) -> [Hit<GrammarFinding>] {
    language.bounds.matches(tokens, at: index).flatMap { lead in
      moments(at: skip(lead.end, .roughly)).compactMap { hit in
        let said = hit.value
        guard !said.latent || said.hasClock || said.year != nil || said.month != nil, said.clockEnd == nil else {
          return nil
        }
        if said.clock?.bare == true, said.latent, said.clock?.grain == .hour, unit(at: hit.end) != nil { return nil }
        var moment = said
        // "Since Monday" looks back.
        if has(index, .since), moment.weekday != nil || moment.day != nil || moment.month != nil, moment.anchor == nil,
          moment.year == nil
        {
          moment.past = true
        }
        guard var placed = place(moment, after: nil).first else { return nil }
        if lead.payload == .by { return due(placed, said, end: hit.end) }
        if placed.isRange, said.part != nil, lead.payload == .after {
          placed.period = Period(start: placed.period.end, end: placed.period.end + 3600, grain: .hour)
        }
        return open(placed, lead.payload == .after ? .after : .before, said, end: hit.end)
      }
    }
  }

  /// Due within a period means by its end; due at a time means by then.
  private func due(_ placed: Placed, _ moment: Moment, end: Int) -> Hit<GrammarFinding>? {
    let isFuzzy = placed.isRange || placed.period.grain > .day
    let limit = isFuzzy && !moment.hasClock ? placed.period.end : placed.period.start
    guard limit > context.now else { return nil }
    var range = Placed(period: Period(start: context.now, end: limit, grain: .second), isRange: true)
    range.namedEnd = moment.hasClock || isFuzzy ? limit : placed.period.end
    range.zone = placed.zone
    range.isContradicted = placed.isContradicted
    range.isDeadline = true
    return Hit(
      value: GrammarFinding(placed: [range], moment: moment, doubt: moment.doubt, hasClock: moment.hasClock), end: end)
  }

  /// "6 September after 9 pm", "Monday by early evening": the day stands before its bound.
  private func boundedDays(at index: Int) -> [Hit<GrammarFinding>] {
    var found: [Hit<GrammarFinding>] = []
    for date in moments(at: index)
    where date.value.hasDate && !date.value.hasClock && date.value.part == nil && !date.value.latent {
      for lead in language.bounds.matches(tokens, at: skip(date.end, .comma)) {
        for hit in moments(at: lead.end)
        where !hit.value.hasDate && hit.value.clockEnd == nil && (hit.value.hasClock || hit.value.part != nil) {
          guard let merged = date.value.merged(with: hit.value), let placed = place(merged).first else { continue }
          found.append(
            placed.isRange && lead.payload == .by
              ? Hit(value: GrammarFinding(placed: [placed], moment: merged, doubt: merged.doubt), end: hit.end)
              : open(placed, lead.payload == .after ? .after : .before, merged, end: hit.end))
        }
      }
    }
    return found
  }

  /// "4pm for 30 minutes", "for 10 days from 18th Dec", "half an hour starting at noon".
  func lasting(at index: Int) -> [Hit<GrammarFinding>] {
    var found: [Hit<GrammarFinding>] = []
    func add(_ moment: Moment, _ length: Length, end: Int) {
      let placed = place(moment).compactMap { start -> Placed? in
        guard !start.isRange, start.period.grain <= .day else { return nil }
        let stop = length.applied(to: start.period.start)
        let grain = min(start.period.grain, length.finest)
        guard stop > start.period.start else { return nil }
        var range = Placed(
          period: Period(start: start.period.start, end: Civil.add(1, grain, to: stop), grain: grain), isRange: true)
        range.namedEnd = stop
        range.weight = start.weight
        range.zone = start.zone
        range.isContradicted = start.isContradicted
        return range
      }
      guard !placed.isEmpty else { return }
      found.append(
        Hit(
          value: GrammarFinding(
            placed: placed, minutes: length.minutes, doubt: moment.doubt, hasClock: moment.hasClock),
          end: end))
    }
    for hit in moments(at: skip(index, [.from, .starting]))
    where !hit.value.latent && has(hit.end, .for) && hit.value.clockEnd == nil {
      let at = skip(hit.end + 1, .roughly)
      guard let length = length(at: at) else { continue }
      add(hit.value, length.value, end: length.end)
      // "At ten for an hour tomorrow", "tomorrow for two hours at ten"
      for rest in moments(at: length.end)
      where rest.value.hasDate != hit.value.hasDate && rest.value.hasClock != hit.value.hasClock && !rest.value.latent {
        if let merged = hit.value.merged(with: rest.value) { add(merged, length.value, end: rest.end) }
      }
    }
    let start = skip(index, .for)
    if let length = length(at: start) {
      let from = skip(length.end, [.starting, .from, .comma])
      let isShift = has(length.end, .from) && start == index
      if !isShift, from > length.end || has(from, .at) || has(from, .on) && start > index {
        for hit in moments(at: skip(from, .from)) where !hit.value.latent {
          add(hit.value, length.value, end: hit.end)
        }
      }
    }
    return found
  }
}
