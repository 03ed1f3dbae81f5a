import Core
import Documents

/// What an entry and the changes to single occurrences of it come to within a span of time.
struct CalendarSeries {
  /// nil where only changed occurrences are known.
  var master: ParsedEntry?
  var changes: [ParsedEntry]
  let span: Range<Int>
  let budget: CalendarBudget

  /// One time it takes place, before anything is made of it.
  private struct Planned: Hashable {
    var wall: WallTime
    var length: CalendarLength?

    static func == (first: Planned, second: Planned) -> Bool { first.wall == second.wall }
    func hash(into hasher: inout Hasher) { hasher.combine(wall) }
  }

  /// How an occurrence may be named: by its instant, by what its clock shows, or by its day.
  private struct Names {
    var instants: Set<Int> = []
    var walls: Set<WallTime> = []
    var days: Set<Int> = []

    mutating func insert(_ moment: CalendarMoment) {
      if moment.isDate {
        days.insert(moment.wall.day)
      } else {
        instants.insert(moment.instant)
        walls.insert(moment.wall)
      }
    }

    func name(_ moment: CalendarMoment) -> Bool {
      moment.isDate
        ? days.contains(moment.wall.day) : instants.contains(moment.instant) || walls.contains(moment.wall)
    }

    /// Of whole days the day counts, however the name is written.
    func contain(_ moment: CalendarMoment) -> Bool {
      if days.contains(moment.wall.day) { return true }
      if moment.isDate { return walls.contains { $0.day == moment.wall.day } }
      return instants.contains(moment.instant) || walls.contains(moment.wall)
    }
  }

  /// Everything within the span, each given to `emit`; returns why it is not all of it.
  func expand(_ keep: (CalendarOccurrence) -> Bool) -> CalendarBudget.Problem? {
    let allowance = budget.entry()
    func emit(_ occurrence: CalendarOccurrence) {
      if !budget.isSpent, !keep(occurrence) { allowance.stop(.occurrences, forAll: true) }
    }
    var excluded = Names()
    for moment in master?.exceptions ?? [] { excluded.insert(moment) }
    let changes = latest(changes)
    var changed = Names()
    for change in changes { if let moment = change.recurrence { changed.insert(moment) } }
    if let master, let start = master.start {
      let onward = changes.filter { $0.isThisAndFuture && $0.start != nil }
        .sorted { ($0.recurrence?.instant ?? 0) < ($1.recurrence?.instant ?? 0) }
      let since = onward.map { $0.recurrence?.instant ?? .max }
      var reached = 0
      for one in planned(master, start, allowance, shift: onward.map(Self.shift).map(abs).max() ?? 0) {
        var moment = start
        moment.wall = one.wall
        guard !excluded.contain(moment), !changed.contain(moment) else { continue }
        while reached < since.count, since[reached] < moment.instant { reached += 1 }
        let source = reached > 0 ? onward[reached - 1] : nil
        give(source ?? master, moment, one.length, movedBy: source.map(Self.shift) ?? 0, emit)
      }
    } else if let master, master.start == nil, master.kind == .task {
      emit(occurrence(master, at: nil, length: CalendarLength(), planned: nil))
    }
    for change in changes {
      // Its own name taken out takes it out; a whole day taken out is about what the rules say.
      guard let moment = change.start, change.recurrence.map({ !excluded.name($0) }) ?? true else { continue }
      give(change, moment, nil, movedBy: 0, emit)
    }
    return allowance.problem
  }

  /// Of several changes to one occurrence the last revision counts.
  private func latest(_ changes: [ParsedEntry]) -> [ParsedEntry] {
    var kept: [Int: Int] = [:]
    for (index, change) in changes.enumerated() {
      guard let key = change.recurrence?.instant else { continue }
      if let other = kept[key], changes[other].sequence >= change.sequence { continue }
      kept[key] = index
    }
    return kept.values.sorted().map { changes[$0] }
  }

  /// How far a change that holds for all later occurrences moves them.
  private static func shift(_ change: ParsedEntry) -> Int {
    guard let start = change.start, let planned = change.recurrence else { return 0 }
    return start.instant - planned.instant
  }

  // MARK: - Repetition

