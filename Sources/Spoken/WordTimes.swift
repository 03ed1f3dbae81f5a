/// When each word was said. The recogniser marks where it thinks that a stretch of words begins and ends; within one, words get
/// their part of what is heard by their letters, and end at pauses where that fits, rather at a comma or a full stop.
package enum WordTimes {
  /// What the recogniser wrote, in its order: marks, in seconds from the beginning of the sound, and words.
  package enum Written: Equatable, Sendable {
    case mark(Double)
    /// `closes`: a comma or a full stop stands behind it.
    case word(letters: Int, closes: Bool = false)
  }

  /// Frames a second.
  static let rate = 100
  /// Shorter silences are those within words.
  private static let leastPause = 6
  /// Frames that a letter takes at least.
  private static let fastest = 2
  /// So far, in frames, a mark is taken to be off.
  private static let slack = 35

  /// From when to when each word was said, in seconds; none begins before the one before it has ended.
  package static func spread(_ written: [Written], over sound: [Float]) -> [ClosedRange<Double>] {
    let heard = heard(sound)
    let pauses = pauses(in: heard)
    var times: [ClosedRange<Double>] = []
    var (said, from, last): ([Said], Int, Int) = ([], 0, 0)
    func close(at mark: Int) {
      guard !said.isEmpty else { return }
      let start = max(last, pause(near: from, pauses)?.upperBound ?? from)
      let end = max(start, pause(near: mark, pauses)?.lowerBound ?? mark)
      times += words(said, in: start..<max(start, min(max(end, start + said.count), heard.count)), heard, pauses)
      last = times.last.map { Int(($0.upperBound * Double(rate)).rounded()) } ?? last
      said = []
    }
    for each in written {
      switch each {
      case .word(let letters, let closes): said.append(Said(letters: max(1, letters), closes: closes))
      case .mark(let seconds):
        let mark = min(max(last, Int((seconds * Double(rate)).rounded())), heard.count)
        // So much cannot be said in so little time: this mark is wrong.
        guard mark - from >= said.reduce(0, { $0 + $1.letters }) * fastest else { continue }
        close(at: mark)
        from = mark
      }
    }
    close(at: heard.count)
    return times
  }

  /// Whether anything is heard in each frame: clearly more than in the quietest tenth of them, unless that is loud itself.
  static func heard(_ sound: [Float]) -> [Bool] {
    let length = Sound.rate / rate
    let levels = stride(from: 0, to: sound.count - length + 1, by: length).map { at in
      (sound[at..<at + length].reduce(0) { $0 + $1 * $1 } / Float(length)).squareRoot()
    }
    let sorted = levels.sorted()
    guard let loud = sorted.isEmpty ? nil : sorted[sorted.count * 9 / 10] else { return [] }
    let quiet = sorted[sorted.count / 10]
    let least = min(quiet + 0.08 * (loud - quiet), 0.3 * loud)
    return levels.map { $0 > least }
  }

  static func pauses(in heard: [Bool]) -> [Range<Int>] {
    var pauses: [Range<Int>] = []
    var start: Int?
    for (at, isHeard) in (heard + [true]).enumerated() {
      if isHeard, let begin = start {
        if at - begin >= leastPause || begin == 0 || at == heard.count { pauses.append(begin..<at) }
        start = nil
      } else if !isHeard, start == nil {
        start = at
      }
    }
    return pauses
  }

  private static func pause(near place: Int, _ pauses: [Range<Int>]) -> Range<Int>? {
    func distance(_ pause: Range<Int>) -> Int { max(pause.lowerBound - place, place - pause.upperBound, 0) }
    return pauses.min { distance($0) < distance($1) }.flatMap { distance($0) <= slack ? $0 : nil }
  }

  private struct Said {
    var letters: Int
    var closes: Bool
  }

  private static func words(
    _ said: [Said], in range: Range<Int>, _ heard: [Bool], _ pauses: [Range<Int>]
  ) -> [ClosedRange<Double>] {
    var frames = range.filter { heard[$0] }
    if frames.count < said.count { frames = Array(range) }
    func seconds(_ frame: Int) -> Double { Double(frame) / Double(rate) }
    guard let first = frames.first else {
      return said.map { _ in seconds(range.lowerBound)...seconds(range.lowerBound) }
    }
    var lengths: [Int: Int] = [:]
    for pause in pauses where pause.lowerBound > first && pause.upperBound < range.upperBound {
      lengths[frames.count { $0 < pause.lowerBound }] = pause.count
    }
    let ends = ends(said, of: frames.count, pauses: lengths)
    return said.indices.map { word in
      let (from, until) = (word == 0 ? 0 : ends[word - 1], ends[word])
      let start = frames[min(from, frames.count - 1)]
      return seconds(start)...seconds(until > from ? frames[until - 1] + 1 : start)
    }
  }

  /// So far, in frames, an end may lie from where its letters put it.
  private static let reach = 100

  /// How many of `count` frames of sound are over when each word ends. Of all ways the one whose words are nearest to the length of
  /// their letters and that ends most of them at pauses; `pauses` by the frames before them.
  private static func ends(_ said: [Said], of count: Int, pauses: [Int: Int]) -> [Int] {
    // A word has some length however few its letters.
    let weights = said.map { Double($0.letters) + 1.5 }
    let frame = Double(count) / weights.reduce(0, +)
    var before = (low: 0, costs: [0.0])
    var from: [(low: Int, places: [Int])] = []
    var sum = 0.0
    for (word, weight) in weights.enumerated() {
      sum += weight
      let (length, place) = (weight * frame, Int(sum * frame))
      let isLast = word == said.count - 1
      let low = isLast ? count : min(max(place - reach, 0), count)
      let high = isLast ? count : min(place + reach, count)
      var (costs, places) = ([Double](), [Int]())
      for end in low...max(low, high) {
        var best = (cost: Double.infinity, place: before.low)
        // A pause is the end of one word alone: none is without length.
        for (at, cost) in before.costs.enumerated() where before.low + at + said[word].letters <= end {
          let off = Double(end - before.low - at) - length
          let all = cost + off * off / (length + 10)
          if all < best.cost { best = (all, before.low + at) }
        }
        let pause = Double(min(pauses[end] ?? 0, 40))
        costs.append(best.cost - (isLast ? 0 : said[word].closes ? 2 * pause : pause))
        places.append(best.place)
      }
      from.append((low, places))
      before = (low, costs)
    }
    guard before.costs[0].isFinite else { return byLetters(weights, of: count) }
    var ends = [count]
    for (low, places) in from.dropFirst().reversed() { ends.append(places[ends[ends.count - 1] - low]) }
    return ends.reversed()
  }

  /// Where there are more letters than there is time for.
  private static func byLetters(_ weights: [Double], of count: Int) -> [Int] {
    let all = weights.reduce(0, +)
    return weights.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1) }.dropFirst().map {
      Int($0 / all * Double(count))
    }
  }
}
