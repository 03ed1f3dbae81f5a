package import Foundation

/// What of a message is shown when mail is read.
package struct MailSummary: Codable, Sendable, Equatable {
  package var from: String
  package var subject: String
  package var date: Date?
  package var unread: Bool
  /// The beginning of the text.
  package var excerpt: String
  package var file: String
}

/// Messages as RFC 5322 writes them.
enum MailMessage {
  static func draft(id: String, from: String?, to: [String], subject: String?, body: String, date: Date, offset: Int)
    -> String
  {
    var lines: [String] = []
    if let from { lines.append("From: " + address(from)) }
    if !to.isEmpty { lines.append("To: " + to.map(address).joined(separator: ",\r\n ")) }
    if let subject { lines.append("Subject: " + encoded(subject)) }
    lines += [
      "Date: " + written(date, offset), "Message-ID: <\(id)@libera.invalid>", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
      quotedPrintable(body), "",
    ]
    return lines.joined(separator: "\r\n")
  }

  /// An address stays one, also behind a name; a name without address becomes an empty group, which is valid and visibly
  /// unfinished.
  static func address(_ text: String) -> String {
    let pieces = text.split(separator: "<", maxSplits: 1, omittingEmptySubsequences: false)
    if pieces.count == 2, pieces[1].hasSuffix(">"), isAddress(String(pieces[1].dropLast())) {
      let name = pieces[0].trimmingCharacters(in: .whitespaces)
      return name.isEmpty ? String(pieces[1].dropLast()) : "\(encoded(name, quoting: true)) <\(pieces[1])"
    }
    let plain = text.filter { !$0.isNewline && $0 != "<" && $0 != ">" }
    if isAddress(plain) { return plain }
    return encoded(plain, quoting: true) + ":;"
  }

  static func isAddress(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let atom: (Substring) -> Bool = { part in
      !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._%+-".contains($0)) }
    }
    return parts.count == 2 && parts.allSatisfy(atom) && parts[1].contains(".") && !text.hasPrefix("-")
  }

  /// A header's text: ASCII as it is, anything else as RFC 2047 words of at most 75 characters.
  static func encoded(_ text: String, quoting: Bool = false) -> String {
    let clean = String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    if clean.allSatisfy(\.isASCII), !clean.contains("=?"), clean.utf8.count <= 900 {
      let escaped = clean.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return quoting ? "\"\(escaped)\"" : clean
    }
    var words: [String] = []
    var chunk: [UInt8] = []
    for character in clean {
      let bytes = Array(String(character).utf8)
      if chunk.count + bytes.count > 42, !chunk.isEmpty {
        words.append(Data(chunk).base64EncodedString())
        chunk = []
      }
      chunk += bytes.prefix(42)
    }
    words.append(Data(chunk).base64EncodedString())
    return words.map { "=?utf-8?B?\($0)?=" }.joined(separator: "\r\n ")
  }

