// What the parse worker understands of mail: the body and the answer of one operation.

/// Operation "mail": what of the message handed over is shown when mail is read.
package struct MailRequest: Codable, Sendable {
  /// Read of the message, from its beginning.
  package var bytes = 512 << 10
  package var headerBytes = 128 << 10
  package var headers = 1_000
  /// Parts inside each other, and all of them.
  package var depth = 10
  package var parts = 200
  /// Characters of each header and of the text that are handed back.
  package var headerCharacters = 300
  package var excerptCharacters = 240
  package init() {}
}

package struct MailReading: Codable, Sendable, Equatable {
  package var from = ""
  package var subject = ""
  /// Seconds since 1970.
  package var date: Int?
  /// The beginning of the text.
  package var excerpt = ""
  package init() {}
}
