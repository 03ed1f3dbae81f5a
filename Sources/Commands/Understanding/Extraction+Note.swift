/// What is to be noted: the words behind the asking, or those before it.
extension Extraction {
  func note() -> Found {
    var found = Found()
    let body = phrasing.body
    var end = body.lowerBound
    for start in body where end == body.lowerBound {
      if let hit = CommandWords.asked(phrasing.tokens, at: start), hit.payload == .createNote { end = hit.end }
    }
    // "… write that down" stands behind what is to be written.
    if end >= body.upperBound
      || phrasing.find(["write", "that", "down"], from: body.lowerBound) ?? 0 > body.lowerBound + 2
    {
      let tail =
        phrasing.find(["write", "that", "down"], from: body.lowerBound)
        ?? phrasing.find(["note", "that", "down"], from: body.lowerBound)
      if let tail {
        let words = trimmed(Array(body.lowerBound..<tail), lead: .recordLead)
        found.place(words, as: .title, written(words))
      }
      return found
    }
    var kept = Array(end..<body.upperBound)
    // Only as many leading words as can belong to the asking: "note that the wifi …" keeps "the".
    var dropped = 0
    while let first = kept.first, dropped < 4,
      phrasing.tokens[first].kind == .symbol
        || ["me", "us"].contains(phrasing.word(first)) && phrasing.word(first - 1) == "for"
        || Said.noteLead.contains(phrasing.word(first))
          && !(phrasing.word(first) == "the" && phrasing.word(first + 1) != "following")
    {
      if ["this", "it"].contains(phrasing.word(first)), kept.count > 1, dropped == 0,
        phrasing.tokens[first + 1].kind == .word, phrasing.word(first + 1) != "down"
      {
        break
      }
      kept.removeFirst()
      dropped += 1
    }
    kept = trimmedEnd(kept)
    found.place(kept, as: .title, written(kept))
    return found
  }

  private func trimmedEnd(_ indices: [Int]) -> [Int] {
    var kept = indices[...]
    while let last = kept.last, phrasing.tokens[last].kind == .symbol,
      ![")", "\"", "!", "%", "'"].contains(phrasing.word(last))
    { kept.removeLast() }
    return Array(kept)
  }
}
