import Core
import Foundation
import Synchronization

/// The bytes that a value is decoded from, to find parts of it as they were written. A decoder has read all of them before, so
/// they are sound; what is not found all the same is nil.
final class JSONSource: Sendable {
  // A name of letters is always a key.
  static let key = CodingUserInfoKey(rawValue: "libera.source")!

  /// Where the values of an object or a list begin.
  private enum Inside {
    case object([String: Int])
    case list([Int])
  }

  private let bytes: [UInt8]
  /// By the place of the opening bracket: only those that lie on a way that was asked for.
  private let known = Mutex<[Int: Inside]>([:])

  init(_ data: Data) { bytes = Array(data) }

  /// What lies there, without the space between its parts.
  func text(at path: [any CodingKey]) -> String? {
    var place = afterSpace(0)
    for key in path {
      guard let inside = inside(place) else { return nil }
      switch inside {
      case .object(let places):
        guard let next = places[key.stringValue] else { return nil }
        place = next
      case .list(let places):
        guard let index = key.intValue, places.indices.contains(index) else { return nil }
        place = places[index]
      }
    }
    return end(of: place).map { compact(place..<$0) }
  }

  private func inside(_ place: Int) -> Inside? {
    if let found = known.withLock({ $0[place] }) { return found }
    let made: Inside?
    switch byte(place) {
    case UInt8(ascii: "{"): made = object(place)
    case UInt8(ascii: "["): made = list(place)
    default: made = nil
    }
    known.withLock { $0[place] = made }
    return made
  }

  private func object(_ start: Int) -> Inside? {
    var places: [String: Int] = [:]
    var place = afterSpace(start + 1)
    while byte(place) == UInt8(ascii: "\"") {
      guard let closed = endOfText(place), let name = name(place..<closed) else { return nil }
      let colon = afterSpace(closed)
      guard byte(colon) == UInt8(ascii: ":") else { return nil }
      let value = afterSpace(colon + 1)
      // The decoder takes the first of two that share a name.
      if places[name] == nil { places[name] = value }
      guard let ended = end(of: value) else { return nil }
      place = afterSpace(ended)
      guard byte(place) == UInt8(ascii: ",") else { break }
      place = afterSpace(place + 1)
    }
    return .object(places)
  }

  private func list(_ start: Int) -> Inside? {
    var places: [Int] = []
    var place = afterSpace(start + 1)
    while let next = byte(place), next != UInt8(ascii: "]") {
      guard let ended = end(of: place), ended > place else { return nil }
      places.append(place)
      place = afterSpace(ended)
      guard byte(place) == UInt8(ascii: ",") else { break }
      place = afterSpace(place + 1)
    }
    return .list(places)
  }

  private func byte(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private func afterSpace(_ start: Int) -> Int {
    var place = start
    while let next = byte(place), Self.isSpace(next) { place += 1 }
    return place
  }

  /// Behind the closing mark of the text that begins here.
  private func endOfText(_ start: Int) -> Int? {
    var place = start + 1
    while let next = byte(place) {
      if next == UInt8(ascii: "\"") { return place + 1 }
      place += next == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// Behind the value that begins here.
  private func end(of start: Int) -> Int? {
    var (place, depth) = (start, 0)
    while let next = byte(place) {
      switch next {
      case UInt8(ascii: "\""):
        guard let ended = endOfText(place) else { return nil }
        place = ended
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        place += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return place }  // it ends what a number or a word stands in
        depth -= 1
        place += 1
      case UInt8(ascii: ","),
        _ where Self.isSpace(next):
        if depth == 0 { return place }
        place += 1
        continue
      default:
        place += 1
        continue
      }
      if depth == 0 { return place }
    }
    return depth == 0 && place > start ? place : nil
  }

  private func name(_ range: Range<Int>) -> String? { Self.decoded(bytes[range]) }

  private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
    guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text.dropFirst().dropLast(), as: UTF8.self) }
    // What cannot be decoded has no name.
    return try? JSON.decode(String.self, from: Data(text))
  }

  /// A text, with signs in place of their numbers where they may stand for themselves.
  private static func write(_ text: ArraySlice<UInt8>, to out: inout [UInt8]) {
    var rest = text
    while let next = rest.first {
      guard next == UInt8(ascii: "\\"), let kind = rest.dropFirst().first else {
        out.append(next)
        rest = rest.dropFirst()
        continue
      }
      if kind == UInt8(ascii: "u"), let (scalar, length) = numbered(rest), scalar.value >= 0x20,
        scalar != "\"", scalar != "\\"
      {
        out += Array(String(Character(scalar)).utf8)
        rest = rest.dropFirst(length)
      } else {
        out += kind == UInt8(ascii: "/") ? [kind] : Array(rest.prefix(2))
        rest = rest.dropFirst(2)
      }
    }
  }

  /// What a `\u`, or two of them, at the beginning stands for, and how long that is; nil where it is half of something.
  private static func numbered(_ text: ArraySlice<UInt8>) -> (Unicode.Scalar, length: Int)? {
    func unit(_ text: ArraySlice<UInt8>) -> UInt32? {
      guard text.count >= 6, text.starts(with: Array("\\u".utf8)) else { return nil }
      return UInt32(String(decoding: text.dropFirst(2).prefix(4), as: UTF8.self), radix: 16)
    }
    guard let first = unit(text) else { return nil }
    if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
    guard first < 0xDC00, let second = unit(text.dropFirst(6)), (0xDC00...0xDFFF).contains(second) else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)).map { ($0, 12) }
  }

  /// Texts with letters in place of their numbers: models read those.
  private func compact(_ range: Range<Int>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(range.count)
    var place = range.lowerBound
    while place < range.upperBound {
      if bytes[place] == UInt8(ascii: "\""), let ended = endOfText(place), ended <= range.upperBound {
        Self.write(bytes[place..<ended], to: &out)
        place = ended
        continue
      }
      if !Self.isSpace(bytes[place]) { out.append(bytes[place]) }
      place += 1
    }
    return String(decoding: out, as: UTF8.self)
  }
}
