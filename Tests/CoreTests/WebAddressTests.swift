import Foundation
import Testing

@testable import Core

@Suite("Addresses of the web")
struct WebAddressTests {
  @Test(
    "A tool server is spoken to by https, or by http on this machine",
    arguments: [
      ("https://wiki.example/mcp", true), ("https://wiki.example:8443/mcp?team=a", true),
      ("http://127.0.0.1:8000/mcp", true), ("http://localhost/mcp", true), ("http://[::1]:8000/mcp", true),
      ("http://wiki.example/mcp", false), ("http://127.0.0.1.example/mcp", false), ("http://127.0.0.2/mcp", false),
      ("https://user:key@wiki.example/mcp", false), ("https://wiki.example/mcp#part", false),
      ("ftp://wiki.example", false),
      ("file:///etc/passwd", false), ("wiki.example", false), ("", false), ("https://", false), ("https:///mcp", false),
      ("https://wiki.example/a b", false), ("https://wiki.example/\r\nX: y", false),
      ("https://wiki.example\\@127.0.0.1/", false),
      ("https://wiki.exämple/mcp", false), ("https://wiki.example/" + String(repeating: "a", count: 2048), false),
    ])
  func address(text: String, isTaken: Bool) throws {
    guard isTaken else {
      #expect(throws: ToolServerError.self) { try ToolServer(name: "x", address: text, key: nil) }
      return
    }
    let server = try ToolServer(name: "x", address: text, key: "k")
    #expect(server.address == text && server.network && server.program.isEmpty && server.readable.isEmpty)
    // What an earlier version has written has neither, and is read.
    #expect(try JSON.decode(ToolServer.self, from: JSON.encode(server)) == server)
  }

  @Test(
    "A key is one word that can stand in a header",
    arguments: [
      ("sk-1_a.b~c+/=", true), ("", false), ("two words", false), ("a\r\nX: y", false), ("schlüssel", false),
      (String(repeating: "k", count: 4097), false),
    ])
  func key(text: String, isTaken: Bool) {
    #expect(((try? ToolServer(name: "x", address: "https://a.example", key: text)) != nil) == isTaken)
  }
}