  private func planned(
    _ master: ParsedEntry, _ start: CalendarMoment, _ allowance: CalendarBudget.Entry, shift: Int
  ) -> [Planned] {
    var found: Set<Planned> = []
    let slack = 2 * Civil.secondsPerDay
    let longest = changes.map(\.length.total).reduce(master.length.total, max)
    let lower = WallTime(seconds: span.lowerBound - longest - shift - slack)
    let upper = WallTime(seconds: span.upperBound + shift + slack)
    // An entry is its own first occurrence, unless its rules ended before it.
    if master.rules.isEmpty || master.rules.contains(where: { $0.allows(start) }) {
      found.insert(Planned(wall: start.wall))
    }
    for date in master.dates {
      // Planned on the clock of the entry, wherever the date was written.
      let wall = date.moment.isDate || date.moment.isFloating ? date.moment.wall : start.zone.wall(date.moment.instant)
      let own =
        date.moment.isDate && !start.isDate ? wall.moved(by: start.wall.seconds - start.wall.midnight.seconds) : wall
      found.update(with: Planned(wall: start.isDate ? own.midnight : own, length: date.length))
    }
    for rule in master.rules {
      walls(of: rule, start, lower, upper, allowance) { found.insert(Planned(wall: $0)) }
    }
    for rule in master.exceptionRules {
      walls(of: rule, start, lower, upper, allowance) { found.remove(Planned(wall: $0)) }
    }
    return found.filter { $0.wall >= lower && $0.wall <= upper }.sorted { $0.wall < $1.wall }
  }

  private func walls(
    of rule: RepeatingRule, _ start: CalendarMoment, _ lower: WallTime, _ upper: WallTime,
    _ allowance: CalendarBudget.Entry, found: (WallTime) -> Void
  ) {
    let bounds = min(lower, upper)...upper
    guard var steps = RuleSteps(rule, from: start.wall, isDate: start.isDate, within: bounds, allowance) else {
      return allowance.stop(.rule)
    }
    while let wall = steps.next(), wall <= upper {
      var moment = start
      moment.wall = wall
      guard rule.allows(moment) else { return }
      guard wall >= lower else { continue }
      guard allowance.keep() else { return }
      found(wall)
    }
  }

  // MARK: - Occurrences

  private func give(
    _ entry: ParsedEntry, _ planned: CalendarMoment, _ length: CalendarLength?, movedBy shift: Int,
    _ emit: (CalendarOccurrence) -> Void
  ) {
    var moment = planned
    if shift != 0 { moment.wall = moment.wall.moved(by: shift) }
    // A change for all later ones may also make days of times.
    if let start = entry.start, start.isDate != moment.isDate {
      (moment.isDate, moment.zone, moment.isFloating) = (start.isDate, start.zone, start.isFloating)
      if moment.isDate { moment.wall = moment.wall.midnight }
    }
    let one = occurrence(entry, at: moment, length: length ?? entry.length, planned: planned)
    guard let start = one.start, start < span.upperBound, max(one.end ?? start, start + 1) > span.lowerBound else {
      return
    }
    emit(one)
  }

  private func occurrence(
    _ entry: ParsedEntry, at moment: CalendarMoment?, length: CalendarLength, planned: CalendarMoment?
  ) -> CalendarOccurrence {
    var one = CalendarOccurrence(kind: entry.kind, uid: entry.uid, title: entry.title)
    one.location = entry.location
    one.status = entry.status
    one.repeats = master?.repeats ?? true
    if one.repeats { one.recurrence = (entry.recurrence ?? planned).map { $0.wall.iso(isDate: $0.isDate) } }
    guard let moment else { return one }
    let begin = moment.instant
    let end = length.total == 0 ? begin : moment.zone.instant(moment.wall.moved(by: length.wall)) + length.exact
    one.start = entry.kind == .task ? end : begin
    if entry.kind == .event, end > begin { one.end = end }
    one.isAllDay = moment.isDate
    one.zone = moment.isFloating ? nil : moment.zone.name
    switch entry.alarm {
    case .beforeStart(let seconds): one.alarm = seconds + begin - (one.start ?? begin)
    case .beforeEnd(let seconds): one.alarm = seconds + end - (one.start ?? begin)
    case .at(let instant): one.alarm = one.repeats ? nil : instant - (one.start ?? begin)
    case nil: break
    }
    return one
  }
}
