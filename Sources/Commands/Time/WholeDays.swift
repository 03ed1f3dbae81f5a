import Core

/// Dates beside words that say how much of them is meant: "all day Friday", "all week", "this time tomorrow".
extension Grammar {
  /// The day as such, whatever stands at its side.
  func wholeDays(at index: Int) -> [Hit<GrammarFinding>] {
    var found: [Hit<GrammarFinding>] = []
    func add(_ hits: [Hit<Moment>], end: (Int) -> Int?) {
      for hit in hits where hit.value.hasDate && !hit.value.hasClock && hit.value.part == nil && !hit.value.latent {
        if let end = end(hit.end), let finding = finding(hit.value) { found.append(Hit(value: finding, end: end)) }
      }
    }
    if let all = phrase(.allDay, at: index) { add(moments(at: all.end)) { $0 } }
    add(dates(at: index)) { phrase(.allDay, at: skip($0, .comma))?.end }
    if let all = phrase(.wholes, at: index) {
      add(whole(at: all.end).filter { date(of: $0.value).map { $0.grain > .day || $0.lastDay > $0.firstDay } ?? false })
      {
        $0
      }
      for hit in moments(at: all.end) where hit.value.part != nil && !hit.value.hasClock {
        if let finding = finding(hit.value) { found.append(Hit(value: finding, end: hit.end)) }
      }
    }
    return found
  }

  /// "This time tomorrow", "same time next week", "tomorrow at the same time": the clock shows what it shows now.
  func sameTimes(at index: Int) -> [Hit<GrammarFinding>] {
    func shown(_ hit: Hit<Moment>, end: Int) -> Hit<GrammarFinding>? {
      guard hit.value.hasDate, !hit.value.hasClock, hit.value.part == nil, !hit.value.latent,
        let period = date(of: hit.value)
      else { return nil }
      let clock = Civil.modulo(context.now, Civil.secondsPerDay)
      let time =
        period.grain > .day
        ? Civil.add(1, period.grain, to: context.now) : period.firstDay * Civil.secondsPerDay + clock
      guard time >= period.start, time < period.end else { return nil }
      var finding = GrammarFinding(placed: [Placed(period: Period(time, .minute))], doubt: hit.value.doubt)
      finding.hasClock = true
      return Hit(value: finding, end: end)
    }
    let start = skip(index, [.at, .roughly])
    if let same = phrase(.sameTimes, at: start) {
      return moments(at: same.end).compactMap { shown($0, end: $0.end) }
    }
    return dates(at: index).compactMap { hit in
      phrase(.sameTimes, at: skip(hit.end, [.at, .roughly])).flatMap { shown(hit, end: $0.end) }
    }
  }

  private func dates(at index: Int) -> [Hit<Moment>] { moments(at: index).filter { $0.value.hasDate } }
}
