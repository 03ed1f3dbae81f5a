import Foundation
import Synchronization

/// JSON that is told on within other JSON.
package enum JSONNode: Codable, Sendable, Equatable {
  case null
  case flag(Bool)
  case whole(Int)
  case number(Double)
  case text(String)
  case list([JSONNode])
  case object([String: JSONNode])

  package init(json: String) throws { self = try JSON.decode(JSONNode.self, from: Data(json.utf8)) }

  /// What was typed: JSON, or a bare word, so that a shell needs no second pair of quotes.
  package init(typed text: String) {
    do { try self.init(json: text) } catch { self = .text(text) }
  }

  package init(from decoder: any Decoder) throws {
    try (decoder.userInfo[Bound.key] as? Bound)?.take(at: decoder.codingPath)
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

  /// How many values one text may come to: finding out what each of them is takes many times as long as reading a value of a known kind.
  final class Bound: Sendable {
    static let most = 100_000
    // A name of letters is always a key.
    static let key = CodingUserInfoKey(rawValue: "libera.nodes")!
    private let taken = Atomic(0)

    fileprivate func take(at path: [any CodingKey]) throws {
      guard taken.add(1, ordering: .relaxed).newValue > Self.most else { return }
      throw DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: "It holds too many values."))
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package func encode(to encoder: any Encoder) throws {
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

extension JSONNode {
  /// A field of an object.
  package subscript(_ name: String) -> JSONNode? {
    if case .object(let fields) = self { fields[name] } else { nil }
  }
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The texts of a list; what else stands there is left out.
  package var texts: [String]? { if case .list(let nodes) = self { nodes.compactMap(\.text) } else { nil } }

  /// The texts of a list that holds nothing else.
  package var allTexts: [String]? {
    guard case .list(let nodes) = self, let texts, texts.count == nodes.count else { return nil }
    return texts
  }

  /// As a person reads it.
  package var words: String {
    switch self {
    case .null: "null"
    case .flag(let flag): "\(flag)"
    case .whole(let number): "\(number)"
    case .number(let number): "\(number)"
    case .text(let text): "\"\(text)\""
    case .list(let list): "[\(list.map(\.words).joined(separator: ", "))]"
    case .object: "an object"
    }
  }

  /// The fields of a value that is an object as JSON.
  package static func fields(of value: some Encodable) throws -> [String: JSONNode] {
    try JSON.decode([String: JSONNode].self, from: JSON.encode(value))
  }

  package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSON.decode(type, from: JSON.encode(self))
  }
}
