import Testing

@testable import Commands

@Suite("Addresses in mail")
struct MailAddressTests {
  @Test(
    "An address stays one, alone or behind a name; a name alone is an empty group",
    arguments: [
      ("ada@example.org", "ada@example.org"), ("Ada Lovelace <ada@example.org>", "\"Ada Lovelace\" <ada@example.org>"),
      ("<ada@example.org>", "ada@example.org"), ("Ада <ada@example.org>", "=?utf-8?B?0JDQtNCw?= <ada@example.org>"),
      ("Ada", "\"Ada\":;"), ("Ada <no address>", "\"Ada no address\":;"),
      ("a@b.org\r\nBcc: x@y.org", "\"a@b.orgBcc: x@y.org\":;"),
    ])
  func written(text: String, header: String) { #expect(MailMessage.address(text) == header) }
}
