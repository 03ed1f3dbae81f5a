/// Where rules and encoder disagree about the words of a slot, the encoder may mend what the rules took, if it is sure of every
/// word in question: whom a mail goes to, words that a title lacks, a message that the rules did not find. It never shortens a
/// text. What it gives are words of the utterance, as the rules' are.
extension Extraction {
  /// Found on sources that the encoder had not seen.
  static let sure = 0.9

  func compare(_ found: inout Found, _ intent: Intent, _ reading: EncoderReading) {
    switch intent {
    case .createEvent, .addReminder, .createNote: mendTitle(&found, intent, reading)
    case .sendEmail: mendMail(&found, reading)
    case .readEmail, .setAlarm, .stopAlarm, .showAlarms, .none: return
    }
    found.agreement = agreement(found, reading)
  }

  private func mendTitle(_ found: inout Found, _ intent: Intent, _ reading: EncoderReading) {
    var words = read(.title, reading)
    if intent != .createNote {
      words = words.filter { !isTime($0, found.timing) }
      words = intent == .createEvent ? trimmed(words, lead: .articles) : trimmed(words)
    }
    guard !words.isEmpty, decides(.title, words, over: found, reading) else { return }
    found.place(words, as: .title, written(words))
  }

  private func mendMail(_ found: inout Found, _ reading: EncoderReading) {
    var mended = found
    for slot in [EncoderReading.Slot.recipient, .subject, .body] {
      let words = read(slot, reading)
      guard let first = words.first, let last = words.last, decides(slot, words, over: found, reading) else { continue }
      take(first..<(last + 1), as: slot, into: &mended)
    }
    let placed = mended.places.values.flatMap(\.self)
    // One word in two slots: the rules' own division stands.
    if Set(placed).count == placed.count { found = mended }
  }

  /// The words that the encoder thinks belong to a slot, without the marks at its ends.
  private func read(_ slot: EncoderReading.Slot, _ reading: EncoderReading) -> [Int] {
    var words = phrasing.body.filter { reading.slot($0) == slot }[...]
    func isMark(_ index: Int) -> Bool {
      phrasing.tokens[index].kind == .symbol && !["\"", ")", "(", "@", "!"].contains(phrasing.word(index))
    }
    // Half of what is written as one word is none: "info@garage" of "info@garage.example".
    while let last = words.last, let more = joined(to: last, by: 1) { words += more }
    while let first = words.first, let more = joined(to: first, by: -1) { words = ArraySlice(more.reversed() + words) }
    while let first = words.first, isMark(first) { words.removeFirst() }
    while let last = words.last, isMark(last) { words.removeLast() }
    return Array(words)
  }

  /// What is written as one word with it, towards the end (1) or the beginning (-1) of the utterance.
  private func joined(to index: Int, by step: Int) -> [Int]? {
    func isGlued(_ at: Int) -> Bool {
      phrasing.body.contains(at) && phrasing.tokens[step > 0 ? at : at + 1].glued
    }
    let next = index + step
    guard isGlued(next) else { return nil }
    if phrasing.tokens[next].kind != .symbol { return [next] }
    let beyond = next + step
    guard ["@", ".", "-", "_", "+", "/"].contains(phrasing.word(next)), isGlued(beyond),
      phrasing.tokens[beyond].kind != .symbol
    else { return nil }
    return [next, beyond]
  }

  private func decides(
    _ slot: EncoderReading.Slot, _ words: [Int], over found: Found, _ reading: EncoderReading
  ) -> Bool {
    let read = Set(words)
    let taken = Set(found.places[slot] ?? [])
    guard slot == .recipient || taken.isEmpty || slot == .title && taken.isSubset(of: read) else { return false }
    let differing = read.symmetricDifference(taken).filter { phrasing.tokens[$0].kind != .symbol }
    return !differing.isEmpty
      && differing.allSatisfy { index in
        guard reading.words.indices.contains(index) else { return false }
        let probability = reading.probability(slot, index)
        return (read.contains(index) ? probability : 1 - probability) >= Self.sure
      }
  }

  private func agreement(_ found: Found, _ reading: EncoderReading) -> (mean: Double, weakest: Double)? {
    let probabilities: [Double] = phrasing.body.compactMap { index in
      guard phrasing.tokens[index].kind != .symbol, reading.words.indices.contains(index) else { return nil }
      for (slot, words) in found.places where words.contains(index) { return reading.probability(slot, index) }
      // A time is no slot of a mail or a note.
      return reading.probability(.other, index) + reading.probability(.time, index)
    }
    guard let weakest = probabilities.min() else { return nil }
    return (probabilities.reduce(0, +) / Double(probabilities.count), weakest)
  }
}

extension Extraction.Found {
  mutating func place(_ words: [Int], as slot: EncoderReading.Slot, _ text: String?) {
    places[slot] = text == nil ? nil : words
    switch slot {
    case .title: slots.title = text
    case .subject: slots.emailSubject = text
    case .body: slots.emailBody = text
    case .recipient, .time, .other: break
    }
  }
}
