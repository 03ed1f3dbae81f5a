import Core

/// Which mail is asked for: from whom, about what, of when.
extension Extraction {
  func readingMail() -> Found {
    var found = Found()
    let timing = timingOfMail
    found.timing = timing
    found.slots.datetimePoint = timing.point
    found.slots.datetimeRange = timing.range
    // Mail of this week is that of all its days.
    if timing.isVague, let grain = timing.grain, let start = timing.point.flatMap(Civil.parse) {
      found.slots.datetimePoint = nil
      found.slots.datetimeRange = Civil.iso(start) + "/" + Civil.iso(Civil.add(1, grain, to: start))
    }
    let body = phrasing.body
    if let about = phrasing.find(["about"], from: body.lowerBound)
      ?? phrasing.find(["regarding"], from: body.lowerBound), about + 1 < body.upperBound
    {
      let topic = ((about + 1)..<body.upperBound).filter { index in
        !isTime(index, timing) && phrasing.tokens[index].kind != .symbol
          && !(index == about + 1 && ["the", "my", "a"].contains(phrasing.word(index)))
      }
      found.emailAbout = written(topic)
    }
    found.emailFrom = sender(timing)
    return found
  }

  /// "Mail from this morning" came within it, not after it.
  private var timingOfMail: Timing {
    let readings = times.readings.filter { $0.kind != .duration }.map { reading in
      guard reading.open == .after, reading.text.lowercased().hasPrefix("from "),
        var inner = resolver.readings(in: String(reading.text.dropFirst(5))).readings.first
      else { return reading }
      (inner.start, inner.end) = (reading.start, reading.end)
      return inner
    }
    return Timing(
      TimeResult(readings: readings, unexplained: times.unexplained), in: 0..<phrasing.bytes.count,
      of: phrasing.bytes, with: resolver)
  }

  private func sender(_ timing: Timing) -> String? {
    let body = phrasing.body
    if let from = phrasing.find(["from"], from: body.lowerBound) ?? phrasing.find(["by"], from: body.lowerBound),
      from + 1 < body.upperBound
    {
      let words = (from + 1..<min(body.upperBound, from + 7)).prefix {
        !Said.senderEnds.contains(phrasing.word($0)) && phrasing.word($0) != "?" && !isTime($0, timing)
      }
      return words.isEmpty ? nil : recipients(words.startIndex..<words.endIndex).first
    }
    // "Check if Tom has replied"
    if let whether = body.first(where: { ["if", "whether"].contains(phrasing.word($0)) }),
      let has = phrasing.find(["has"], from: whether + 2)
    {
      return recipients((whether + 1)..<has).first
    }
    guard let did = body.prefix(2).first(where: { ["did", "has"].contains(phrasing.word($0)) }),
      let stop = body.first(where: { Said.mailVerbs.contains(phrasing.word($0)) }), stop > did + 1
    else { return nil }
    return recipients((did + 1)..<stop).first
  }
}
