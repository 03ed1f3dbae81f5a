import Core
import Foundation

/// JSON that is passed on as it is, in the order in which it came: a model writes the properties of a schema in their order.
struct JSONValue: Decodable, Sendable {
  let text: String

  init(from decoder: any Decoder) throws {
    guard let source = decoder.userInfo[JSONSource.key] as? JSONSource, let text = source.text(at: decoder.codingPath)
    else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "It is not JSON in UTF-8."))
    }
    self.text = text
  }

  /// The one way to decode what holds such values.
  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try JSON.decode(type, from: data, beside: [JSONSource.key: JSONSource(data)])
  }
}
