import Core

/// The four seasons by name, and the one now is in.
extension Grammar {
  func seasons(at index: Int) -> [Hit<Moment>] {
    let step = step(at: index)
    var at = step?.end ?? skip(index, [.the, .in])
    if step == nil { at = skip(at, .the) }
    if has(at, .season) {
      guard let step else { return [] }
      return [Hit(value: season(step.value.distance), end: at + 1)]
    }
    guard let name = language.seasons.longest(tokens, at: at) else { return [] }
    // "fall" and "spring" are verbs as well.
    let latent = step == nil && has(at, .ambiguous) && at == index
    let rule = Yearly { Self.season(name.payload, $0) }
    if let year = year(at: name.end) {
      return occurrences(rule, years: year.value...year.value).map {
        Hit(value: Moment(anchor: $0, anchorIsRange: true), end: year.end)
      }
    }
    let year = Civil.date(context.today).year
    let all = occurrences(rule, years: (year - 2)...(year + 2))
    guard let ahead = all.firstIndex(where: { $0.lastDay >= context.today }) else { return [] }
    var chosen = ahead
    if step?.value == .last { chosen -= 1 }
    if step?.value == .next, all[ahead].firstDay <= context.today { chosen += 1 }
    return [Hit(value: Moment(anchor: all[chosen], anchorIsRange: true, latent: latent), end: name.end)]
  }

  private static func season(_ which: Int, _ year: Int) -> Range<Int> {
    switch which {
    case 0: Civil.day(year, 3, 20)..<Civil.day(year, 6, 22)
    case 1: Civil.day(year, 6, 21)..<Civil.day(year, 9, 24)
    case 2: Civil.day(year, 9, 23)..<Civil.day(year, 12, 22)
    default: Civil.day(year, 12, 21)..<Civil.day(year + 1, 3, 21)
    }
  }

  /// The season now is in, or a neighbour; seasons change on the 20th to 23rd.
  private func season(_ distance: Int) -> Moment {
    let year = Civil.date(context.today).year
    let starts = ((year - 2)...(year + 2)).flatMap {
      [Civil.day($0, 3, 20), Civil.day($0, 6, 21), Civil.day($0, 9, 23), Civil.day($0, 12, 21)]
    }
    let now = (starts.lastIndex { $0 <= context.today } ?? 4) + distance
    // The named last day is two days before the next season: conventions count a season to the eve of the change.
    let range = Period(
      start: starts[now] * Civil.secondsPerDay, end: (starts[now + 1] - 1) * Civil.secondsPerDay, grain: .day)
    return Moment(anchor: range, anchorIsRange: true)
  }
}
