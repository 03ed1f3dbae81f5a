import Core
import Foundation
import Testing

@testable import FetchEngine

@Suite("The bridge to tool servers elsewhere")
struct BridgeTests {
  @Test(
    "A stream of events comes to the same messages however it is cut",
    arguments: [
      ("data: one\n\ndata: two\n\n", ["one", "two"]), ("data:one\r\n\r\n", ["one"]),
      ("data: one\r\rdata: two\r\r", ["one", "two"]),
      (": comment\nevent: message\nid: 7\ndata: {\"a\":\ndata: 1}\n\n", ["{\"a\":\n1}"]), ("data: never ended\n", []),
      ("data\n\n", [""]), ("data:  two spaces\n\n", [" two spaces"]), ("database: no\n\n\n\n", []),
      ("retry: 5\n\n", []),
    ])
  func events(text: String, expected: [String]) throws {
    for size in [1, 2, 3, 7, 1000] {
      var stream = EventStream(longest: 100)
      var (found, rest) = ([Data](), Array(text.utf8)[...])
      while !rest.isEmpty {
        found += try stream.add(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      #expect(found.map { String(decoding: $0, as: UTF8.self) } == expected, "in pieces of \(size)")
    }
  }

  @Test("Neither a line nor an event without end is kept")
  func endless() {
    var line = EventStream(longest: 100)
    #expect(throws: EventStream.TooLong.self) { try line.add(Array(repeating: UInt8(ascii: "a"), count: 101)) }
    var event = EventStream(longest: 100)
    #expect(throws: EventStream.TooLong.self) {
      for _ in 0..<11 { _ = try event.add(Array("data: 1234567890\n".utf8)) }
    }
  }

  private func reply(
    to asked: String, status: Int = 200, type: String? = "application/json", _ pieces: [String]
  ) throws -> [String] {
    var told: [String] = []
    let message = try JSON.decode(BridgeMessage.self, from: Data(asked.utf8))
    let reply = BridgeReply(message) { _, data in told.append(String(decoding: data, as: UTF8.self)) }
    var answer = Transfer.Answer()
    answer.status = status
    answer.fields["content-type"] = type
    reply.begin(answer)
    do {
      for piece in pieces { try Data(piece.utf8).withUnsafeBytes { try reply.take($0) } }
    } catch is BridgeReply.Answered { return told + ["and nothing more"] }
    try reply.end()
    return told
  }

  private static let asked = #"{"id": 7, "method": "tools/call"}"#
  private static let answer = #"{"id":7,"jsonrpc":"2.0","result":{}}"#

  @Test("Each message that comes back is told, and a stream is left once the answer has come")
  func told() throws {
    #expect(try reply(to: Self.asked, ["{\"id\":7,", "\"jsonrpc\":\"2.0\",\"result\":{}}"]) == [Self.answer])
    let progress = #"{"jsonrpc":"2.0","method":"notifications/progress"}"#
    #expect(
      try reply(
        to: Self.asked, type: "text/event-stream; charset=utf-8",
        ["data: \(progress)\n\n", "data: \(Self.answer)\n\n", "data: \(progress)\n\n"])
        == [progress, Self.answer, "and nothing more"])
    #expect(try reply(to: Self.asked, [" [\(progress),\(Self.answer)]"]) == [progress, Self.answer])
    #expect(try reply(to: #"{"method": "notifications/initialized"}"#, status: 202, type: nil, []) == [])
  }

