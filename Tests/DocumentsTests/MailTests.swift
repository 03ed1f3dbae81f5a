import Core
import Documents
import Foundation
import TestSupport
import Testing

/// Messages as other programs write them.
@Suite("Mail of others")
struct MailTests {
  private func read(_ data: Data) throws -> MailReading {
    let sink = Collected()
    try InProcess().call("mail", MailRequest(), data, into: sink)
    return try JSON.decode(MailReading.self, from: try #require(sink.other.first))
  }

  private func read(_ text: String) throws -> MailReading {
    try read(Data(text.replacing("\n", with: "\r\n").utf8))
  }

  @Test(
    "Subjects are decoded as RFC 2047 has it",
    arguments: [
      ("=?utf-8?B?R3LDvMOfZQ==?=\n  =?utf-8?Q?_aus_K=C3=B6ln?=", "Grüße aus Köln"),
      ("=?iso-8859-15?Q?100_=A4?=", "100 €"),
      ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"), ("=?koi8-r?B?8NLJ18XU?=", "Привет"),
      ("=?gb2312?B?xOO6ww==?=", "你好"),
      ("plain =?x", "plain =?x"), ("=?utf-8?Q?a?= and =?utf-8?Q?b?=", "a and b"), ("roh: Grüße", "roh: Grüße"),
      ("=?utf-8?B?8J+Y?= =?utf-8?B?gA==?=", "😀"),
    ])
  func subjects(written: String, meant: String) throws {
    #expect(try read("From: a@b.org\nSubject: \(written)\n\nx\n").subject == meant)
  }

  @Test("A message whose first header goes on in the next line is one")
  func folded() throws {
    let text =
      "From:\n =?utf-8?q?=C3=89lodie?= <e@example.org>\nSubject: Lavage\nDate: Sat, 21 Mar 2026 17:22:40 +0100\n"
    let document = try InProcess().parse(
      text + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\npr=C3=AAt\n")
    #expect(document.info.kind == .message && document.info.author == "Élodie <e@example.org>")
    #expect(document.text.hasSuffix("prêt"))
  }

  @Test("The text of a message is found among its parts and decoded")
  func parts() throws {
    let message = """
      From: Ann <ann@example.org>
      Subject: parts
      Date: Wed, 10 Jun 2026 09:30:00 +0200
      Content-Type: multipart/mixed; boundary="outer one"

      preamble
      --outer one
      Content-Type: multipart/alternative; boundary=inner

      --inner
      Content-Type: text/html; charset=utf-8

      <p>page</p>
      --inner
      Content-Type: text/plain; charset=iso-8859-1
      Content-Transfer-Encoding: quoted-printable

      Sch=F6ne Gr=FC=
      =DFe
      --inner--
      --outer one
      Content-Type: text/plain
      Content-Disposition: attachment; filename=x.txt

      attached
      --outer one--

      """
    let reading = try read(message)
    #expect(reading.excerpt == "Schöne Grüße")
    #expect(reading.date == 1_781_076_600)
    #expect(
      try read(message.replacing("text/plain; charset=iso", with: "application/x; charset=iso")).excerpt == "page")
  }

  @Test("Base64 that is cut off gives what there is")
  func cutOff() throws {
    let text =
      "From: a@b.org\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nSGVsbG8gdGhl"
    #expect(try read(text).excerpt == "Hello the")
  }

  @Test("Dates that no calendar has are none; numbers at the limits end nothing")
  func dates() throws {
    for date in [
      "Wed, 31 Jun 2026 09:30:00 +0200", "1 Jan 99999999999999999999 00:00:00 +0000", "0 Jan 2026 00:00:00 +0000",
      "Thu, 1 Jan 2026 99:00:00 +0000", "", "now",
    ] { #expect(try read("From: a@b.org\nDate: \(date)\n\nx\n").date == nil, "\(date)") }
    #expect(try read("Date: 1 Jan 70 00:00:00 -9223372036854775808\n\nx\n").date == 0)
    #expect(try read("Date: Thu, 01 Jan 1970 01:00 EST\n\nx\n").date == 21_600)
  }

  @Test("Depth, parts, headers and length are bounded, and noise is told from mail")
  func hostile() throws {
    for (levels, isRead) in [(3, true), (2_000, false)] {
      var nested = "From: a@b.org\n"
      for level in 10_000..<(10_000 + levels) {
        nested += "Content-Type: multipart/mixed; boundary=b\(level)\n\n--b\(level)\n"
      }
      #expect(try read(nested + "\ninnermost\n").excerpt == (isRead ? "innermost" : ""), "\(levels)")
    }
    func multipart(_ boundary: String, _ parts: [String]) -> String {
      "Content-Type: multipart/mixed; boundary=\(boundary)\n\n" + parts.map { "--\(boundary)\n\($0)\n" }.joined()
    }
    let silent = "Content-Type: application/x\n\nx"
    let flood = "From: a@b.org\n" + multipart("b", Array(repeating: silent, count: 50_000) + ["\nlast"])
    #expect(try read(flood).excerpt.isEmpty)
    for (count, isRead) in [(2, true), (20, false)] {
      let inner = multipart("inner", Array(repeating: silent, count: count))
      let parts = "From: a@b.org\n" + multipart("outer", Array(repeating: inner, count: count) + ["\nlast"])
      #expect(try read(parts).excerpt == (isRead ? "last" : ""), "\(count)")
    }
    #expect(try read("From: a@b.org\nContent-Type: multipart/mixed; boundary=\"\"\n\n--\nx\n").excerpt.isEmpty)
    let headers = "From: a@b.org\n" + String(repeating: "X: y\n", count: 50_000) + "Subject: late\n\nx\n"
    #expect(try read(headers).subject.isEmpty)
    #expect(try read("Subject: " + String(repeating: "é", count: 100_000) + "\n\nx\n").subject.count <= 300)
    #expect(try read("From: \(String(repeating: "=?utf-8?Q?", count: 3_000))\n\nx\n").from.count <= 300)
    var dice = Dice(7)
    for _ in 0..<300 {
      let noise = dice.bytes(400)
      do {
        _ = try read(Data("From: a@b.org\r\nSubject: ".utf8 + noise))
        _ = try read(Data(noise))
      } catch let error as DocumentError { #expect(!error.message.isEmpty) }
    }
  }
}
