import Foundation

/// Encodings of mail: of bytes as characters, and of characters as bytes.
enum MailCharset {
  static func decode(_ bytes: [UInt8], _ name: String) -> String {
    let name = name.lowercased()
    if let text = String(validating: bytes, as: UTF8.self), !name.hasPrefix("utf-16"), !name.hasPrefix("iso-2022") {
      return text
    }
    if name == "utf-8" || name == "utf8" { return String(decoding: bytes, as: UTF8.self) }
    if let page = CodePage(named: name) { return page.decode(bytes) }
    if let encoding = encoding(name), let text = String(data: Data(bytes), encoding: encoding) { return text }
    return TextDecoding.decode(bytes, declared: name)?.text ?? String(decoding: bytes, as: UTF8.self)
  }

  /// By the numbers that Foundation knows them under.
  private static func encoding(_ name: String) -> String.Encoding? {
    func number(_ raw: UInt) -> String.Encoding { String.Encoding(rawValue: 0x8000_0000 + raw) }
    switch name {
    case "utf-16": return .utf16
    case "utf-16le": return .utf16LittleEndian
    case "utf-16be": return .utf16BigEndian
    case "iso-2022-jp": return .iso2022JP
    case "shift_jis", "shift-jis", "sjis", "windows-31j", "cp932": return .shiftJIS
    case "euc-jp": return number(0x0920)
    case "euc-kr", "ks_c_5601-1987": return number(0x0940)
    case "gb2312", "gbk", "gb18030", "cp936": return number(0x0632)
    case "big5": return number(0x0A03)
    case "koi8-r", "koi8-u": return number(0x0A02)
    case "windows-1251", "cp1251": return .windowsCP1251
    case "windows-1253": return .windowsCP1253
    case "windows-1254": return .windowsCP1254
    case "windows-1255": return number(0x0505)
    case "windows-1256": return number(0x0506)
    case "windows-1257": return number(0x0507)
    default:
      guard name.hasPrefix("iso-8859-"), let part = UInt(name.dropFirst(9)), (2...16).contains(part) else { return nil }
      return number(0x0200 + part)
    }
  }

  static func quotedPrintable(_ bytes: some Collection<UInt8>, isHeader: Bool) -> [UInt8] {
    var result: [UInt8] = []
    let bytes = Array(bytes)
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      guard byte == 0x3D else {
        result.append(isHeader && byte == 0x5F ? 0x20 : byte)
        continue
      }
      // A line that goes on.
      if at < bytes.count, bytes[at] == 0x0A {
        at += 1
      } else if at + 1 < bytes.count, bytes[at] == 0x0D, bytes[at + 1] == 0x0A {
        at += 2
      } else if at + 1 < bytes.count, let high = digit(bytes[at]), let low = digit(bytes[at + 1]) {
        result.append(high << 4 | low)
        at += 2
      } else {
        result.append(byte)
      }
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  /// As far as it is base64: what is cut off or damaged ends it and does not take the rest along.
  static func base64(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      let value: UInt32
      switch byte {
      case 0x41...0x5A: value = UInt32(byte) - 0x41
      case 0x61...0x7A: value = UInt32(byte) - 0x61 + 26
      case 0x30...0x39: value = UInt32(byte) - 0x30 + 52
      case 0x2B, 0x2D: value = 62
      case 0x2F, 0x5F: value = 63
      case 0x3D: return result
      default: continue
      }
      bits = (bits << 6 | value) & 0xFF_FFFF
      count += 6
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return result
  }

  /// A header's text with its RFC 2047 words decoded; what is no such word stays as it is.
  static func header(_ text: String) -> String {
    var result = ""
    var pending: (charset: String, bytes: [UInt8])?
    var rest = text[...]
    func close() {
      if let word = pending { result += decode(word.bytes, word.charset) }
      pending = nil
    }
    while let start = rest.range(of: "=?") {
      let before = rest[..<start.lowerBound]
      guard let (charset, bytes, after) = word(rest[start.upperBound...]) else {
        close()
        result += rest[..<start.upperBound]
        rest = rest[start.upperBound...]
        continue
      }
      // Space between two words is no part of the text; a character may begin in one and end in the next.
      if let last = pending, before.allSatisfy(\.isWhitespace), last.charset == charset {
        pending = (charset, last.bytes + bytes)
      } else {
        let follows = pending != nil && before.allSatisfy(\.isWhitespace)
        close()
        if !follows { result += before }
        pending = (charset, bytes)
      }
      rest = after
    }
    close()
    return result + rest
  }

  private static func word(_ text: Substring) -> (charset: String, bytes: [UInt8], rest: Substring)? {
    let parts = text.prefix(2_000).split(separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[3].hasPrefix("="), !parts[0].isEmpty else { return nil }
    // A language may follow the charset.
    let charset = String(parts[0].split(separator: "*").first ?? "utf-8").lowercased()
    let rest = text[parts[3].index(after: parts[3].startIndex)...]
    switch parts[1].lowercased() {
    case "b": return (charset, base64(parts[2].utf8), rest)
    case "q": return (charset, quotedPrintable(parts[2].utf8, isHeader: true), rest)
    default: return nil
    }
  }
}
