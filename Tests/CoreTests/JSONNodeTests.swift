import Core
import Foundation
import Testing

@Suite("JSON of any kind")
struct JSONNodeTests {
  @Test(
    "So many values are taken apart as what they are, however they are nested, and no more",
    arguments: ["1", "[]", "{}", #""a""#])
  func bound(value: String) throws {
    func list(_ count: Int) -> String { "[" + Array(repeating: value, count: count).joined(separator: ",") + "]" }
    // The list is one itself.
    #expect(try JSONNode(json: list(99_999)) != .null)
    #expect(throws: DecodingError.self) { try JSONNode(json: list(100_000)) }
    #expect(throws: DecodingError.self) { try JSONNode(json: #"{"a": \#(list(60_000)), "b": [\#(list(60_000))]}"#) }
  }
}
