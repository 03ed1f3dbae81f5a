package import Foundation

/// The one JSON style of the house: snake_case keys are written out in `CodingKeys`, keys are sorted, slashes left alone.
package enum JSON {
  package static func encode(_ value: some Encodable, pretty: Bool = false) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      pretty
      ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
      : [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(value)
  }

  /// Nothing of ours is nested so deeply, and Foundation's reader ends the program over some inputs that are.
  private static let mostNested = 128
  /// Foundation's reader takes some 160 bytes of memory for each value.
  private static let mostValues = 2_500_000

  package static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, dates: JSONDecoder.DateDecodingStrategy = .iso8601,
    beside: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> Value {
    try checkShape(of: data)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = dates
    decoder.userInfo = beside.merging([JSONNode.Bound.key: JSONNode.Bound()]) { own, _ in own }
    return try decoder.decode(type, from: data)
  }

  /// What has no type of ours: objects, lists, texts and numbers as Foundation knows them.
  package static func untyped(_ data: Data) throws -> Any {
    try checkShape(of: data)
    return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
  }

  private static func checkShape(of data: Data) throws {
    let (nested, values) = shape(of: data)
    guard nested > mostNested || values > mostValues else { return }
    let fault = nested > mostNested ? "It is nested too deeply." : "It holds too many values."
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: fault))
  }

  private static func shape(of data: Data) -> (nested: Int, values: Int) {
    var (depth, deepest, values, texts) = (0, 0, 1, JSONTexts())
    for byte in data where !texts.holds(byte) {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ","): values += 1
      default: break
      }
    }
    return (deepest, values)
  }

  /// Whether a number in it has more digits than these before its point, written out or by an exponent.
  package static func holdsNumber(in data: Data, longerThan most: Int) -> Bool {
    data.withUnsafeBytes { bytes in
      var (texts, number) = (JSONTexts(), JSONDigits())
      for byte in bytes {
        if texts.holds(byte) || !number.take(byte), number.end() > most { return true }
      }
      return number.end() > most
    }
  }

  /// One line, in which no character stands for itself that a terminal obeys.
  package static func line(_ value: some Encodable) throws -> String {
    escaped(String(decoding: try encode(value), as: UTF8.self))
  }

  /// JSON with what the encoder leaves as it is and nobody sees written as `\u`; such characters stand only within its texts.
  package static func escaped(_ json: String) -> String {
    func isHidden(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= 0x7F && Visible.isHidden(scalar) }
    guard json.unicodeScalars.contains(where: isHidden) else { return json }
    var out = ""
    for scalar in json.unicodeScalars {
      guard isHidden(scalar) else {
        out.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
    }
    return out
  }
}

/// Follows one number of JSON after the other, byte by byte.
private struct JSONDigits {
  private enum Part { case whole, fraction, exponent, smaller }
  private var part = Part.whole
  private var (digits, exponent) = (0, 0)

  /// False for what belongs to no number.
  mutating func take(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      if part == .whole { digits += 1 }
      if part == .exponent { exponent = min(1000, exponent * 10 + Int(byte - UInt8(ascii: "0"))) }
    case UInt8(ascii: "."): part = .fraction
    // Words have this letter too.
    case UInt8(ascii: "e"), UInt8(ascii: "E"): if digits > 0 { part = .exponent }
    case UInt8(ascii: "-"): if part == .exponent { part = .smaller }
    case UInt8(ascii: "+"): break
    default: return false
    }
    return true
  }

  /// How many digits the number has that has ended here.
  mutating func end() -> Int {
    defer { (part, digits, exponent) = (.whole, 0, 0) }
    return digits > 0 ? digits + exponent : 0
  }
}
