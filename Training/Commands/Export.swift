import Commands
import Foundation

/// The examples as `tune.py` learns from them: words, the slot of each word, the label.
struct Export {
  private struct Line: Encodable {
    var text: String
    var words: [String]
    /// "B-title", "I-title", ..., "O"; null where nobody marked whether the word belongs to a slot.
    var tags: [String?]?
    var label: String
    var source: String
    var group: Int
    var noisy: Bool
    /// Learned from; otherwise only judged.
    var learn: Bool
  }

  static func write(_ examples: [Example], to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = Data()
    for example in examples {
      for noisy in [false, true] {
        data += try encoder.encode(line(example, noisy: noisy))
        data.append(0x0A)
      }
    }
    try data.write(to: file)
  }

  private static func line(_ example: Example, noisy: Bool) -> Line {
    let isOurs = !["hwu64", "slurp"].contains(example.source)
    let text = noisy ? SpeechNoise.applied(example.text) : example.text
    let words = EncoderReader.words(text)
    let slots = noisy ? heardSlots(example, words) : words.map { slot(of: $0.bytes, in: example) }
    return Line(
      text: text, words: words.map(\.text),
      tags: example.intent == .none ? nil : tags(slots, in: example, isOurs: isOurs, words.map(\.text)),
      label: example.label, source: example.source, group: example.group, noisy: noisy,
      learn: !noisy || example.source == "written" || !isOurs && example.intent != .none)
  }

  private static func slot(of bytes: Range<Int>, in example: Example) -> (slot: String, number: Int)? {
    example.spans.enumerated().first { $1.bytes.overlaps(bytes) }.map { ($1.slot, $0) }
  }

  /// A heard word has the slot of the spoken word that it came from.
  private static func heardSlots(_ example: Example, _ words: [(text: String, bytes: Range<Int>)]) -> [(
    slot: String, number: Int
  )?] {
    var spoken: [Range<Int>] = []
    var at = 0
    for part in example.text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
      if !part.isEmpty { spoken.append(at..<(at + part.count)) }
      at += part.count + 1
    }
    var places: [(heard: Range<Int>, spoken: Int?)] = []
    at = 0
    for word in SpeechNoise.heard(example.text) {
      places.append((at..<(at + word.text.utf8.count), word.spoken))
      at += word.text.utf8.count + 1
    }
    return words.map { word in
      guard let place = places.first(where: { $0.heard.overlaps(word.bytes) }), let number = place.spoken,
        spoken.indices.contains(number)
      else { return nil }
      return slot(of: spoken[number], in: example)
    }
  }

  /// The corpora mark names of events, persons and times, and leave open what else belongs to a title or a message.
  private static func tags(
    _ slots: [(slot: String, number: Int)?], in example: Example, isOurs: Bool, _ words: [String]
  ) -> [String?] {
    let hasTitle = example.slots["title"] != nil
    return slots.indices.map { index in
      guard let (slot, number) = slots[index] else {
        if isOurs { return "O" }
        // "Meeting with John": whether "with" belongs to the title is not said.
        let isJoint = ["with", "for", "at", "about", "in", "of", "and", "to"].contains(words[index].lowercased())
        return hasTitle && !isJoint ? "O" : nil
      }
      let name = slot == "to" ? "recipient" : slot
      // Whom a mail is from is no slot of the frame.
      if slot == "from" || !isOurs && slot == "to" && example.intent != .sendEmail { return nil }
      let begins = index == 0 || slots[index - 1]?.number != number
      return (begins ? "B-" : "I-") + name
    }
  }
}
