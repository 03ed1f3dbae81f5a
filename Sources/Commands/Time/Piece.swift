import Core

/// Words that were read as one expression, with what they may mean.
struct Piece {
  var start: Int
  var end: Int
  var findings: [GrammarFinding]

  /// What it says is no time: no month has such a day, no length is less than nothing.
  var isImpossible: Bool { findings.allSatisfy(\.isImpossible) }

  func moved(by count: Int) -> Piece {
    Piece(start: start + count, end: end + count, findings: findings)
  }

  /// The best cover of an utterance by expressions: as many words as possible explained by as few expressions as possible.
  static func cover(_ grammar: Grammar) -> [Piece] {
    let count = grammar.tokens.count
    var best = [Double](repeating: 0, count: count + 1)
    var choice = [(end: Int, findings: [GrammarFinding])?](repeating: nil, count: count)
    for start in stride(from: count - 1, through: 0, by: -1) {
      best[start] = best[start + 1]
      var byEnd: [Int: [GrammarFinding]] = [:]
      for hit in grammar.findings(at: start) { byEnd[hit.end, default: []].append(hit.value) }
      for (end, findings) in byEnd.sorted(by: { $0.key < $1.key }) {
        let doubt = findings.map(\.doubt).min() ?? 0
        let score = Double(end - start) * 10 - 6 - doubt * 4 + best[end]
        if score > best[start] + 1e-9 {
          best[start] = score
          choice[start] = (end, findings)
        }
      }
    }
    var pieces: [Piece] = []
    var at = 0
    while at < count {
      if let (end, findings) = choice[at], best[at] > best[at + 1] {
        pieces.append(Piece(start: at, end: end, findings: findings))
        at = end
      } else {
        at += 1
      }
    }
    return pieces
  }

  /// The readings of these words, best first; what means the same appears once.
  func written(_ tokens: [Token], _ text: String, _ walls: Walls) -> [TimeReading] {
    var found: [TimeReading] = []
    let from = tokens[start].start
    let until = tokens[end - 1].end
    let words = String(
      decoding: Array(
        text.utf8[text.utf8.index(text.startIndex, offsetBy: from)..<text.utf8.index(text.startIndex, offsetBy: until)]),
      as: UTF8.self)
    for (rank, finding) in findings.sorted(by: { preference($0) < preference($1) }).enumerated() {
      let certainty = max(0.05, 0.97 - finding.doubt * 0.4 - Double(rank) * 0.12)
      if let length = finding.length {
        found.append(
          TimeReading(
            text: words, start: from, end: until, kind: .duration, value: length.iso, grain: length.finest,
            confidence: certainty, minutes: length.minutes))
        continue
      }
      for placed in finding.placed {
        found += write(placed, finding, words, from, until, certainty, walls)
      }
    }
    var seen = Set<String>()
    found.sort { $0.confidence > $1.confidence }
    return Array(
      found.filter {
        seen.insert("\($0.kind)\($0.value)\($0.rrule ?? "")\($0.utcOffset ?? 0)\($0.open?.rawValue ?? "")").inserted
      }.prefix(6))
  }

  /// Fewer guesses first; a repetition before a single day, a range before a bound.
  private func preference(_ finding: GrammarFinding) -> Double {
    var value = finding.doubt
    if finding.recurrence != nil { value -= 2 }
    if finding.placed.first?.isRange == true, finding.moment == nil { value -= 0.2 }
    if finding.moment?.latent == true { value += 0.15 }
    return value
  }

  private func write(
    _ placed: Placed, _ finding: GrammarFinding, _ words: String, _ from: Int, _ until: Int, _ certainty: Double,
    _ walls: Walls
  ) -> [TimeReading] {
    let start = placed.period.grain < .day ? walls.existing(placed.period.start) : placed.period.start
    guard Civil.writable.contains(start), placed.period.end < Civil.writable.upperBound else { return [] }
    let kind: TimeReading.Kind = finding.recurrence != nil ? .recurrence : placed.isRange ? .range : .point
    let end = placed.period.grain < .day ? walls.existing(placed.period.end) : placed.period.end
    let value = placed.isRange && finding.recurrence == nil ? Civil.iso(start) + "/" + Civil.iso(end) : Civil.iso(start)
    var confidence = certainty * (placed.weight >= 1 ? 1 : 0.55 + 0.45 * placed.weight)
    if placed.weight < 0.4 { confidence *= 0.5 }
    var reading = TimeReading(
      text: words, start: from, end: until, kind: kind, value: value, utcOffset: walls.offset(at: start),
      grain: placed.period.grain, rrule: finding.recurrence?.rule, open: placed.open, confidence: confidence,
      moment: start,
      until: placed.isRange ? placed.namedEnd ?? end : nil, isDeadline: placed.isDeadline, minutes: finding.minutes,
      hasDate: finding.moment?.hasDate ?? true, hasClock: finding.hasClock)
    reading.isRough = finding.moment?.isRough ?? false || placed.isContradicted
    var found = [reading]
    // An hour that comes twice when clocks go back has two instants.
    if placed.period.grain < .day, let second = walls.second(start) {
      reading.utcOffset = second
      reading.confidence *= 0.4
      found.append(reading)
    }
    return found
  }
}
