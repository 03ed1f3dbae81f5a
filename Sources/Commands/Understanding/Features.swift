/// The features of an utterance that the intent classifier sees: hashed n-grams of words and of letters, once as spoken and
/// once with times, numbers and addresses replaced by their kind.
enum Features {
  static let buckets = 1 << 15

  static func extract(_ tokens: [Token], _ readings: [TimeReading]) -> [Int] {
    let tokens = Array(tokens.prefix(60))
    var found = Set<Int>()
    let words = tokens.filter { $0.kind != .symbol }.map { $0.kind == .number ? "#" : $0.text }
    grams(words, 1...3, salt: 1, into: &found)
    let masked = mask(tokens, readings)
    grams(masked, 1...4, salt: 2, into: &found)
    // How it begins says most of what is wanted.
    for count in 1...4 where masked.count >= count {
      add("^" + masked.prefix(count).joined(separator: " "), salt: 3, &found)
    }
    for count in 1...2 where masked.count > count {
      add(masked.suffix(count).joined(separator: " ") + "$", salt: 3, &found)
    }
    letters(words.prefix(24).joined(separator: " "), 2...5, into: &found)
    for kind in Set(readings.map(\.kind)) { add("has " + kind.rawValue, salt: 4, &found) }
    add("length \(min(8, words.count / 3))", salt: 4, &found)
    return found.sorted()
  }

  /// "remind me <t> to call": one word for each time, number and address.
  private static func mask(_ tokens: [Token], _ readings: [TimeReading]) -> [String] {
    var result: [String] = []
    for token in tokens {
      if let reading = readings.first(where: { token.start >= $0.start && token.end <= $0.end }) {
        let name = reading.kind == .duration ? "<d>" : reading.kind == .recurrence ? "<r>" : "<t>"
        if result.last != name { result.append(name) }
      } else if token.kind == .number {
        if result.last != "#" { result.append("#") }
      } else if token.kind == .word {
        result.append(token.text)
      } else if token.text == "@" {
        result.append("@")
      }
    }
    return result
  }

  private static func grams(_ words: [String], _ sizes: ClosedRange<Int>, salt: UInt64, into found: inout Set<Int>) {
    for size in sizes where words.count >= size {
      for start in 0...(words.count - size) {
        add(words[start..<(start + size)].joined(separator: " "), salt: salt, &found)
      }
    }
  }

  private static func letters(_ text: String, _ sizes: ClosedRange<Int>, into found: inout Set<Int>) {
    let bytes = Array((" " + text + " ").utf8.prefix(160))
    for size in sizes where bytes.count >= size {
      for start in 0...(bytes.count - size) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ 5
        for byte in bytes[start..<(start + size)] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        found.insert(Int(truncatingIfNeeded: (hash ^ (hash >> 29)) & UInt64(buckets - 1)))
      }
    }
  }

  private static func add(_ text: String, salt: UInt64, _ found: inout Set<Int>) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ (salt &* 0x9e37_79b9_7f4a_7c15)
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    found.insert(Int(truncatingIfNeeded: (hash ^ (hash >> 29)) & UInt64(buckets - 1)))
  }
}
