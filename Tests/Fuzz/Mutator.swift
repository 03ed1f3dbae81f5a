import Foundation
import TestSupport

/// Makes hostile inputs of sound ones: the same for the same seed, target and number.
struct Mutator {
  private static let most = 1 << 18
  private static let words: [[UInt8]] = [
    "9223372036854775807", "-9223372036854775808", "18446744073709551616", "4294967296", "2147483648", "-1", "0",
    "1e309",
    "nan", "\u{0}", "\u{FEFF}", "\u{202E}", "\r\n", "\n\n", "\"", "\\", "../", "%00", "<", ">", "&#x110000;", "]]>",
    "{", "}",
    "[", "]", "(", ")", ",", ";", ":", "=", "'", "--", "%", "\u{301}\u{301}\u{301}", "🕰️", "é", "日本", "e\u{301}",
  ].map { Array($0.utf8) }

  let seeds: [Seed]
  let seed: UInt64

  func input(_ number: Int) -> Data {
    var dice = Dice(seed &* 0x2545_F491_4F6C_DD1D &+ UInt64(number))
    let chosen = dice.pick(seeds)
    // Some as they are, so that what is sound is seen to work.
    if dice.next(100) == 0 { return chosen.wrap(chosen.bytes) }
    var bytes = Array(chosen.bytes)
    for _ in 0...(dice.next(4) == 0 ? dice.next(24) : dice.next(4)) { change(&bytes, &dice) }
    let wrapped = chosen.wrap(Data(bytes.prefix(Self.most)))
    guard chosen.isWrapped, dice.next(3) == 0 else { return wrapped }
    var outside = Array(wrapped)
    for _ in 0...dice.next(3) { change(&outside, &dice) }
    return Data(outside)
  }

  private func change(_ bytes: inout [UInt8], _ dice: inout Dice) {
    guard !bytes.isEmpty else { return bytes.append(contentsOf: dice.pick(Self.words)) }
    let place = dice.next(bytes.count)
    let end = min(bytes.count, place + 1 + dice.next(dice.next(4) == 0 ? bytes.count : 16))
    switch dice.next(13) {
    case 0: bytes[place] ^= 1 << UInt8(dice.next(8))
    case 1: bytes[place] = UInt8(dice.next(256))
    case 2: bytes[place] = dice.pick([0, 1, 0x7F, 0x80, 0xFE, 0xFF, 0x20, 0x0A])
    case 3: bytes.removeSubrange(place..<end)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: dice.next(bytes.count + 1))
    case 5:
      let piece = Array(bytes[place..<min(end, place + 64)])
      let times = min(1 << dice.next(13), Self.most / max(1, piece.count + bytes.count))
      bytes.insert(contentsOf: repeatElement(piece, count: times).joined(), at: place)
    case 6: bytes.removeSubrange(place...)
    case 7: bytes.insert(contentsOf: dice.pick(Self.words), at: place)
    case 8: bytes.replaceSubrange(place..<end, with: dice.pick(Self.words))
    case 9: number(&bytes, place, &dice)
    case 10: digits(&bytes, place, &dice)
    case 11:
      let other = Array(dice.pick(seeds).bytes)
      guard !other.isEmpty else { return }
      let from = dice.next(other.count)
      bytes.replaceSubrange(place..<end, with: other[from..<min(other.count, from + 1 + dice.next(256))])
    default: bytes.swapAt(place, dice.next(bytes.count))
    }
  }

  /// A number of 16, 32 or 64 bits at its limits.
  private func number(_ bytes: inout [UInt8], _ place: Int, _ dice: inout Dice) {
    let width = dice.pick([2, 4, 8])
    guard place + width <= bytes.count else { return }
    let value: UInt64 = dice.pick([0, 1, .max, .max >> 1, 1 << 31, 1 << 32, 1 << 63, 0xFFFF_FFFF, 0x7FFF_FFFF, 1 << 20])
    let isBig = dice.next(2) == 0
    for index in 0..<width {
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (isBig ? width - 1 - index : index)))
    }
  }

  /// The decimal number nearest after the place becomes another.
  private func digits(_ bytes: inout [UInt8], _ place: Int, _ dice: inout Dice) {
    let isDigit: (UInt8) -> Bool = { (48...57).contains($0) }
    guard let start = bytes[place...].firstIndex(where: isDigit) else { return }
    let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
    let values = ["0", "1", "-1", "65536", "2147483648", "4294967295", "9223372036854775807", "99999999999999999999"]
    bytes.replaceSubrange(start..<end, with: Array(dice.pick(values).utf8))
  }
}

/// A sound input, as code makes it. Where one thing lies packed in another, the inner is changed and packed again.
struct Seed: Sendable {
  var bytes: Data
  var isWrapped = false
  var wrap: @Sendable (Data) -> Data = { $0 }

  init(_ text: String) { bytes = Data(text.utf8) }
  init(_ bytes: Data) { self.bytes = bytes }
  init(_ bytes: Data, in wrap: @escaping @Sendable (Data) -> Data) {
    (self.bytes, self.wrap, isWrapped) = (bytes, wrap, true)
  }
}
