import Core
import Foundation
import Testing

@testable import Server

@Suite("The Model Context Protocol over HTTP")
struct CursorTests {
  @Test(
    "A cursor that no list has made is past its end, or none of ours",
    arguments: [
      ("0", true), ("1", true), ("500", true), ("\(Int.max)", true), ("\(Int.max - 499)", true), ("-1", false),
      ("\(Int.min)", false), ("9223372036854775808", false), ("", false), ("1.5", false),
    ])
  func cursor(text: String, isTaken: Bool) async throws {
    let documents = Service("documents", needs: .ask) { _ in AsyncThrowingStream { $0.finish() } }
    try await withDesk(routes: ModelContextRoutes([documents]).routes) { desk in
      let json = #"{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"\#(text)"}}"#
      let answer = try await desk.ask("POST", "/mcp", json: json)
      #expect(answer.status == 200)
      #expect(answer.text.contains(isTaken ? #""resources":[]"# : "none of ours"), "\(answer.text)")
    }
  }
}
