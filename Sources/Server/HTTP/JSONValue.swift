import Foundation

/// JSON that is passed on as it is.
struct JSONValue: Decodable, Sendable {
  let text: String

  init(from decoder: any Decoder) throws {
    text = String(
      decoding: try JSONSerialization.data(
        withJSONObject: Self.value(decoder), options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]),
      as: UTF8.self)
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct Nested: Decodable {
    let value: Any
    init(from decoder: any Decoder) throws { value = try JSONValue.value(decoder) }
  }

  private static func value(_ decoder: any Decoder) throws -> Any {
    if let object = try? decoder.container(keyedBy: Key.self) {
      return try Dictionary(
        uniqueKeysWithValues: object.allKeys.map { ($0.stringValue, try object.decode(Nested.self, forKey: $0).value) })
    }
    if var list = try? decoder.unkeyedContainer() {
      var values: [Any] = []
      while !list.isAtEnd { values.append(try list.decode(Nested.self).value) }
      return values
    }
    let single = try decoder.singleValueContainer()
    if single.decodeNil() { return NSNull() }
    if let flag = try? single.decode(Bool.self) { return flag }
    if let number = try? single.decode(Int.self) { return number }
    if let number = try? single.decode(Double.self) { return number }
    return try single.decode(String.self)
  }
}
