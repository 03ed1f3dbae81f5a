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

  /// Texts with letters in place of their numbers: models read those.
  private func compact(_ range: Range<Int>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(range.count)
    var place = range.lowerBound
    while place < range.upperBound {
      if bytes[place] == UInt8(ascii: "\""), let ended = endOfText(place), ended <= range.upperBound {
        let text = bytes[place..<ended]
        // What cannot be decoded or written anew stays as it came.
        if text.contains(UInt8(ascii: "\\")), let plain = Self.decoded(text), let written = try? JSON.encode(plain) {
          out += written
        } else {
          out += text
        }
        place = ended
        continue
      }
      if !Self.isSpace(bytes[place]) { out.append(bytes[place]) }
      place += 1
    }
    return String(decoding: out, as: UTF8.self)
  }
}
