package import Core
package import Foundation

/// One HTTP request, its head checked and its body complete.
package struct Request: Sendable {
  package var method: String
  package var path: String
  package var query: [String: String] = [:]
  /// Names in lower case. A name that came twice is in `repeated`.
  package var headers: [String: String] = [:]
  package var repeated: Set<String> = []
  package var body = Data()
  /// Who sent it, once it is let in.
  package var caller = Caller.stranger
  /// Where the body of an upload was written.
  package var file: URL?

  package init(method: String, path: String) {
    self.method = method
    self.path = path
  }

  /// The part of the path after a prefix route, such as an id.
  package func tail(after prefix: String) -> String { String(path.dropFirst(prefix.count)) }

  package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do { return try JSONValue.decode(type, from: body) } catch let refusal as ServerError { throw refusal } catch {
      throw ServerError.unreadable(Self.reason(error))
    }
  }

  /// A decoding error in words, with the place it happened.
  package static func reason(_ error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "the object" : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context):
      "\"\(key.stringValue)\" is missing in \(place(context.codingPath))"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "\(place(context.codingPath)) has another type than expected"
    case DecodingError.dataCorrupted(let context):
      context.codingPath.isEmpty ? "it is not valid JSON" : "\(place(context.codingPath)) has a value that is not known"
    default: "it is not valid JSON"
    }
  }
}