  static func quotedPrintable(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var result = ""
      var width = 0
      let bytes = Array(line.utf8).filter { $0 != 0x0D }
      for (index, byte) in bytes.enumerated() {
        let isLast = index == bytes.count - 1
        // "From " at a line's start and a lone dot are changed by some mailers; trailing spaces are lost.
        let plain =
          (0x21...0x7E).contains(byte) && byte != 0x3D && !(index == 0 && (byte == 0x46 || byte == 0x2E))
          || byte == 0x20 && !isLast
        let piece = plain ? String(UnicodeScalar(byte)) : "=" + hex(byte)
        if width + piece.utf8.count > 75 {
          result += "=\r\n"
          width = 0
        }
        result += piece
        width += piece.utf8.count
      }
      return result
    }.joined(separator: "\r\n")
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }

  private static func written(_ date: Date, _ offset: Int) -> String {
    let local = Int(date.timeIntervalSince1970) + offset
    let day = Civil.floorDiv(local, 86_400)
    let parts = Civil.date(day)
    let minutes = abs(offset) / 60
    let zone = (offset < 0 ? "-" : "+") + String(10_000 + minutes / 60 * 100 + minutes % 60).dropFirst()
    return
      "\(days[Civil.weekday(day)]), \(parts.day) \(months[parts.month - 1]) \(parts.year) \(Civil.iso(local).suffix(8)) \(zone)"
  }

  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  // MARK: - Reading

  static func summary(_ data: Data, file: URL, unread: Bool) -> MailSummary {
    let bytes = [UInt8](data.prefix(64_000))
    let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    let split = text.range(of: "\n\n")
    var headers: [String: String] = [:]
    var last = ""
    for line in (split.map { text[..<$0.lowerBound] } ?? text[...]).split(separator: "\n") {
      if line.first == " " || line.first == "\t" {
        headers[last, default: ""] += " " + line.trimmingCharacters(in: .whitespaces)
      } else if let colon = line.firstIndex(of: ":") {
        last = line[..<colon].lowercased()
        if headers[last] == nil {
          headers[last] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
      }
    }
    let body = split.map { String(text[$0.upperBound...]) } ?? ""
    return MailSummary(
      from: decoded(headers["from"] ?? ""), subject: decoded(headers["subject"] ?? ""),
      date: headers["date"].flatMap(date),
      unread: unread, excerpt: excerpt(body, headers), file: file.path)
  }

  private static func excerpt(_ body: String, _ headers: [String: String]) -> String {
    let type = headers["content-type"]?.lowercased() ?? "text/plain"
    guard type.hasPrefix("text/plain") else { return "" }
    var text = body
    switch headers["content-transfer-encoding"]?.lowercased() {
    case "quoted-printable":
      text = String(decoding: fromQuotedPrintable(body.replacing("=\n", with: "")), as: UTF8.self)
    case "base64":
      text =
        Data(base64Encoded: body, options: .ignoreUnknownCharacters).map { String(decoding: $0, as: UTF8.self) } ?? ""
    default: break
    }
    return String(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(240))
  }

  /// Decodes RFC 2047 words in UTF-8, Latin-1 and ASCII; others stay as they are.
  static func decoded(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.range(of: "=?") {
      let parts = rest[start.upperBound...].split(separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 4, parts[3].hasPrefix("=") else { break }
      let bytes: [UInt8]?
      switch parts[1].lowercased() {
      case "b": bytes = Data(base64Encoded: String(parts[2])).map { [UInt8]($0) }
      case "q": bytes = fromQuotedPrintable(parts[2].replacing("_", with: " "))
      default: bytes = nil
      }
      guard let bytes else { break }
      let before = rest[..<start.lowerBound]
      if !(before.allSatisfy(\.isWhitespace) && !result.isEmpty) { result += before }
      let latin = parts[0].lowercased().hasPrefix("iso-8859-1")
      result +=
        latin
        ? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) })) : String(decoding: bytes, as: UTF8.self)
      rest = parts[3].dropFirst()
    }
    return result + rest
  }

  private static func fromQuotedPrintable(_ text: some StringProtocol) -> [UInt8] {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var at = 0
    while at < bytes.count {
      if bytes[at] == 0x3D, at + 2 < bytes.count,
        let value = UInt8(String(decoding: bytes[(at + 1)...(at + 2)], as: UTF8.self), radix: 16)
      {
        result.append(value)
        at += 3
      } else {
        result.append(bytes[at])
        at += 1
      }
    }
    return result
  }

  /// "Tue, 10 Jun 2026 09:30:00 +0200"
  static func date(_ text: String) -> Date? {
    var words = text.split { " ,".contains($0) }.map(String.init)
    if let first = words.first, days.contains(String(first.prefix(3))) { words.removeFirst() }
    guard words.count >= 4, let day = Int(words[0]), let month = months.firstIndex(of: String(words[1].prefix(3))),
      let year = Int(words[2]),
      (1...9999).contains(year), Civil.isValid(year, month + 1, day)
    else { return nil }
    let clock = words[3].split(separator: ":").compactMap { Int($0) }
    guard clock.count >= 2, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]) else { return nil }
    var offset = 0
    if words.count > 4, let number = Int(words[4]), abs(number) <= 1500 {
      offset = (number / 100 * 60 + number % 100) * 60
    }
    let seconds =
      Civil.day(year, month + 1, day) * 86_400 + clock[0] * 3600 + clock[1] * 60
      + (clock.count > 2 ? min(60, max(0, clock[2])) : 0)
    return Date(timeIntervalSince1970: Double(seconds - offset))
  }
}
