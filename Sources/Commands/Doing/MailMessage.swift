import Core
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
        let piece = plain ? String(UnicodeScalar(byte)) : "=" + [byte].hex.uppercased()
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

  private static func written(_ date: Date, _ offset: Int) -> String {
    let local = Int(date.timeIntervalSince1970) + offset
    let day = Civil.floorDiv(local, Civil.secondsPerDay)
    let parts = Civil.date(day)
    let minutes = abs(offset) / 60
    let zone = (offset < 0 ? "-" : "+") + String(10_000 + minutes / 60 * 100 + minutes % 60).dropFirst()
    return
      "\(days[Civil.weekday(day)]), \(parts.day) \(months[parts.month - 1]) \(parts.year) \(Civil.iso(local).suffix(8)) \(zone)"
  }

  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