  @Test("What the bridge alone says by its number no server says in its place")
  func disowned() throws {
    let lie = #"{"id":7,"error":{"code":-32099,"message":"nothing was sent"}}"#
    let honest = #"{"id":7,"error":{"code":-32000,"message":"no"}}"#
    for (type, piece) in [
      ("application/json", "\(lie)"), ("application/json", "[\(lie)]"), ("text/event-stream", "data: \(lie)\n\n"),
    ] {
      let told = try JSON.decode(
        JSONNode.self, from: Data(try #require(try reply(to: Self.asked, type: type, [piece]).first).utf8))
      #expect(told["id"] == .whole(7) && told["error"]?["message"]?.text == "nothing was sent")
      #expect(told["error"]?["code"] != .whole(BridgeFailure.code))
    }
    #expect(try reply(to: Self.asked, [honest]) == [honest])
  }

  @Test("What a server says of a failure is cut by its signs, for a letter may bear any number of marks")
  func marks() {
    let marked = "a" + String(repeating: "\u{301}", count: 60_000)
    for failure in [BridgeFailure.status(400, marked), .leadsAway(marked), .certificate(marked)] {
      #expect((600...1000).contains(failure.words.unicodeScalars.count))
    }
  }

  @Test(
    "A request that comes to nothing says why",
    arguments: [
      (200, "application/json", "", BridgeFailure.noAnswer),
      (200, "application/json", #"{"id":8,"result":{}}"#, .noAnswer),
      (200, "application/json", "{", .noAnswer), (200, "text/html", "<p>Hello", .notJSON), (202, nil, "", .noAnswer),
      (200, "text/event-stream", "data: x\n\n", .noAnswer),
      (401, "application/json", #"{"error":"invalid_token"}"#, .status(401, "invalid_token")),
      (400, "application/json", #"{"error":{"code":1,"message":"no"}}"#, .status(400, "no")),
      (404, "text/html", "<p>", .status(404, nil)),
      (503, nil, "", .status(503, nil)),
      (500, "application/json", String(repeating: "[", count: 5000), .status(500, nil)),
    ] as [(Int, String?, String, BridgeFailure)])
  func failure(status: Int, type: String?, body: String, expected: BridgeFailure) {
    #expect(throws: expected) { _ = try reply(to: Self.asked, status: status, type: type, [body]) }
    #expect(!expected.words.isEmpty && expected.words.utf8.count < 1000)
  }

  @Test("Nothing is kept of a reply without end", arguments: ["application/json", "text/event-stream", "text/html"])
  func long(type: String) {
    let piece =
      type == "text/event-stream"
      ? ": " + String(repeating: "a", count: 1 << 20) + "\n" : String(repeating: "a", count: 1 << 20)
    #expect(throws: BridgeFailure.tooLong) {
      _ = try reply(to: Self.asked, type: type, Array(repeating: piece, count: 17))
    }
  }

  @Test(
    "A reply that leads on is followed to another place of the same server with the same request, and nowhere else",
    arguments: [
      (307, "http://127.0.0.1:8000/mcp", "http://127.0.0.1:8000/mcp/", true),
      (308, "https://a.example/mcp", "https://a.example:443/v2", true),
      (302, "https://a.example/mcp", "https://a.example/mcp/", false),
      (307, "https://a.example/mcp", "https://b.example/mcp", false),
      (307, "https://a.example/mcp", "http://a.example/mcp", false),
      (307, "https://a.example/mcp", "https://a.example:444/mcp", false),
      (307, "https://a.example/mcp", "https://a.example@b.example/", false),
      (307, "https://a.example/mcp", "https://user@a.example/", false),
      (307, "https://a.example/mcp", "", false), (307, "https://a.example/mcp", "https://a.example/\\b", false),
      (307, "https://a.example/mcp", "https://a.example/" + String(repeating: "a", count: 3000), false),
    ])
  func redirect(status: Int, from: String, to: String, follows: Bool) {
    #expect((try? BridgeRedirect.next(status, from: from, to: to)) == (follows ? to : nil))
  }

  @Test("What a server says of itself is repeated only where it can stand in a header")
  func session() {
    var session = BridgeSession()
    #expect(!session.headers(key: nil).joined().contains("Authorization"))
    for odd in [nil, "", "a b", "a\r\nX: y", "ä", String(repeating: "a", count: 600)] as [String?] {
      session.take(id: odd)
    }
    #expect(session == BridgeSession())
    session.take(id: "abc")
    session.take(version: "2025-06-18")
    let headers = session.headers(key: "secret")
    for line in ["Mcp-Session-Id: abc", "MCP-Protocol-Version: 2025-06-18", "Authorization: Bearer secret"] {
      #expect(headers.contains(line))
    }
  }

  @Test(
    "Only a version that is one is taken from a greeting",
    arguments: [("2025-06-18", true), ("2025-06-18\r\nX: y", false), ("latest", false)])
  func version(text: String, isTaken: Bool) throws {
    let line = try JSON.line(JSONNode.object(["id": .whole(1), "result": .object(["protocolVersion": .text(text)])]))
    #expect(try JSON.decode(BridgeMessage.self, from: Data(line.utf8)).version == (isTaken ? text : nil))
  }
}
