import Core
package import Foundation

/// Finds and resolves the time expressions of an utterance. The same words, reference and zone always give the
/// same readings; the conventions are written down in docs/time.md.
package struct TimeResolver: Sendable {
  /// Which of two numbers is the day: 3/4 is the 4th of March or the 3rd of April.
  package enum English: String, Sendable {
    case american, british

    /// English of the United States and its neighbours writes the month first, everyone else the day.
    package init(locale: String) {
      let region = locale.split(whereSeparator: { "_-.".contains($0) }).dropFirst().first.map { $0.uppercased() }
      self = region == nil || ["US", "PH", "PR", "GU"].contains(region ?? "") ? .american : .british
    }
  }

  package var english: English
  /// Where it is nil, the words tell.
  package var language: Language?
  package var zone: TimeZone
  /// Of an hour on some day that the clock shows twice the morning's is meant.
  var isMorning = false
  /// Local seconds since 1970 at the reference moment.
  package var now: Int

  package init(reference: Date, zone: TimeZone = .current, english: English = .american) {
    self.english = english
    self.zone = zone
    let seconds = Int(reference.timeIntervalSince1970.rounded(.down))
    now = seconds + zone.secondsFromGMT(for: reference)
  }

  /// With the reference as local ISO 8601 ("2013-02-12T04:30:00"); nil when it is not.
  package init?(local reference: String, zone: TimeZone = .current, english: English = .american) {
    guard let now = Civil.parse(reference) else { return nil }
    self.english = english
    self.zone = zone
    self.now = now
  }

  /// `surroundings` is what the words were taken from, where they were: it may speak of dinner.
  package func readings(in text: String, of surroundings: String? = nil) -> TimeResult {
    guard let language = language ?? Language.spoken(in: text) else { return TimeResult(readings: [], unexplained: []) }
    let tokens = Token.split(text, language.vocabulary).filter { !$0.words.contains(.hesitation) }
    guard !tokens.isEmpty else { return TimeResult(readings: [], unexplained: []) }
    let walls = Walls(zone: zone)
    let context = GrammarContext(
      now: now, dayFirst: english == .british || language.isDayFirst,
      isEvening: (surroundings.map { Token.split($0, language.vocabulary) } ?? tokens).contains {
        language.eveningThings.contains($0.stem)
      },
      isMorning: isMorning, elapse: { walls.add($1, to: $0) }, offset: { walls.offset(at: $0) })
    var chosen: [Piece] = []
    // Long text is read in windows that overlap, so that the work grows with its length and no faster.
    var start = 0
    while start < tokens.count {
      let end = min(tokens.count, start + 96)
      let grammar = Grammar(Array(tokens[start..<end]), context, language)
      let pieces = Piece.cover(grammar)
      let limit = end == tokens.count ? Int.max : 64
      for piece in pieces where piece.start < limit {
        chosen.append(piece.moved(by: start))
      }
      let reached = pieces.last { $0.start < limit }.map { max($0.end, 64) } ?? 64
      if end == tokens.count { break }
      start += reached
    }
    var readings: [TimeReading] = []
    var explained = Set<Int>()
    var impossible: [Range<Int>] = []
    for piece in chosen {
      guard !piece.isImpossible else {
        impossible.append(tokens[piece.start].start..<tokens[piece.end - 1].end)
        continue
      }
      explained.formUnion(piece.start..<piece.end)
      readings += piece.written(tokens, text, walls)
    }
    // "An all-day event" says how long, beside a date or without one.
    for index in tokens.indices where !explained.contains(index) {
      if let end = language.plain[.allDay]?.longest(tokens, at: index)?.end { explained.formUnion(index..<end) }
    }
    readings.sort { $0.confidence > $1.confidence }
    return TimeResult(
      readings: readings, unexplained: unexplained(tokens, text, explained), impossible: impossible)
  }

  private func unexplained(_ tokens: [Token], _ text: String, _ explained: Set<Int>) -> [String] {
    var found: [String] = []
    for (index, token) in tokens.enumerated() where !explained.contains(index) {
      let next = index + 1 < tokens.count ? tokens[index + 1] : nil
      let counted =
        token.unit != nil && index > 0 && (tokens[index - 1].kind == .number || tokens[index - 1].cardinal != nil)
      let clock = token.kind == .number && next?.text == ":" && next?.glued == true
      let named = (token.weekday != nil || token.month != nil) && !token.words.contains(.ambiguous)
      let period = token.unit.map { $0 >= .day } ?? false
      if token.words.contains(.timeLike) || named || counted || clock || period {
        found.append(String(decoding: Array(text.utf8)[token.start..<token.end], as: UTF8.self))
      }
    }
    return found
  }
}

/// Wall-clock time in a zone. A local time that the clocks skip moves forward by the gap; one that comes twice is the first.
struct Walls: Sendable {
  var zone: TimeZone

  func offset(at local: Int) -> Int { zone.secondsFromGMT(for: date(local)) }

  /// The offset in force at a local time taken as universal time: off by at most the width of a change.
  private func offsetOfUTC(_ local: Int) -> Int {
    let before = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - Civil.secondsPerDay)))
    let after = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local + Civil.secondsPerDay)))
    guard before != after else { return before }
    // With the offset of the day before, a repeated hour is its first pass.
    let first = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - before)))
    if first == before { return before }
    let second = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - after)))
    return second == after ? after : before
  }

  func instant(_ local: Int) -> Int { local - offsetOfUTC(local) }

  func date(_ local: Int) -> Date { Date(timeIntervalSince1970: Double(instant(local))) }

  func local(_ instant: Int) -> Int {
    instant + zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
  }

  /// The nearest local time that exists.
  func existing(_ local: Int) -> Int { self.local(instant(local)) }

  /// The other offset of a local time that comes twice.
  func second(_ local: Int) -> Int? {
    let first = instant(local)
    for gap in [1800, 3600, 7200] where self.local(first + gap) == local { return offset(at: local) - gap }
    return nil
  }

  func add(_ seconds: Int, to local: Int) -> Int { self.local(instant(local) + seconds) }
}
