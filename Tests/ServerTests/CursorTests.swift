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

  @Test("A part of a document begins and ends between characters")
  func boundaries() {
    let text = "aé🦊z"
    let begins = (0...text.utf8.count).map {
      text.utf8.distance(from: text.startIndex, to: ModelContextTools.boundary(text, $0))
    }
    #expect(begins == [0, 1, 1, 3, 3, 3, 3, 7, 8])
  }

  @Test("Where a part of a long text begins is found without going through what stands before it")
  func far() {
    let text = String(repeating: "é", count: 8 << 20)
    let clock = ContinuousClock()
    var seen = 0
    let whole = clock.measure { for byte in text.utf8 { seen += Int(byte) & 1 } }
    let parts = clock.measure {
      for place in 1...50 { seen += ModelContextTools.boundary(text, text.utf8.count - place) == text.endIndex ? 1 : 0 }
    }
    #expect(seen > 0 && parts < whole, "\(parts), \(whole)")
  }
}
