import Core
import Documents
import Workers

extension DocumentEngine {
  func mail(_ request: MailRequest, _ source: ByteSource, _ reply: some ReplySink) throws {
    let bytes = try source.read(at: 0, count: request.bytes)
    let message = MailPart(bytes[...], request)
    guard !message.headers.isEmpty else { throw DocumentError.damaged("it is no message") }
    var reading = MailReading()
    reading.from = Self.bounded(MailCharset.header(message.headers["from"] ?? ""), request.headerCharacters)
    reading.subject = Self.bounded(MailCharset.header(message.headers["subject"] ?? ""), request.headerCharacters)
    reading.date = message.headers["date"].flatMap(MailDate.read)
    var seen = 0
    let text = Self.text(of: message, request, depth: 0, &seen) ?? ""
    reading.excerpt = Self.bounded(text, request.excerptCharacters)
    try reply.event(reading)
  }

  private static func bounded(_ text: String, _ most: Int) -> String {
    // By scalars: a character may be made of any number of them.
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(8 * most))).onOneLine.letters(most)
  }

  /// The first text of a message; plain text before the same as a page.
  private static func text(of part: MailPart, _ request: MailRequest, depth: Int, _ seen: inout Int) -> String? {
    seen += 1
    guard depth < request.depth, seen <= request.parts else { return nil }
    let (name, parameters) = part.type
    if name.hasPrefix("multipart/") {
      var page: String?
      for one in part.parts(parameters["boundary"] ?? "", request) {
        guard let text = text(of: one, request, depth: depth + 1, &seen), !text.isEmpty else { continue }
        guard one.type.name == "text/html" else { return text }
        page = page ?? text
      }
      return page
    }
    if name == "message/rfc822" {
      return text(of: MailPart(part.body, request), request, depth: depth + 1, &seen)
    }
    guard name.hasPrefix("text/") || name.isEmpty,
      part.headers["content-disposition"]?.lowercased().hasPrefix("attachment") != true
    else { return nil }
    let decoded = MailCharset.decode(part.decoded(limit: 64 << 10), parameters["charset"] ?? "utf-8")
    guard name == "text/html" else { return decoded }
    return HTMLText.read(decoded).blocks.prefix(50).map(\.text).joined(separator: " ")
  }
}

/// "Tue, 10 Jun 2026 09:30:00 +0200", as seconds since 1970.
enum MailDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  static func read(_ text: String) -> Int? {
    var words = text.prefix(200).split { $0 == " " || $0 == "," || $0 == "\t" }.map { $0.lowercased() }
    if let first = words.first, Int(first) == nil { words.removeFirst() }
    guard words.count >= 4, let day = Int(words[0]), let month = months.firstIndex(of: String(words[1].prefix(3))),
      var year = Int(words[2])
    else { return nil }
    // Years of two digits were once written.
    if (0..<50).contains(year) { year += 2000 } else if (50..<100).contains(year) { year += 1900 }
    let clock = words[3].split(separator: ":").map { Int($0) ?? -1 }
    guard (2...3).contains(clock.count),
      let wall = WallTime(year, month + 1, day, clock[0], clock[1], clock.count == 3 ? clock[2] : 0)
    else { return nil }
    return wall.seconds - offset(words.count > 4 ? words[4] : "")
  }

  private static func offset(_ word: String) -> Int {
    if let number = Int(word), (-1500...1500).contains(number) { return (number / 100 * 60 + number % 100) * 60 }
    let american = ["edt": -4, "est": -5, "cdt": -5, "cst": -6, "mdt": -6, "mst": -7, "pdt": -7, "pst": -8]
    return (american[word] ?? 0) * 3600
  }
}
