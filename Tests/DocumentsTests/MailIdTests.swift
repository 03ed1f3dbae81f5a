import Core
import Documents
import Foundation
import Testing

@testable import DocumentEngine

@Suite("Which messages belong together")
struct MailIdTests {
  private func hash(_ id: String) -> String { String(SHA256.of(Data(id.utf8)).prefix(32)) }

  @Test(
    "The thread is the first id that is referred to, else the one that is answered, else the message's own",
    arguments: [
      (["message-id": "<a@x>"], "a@x", "a@x"), (["message-id": "<b@x>", "in-reply-to": "<a@x>"], "b@x", "a@x"),
      (["message-id": "<c@x>", "in-reply-to": "<b@x>", "references": "<a@x> <b@x>"], "c@x", "a@x"),
      (["message-id": " <c@x> (a comment)", "references": "<a@x><b@x>"], "c@x", "a@x"),
      // Folded within an id, and words of old programs around one.
      (["message-id": "<long- id@x>", "in-reply-to": "Your message of Monday <a@x>"], "long-id@x", "a@x"),
      (["message-id": "a@x"], "a@x", "a@x"), (["message-id": "<b@x>", "in-reply-to": "Your message"], "b@x", "b@x"),
      (["references": "<a@x>"], nil, "a@x"), (["message-id": "<>", "references": "<a@x"], nil, "a@x"),
      (["message-id": "", "references": "   "], nil, nil), ([:], nil, nil), (["message-id": "a word"], nil, nil),
    ] as [([String: String], String?, String?)])
  func places(headers: [String: String], message: String?, thread: String?) {
    let place = MailIds.place(of: headers)
    #expect(place.message == message.map(hash))
    #expect(place.thread == thread.map(hash))
  }

  @Test("Of whatever strangers write as an id nothing but a hash is told")
  func hostile() {
    let giant = String(repeating: "a", count: 1 << 20)
    for odd in [
      "<\(giant)@x>", "<a\u{0}b@x>", "<\u{202E}\u{1B}[2J@x>", String(repeating: "<", count: 100_000),
      "<'; DROP TABLE x@y>",
      String(repeating: "<a@x> ", count: 100_000), "<é\u{301}\u{301}@x>", "><", "<\u{FFFD}>",
    ] {
      let place = MailIds.place(of: ["message-id": odd, "references": odd, "in-reply-to": odd, "date": odd])
      for told in [place.message, place.thread].compactMap(\.self) {
        #expect(told.utf8.count == 32 && told.allSatisfy(\.isHexDigit))
      }
      #expect(place.sent == nil)
    }
  }
}
