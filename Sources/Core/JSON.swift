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

  package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: data)
  }

  package static func line(_ value: some Encodable) throws -> String {
    String(decoding: try encode(value), as: UTF8.self)
  }
}
