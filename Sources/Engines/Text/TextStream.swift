/// Turns token bytes into pieces of whole characters, and watches for stop strings that may span pieces.
struct TextStream {
  private let stops: [[UInt8]]
  private var held = [UInt8]()
  /// What ended the text.
  private(set) var stop: String?

  init(stops: [String]) { self.stops = stops.map { Array($0.utf8) }.filter { !$0.isEmpty } }

  /// What can be shown now. Held back: a character not yet complete, and what may yet become a stop string.
  mutating func push(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    guard stop == nil else { return [] }
    held += bytes
    if let (place, found) = earliestStop() {
      stop = String(decoding: found, as: UTF8.self)
      let text = Array(held[..<place])
      held = []
      return Self.repaired(text)
    }
    let ready = min(held.count - possibleStop(), Self.completeLength(of: held))
    let text = Array(held[..<ready])
    held.removeFirst(ready)
    return Self.repaired(text)
  }

  /// What was held back when the answer ended; half a character becomes U+FFFD, visibly.
  mutating func finish() -> [UInt8] {
    defer { held = [] }
    return Self.repaired(held)
  }

  private func earliestStop() -> (place: Int, stop: [UInt8])? {
    stops.compactMap { stop in held.firstRange(of: stop).map { ($0.lowerBound, stop) } }.min { $0.0 < $1.0 }
  }

  /// How many bytes at the end are the beginning of some stop string.
  private func possibleStop() -> Int {
    var longest = 0
    for stop in stops {
      for count in stride(from: min(stop.count - 1, held.count), to: longest, by: -1)
      where held.suffix(count).elementsEqual(stop.prefix(count)) {
        longest = count
        break
      }
    }
    return longest
  }

  private static func completeLength(of bytes: [UInt8]) -> Int {
    for back in 1...4 where back <= bytes.count {
      let byte = bytes[bytes.count - back]
      if byte & 0b1100_0000 == 0b1000_0000 { continue }
      let length = byte >= 0xF0 && byte < 0xF8 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return byte < 0xF8 && length > back ? bytes.count - back : bytes.count
    }
    return bytes.count
  }

  private static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    String(validating: bytes, as: UTF8.self) == nil ? Array(String(decoding: bytes, as: UTF8.self).utf8) : bytes
  }
}
