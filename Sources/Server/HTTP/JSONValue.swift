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

/// JSON that is told on within other JSON.
enum JSONNode: Codable, Sendable, Equatable {
  case null
  case flag(Bool)
  case whole(Int)
  case number(Double)
  case text(String)
  case list([JSONNode])
  case object([String: JSONNode])

  init(json: String) throws { self = try JSON.decode(JSONNode.self, from: Data(json.utf8)) }

  init(from decoder: any Decoder) throws {
    // What it is not is no error: the next kind is tried, and the last says what is wrong.
    if let object = try? decoder.container(keyedBy: Key.self) {
      self = .object(
        try Dictionary(
          uniqueKeysWithValues: object.allKeys.map { ($0.stringValue, try object.decode(JSONNode.self, forKey: $0)) }))
      return
    }
    if var list = try? decoder.unkeyedContainer() {
      var nodes: [JSONNode] = []
      while !list.isAtEnd { nodes.append(try list.decode(JSONNode.self)) }
      self = .list(nodes)
      return
    }
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let flag = try? single.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? single.decode(Int.self) {
      self = .whole(number)
    } else if let number = try? single.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try single.decode(String.self))
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let flag): try container.encode(flag)
    case .whole(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }
}
