import Documents
import Foundation

/// Bytes made into text, with the encoding that was found.
enum TextDecoding {
  struct Decoded {
    var text: String
    var encoding: String
  }

  /// Nil for what is no text at all. `declared` is what the document says of itself; a byte order mark and valid UTF-8 win.
  static func decode(_ bytes: [UInt8], declared: String? = nil) -> Decoded? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return utf8(bytes.dropFirst(3)) ?? latin(bytes.dropFirst(3), nil) }
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return utf32(bytes.dropFirst(4), big: false) }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return utf32(bytes.dropFirst(4), big: true) }
    if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), big: false) }
    if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), big: true) }
    let head = bytes.prefix(4096)
    if head.contains(0) { return withoutMark(bytes) }
    if let decoded = utf8(bytes[...]) { return controls(head) ? nil : decoded }
    return controls(head) ? nil : latin(bytes[...], declared)
  }

  private static func utf8(_ bytes: ArraySlice<UInt8>) -> Decoded? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return Decoded(text: clean(text), encoding: "utf-8")
  }

  /// Zero bytes tell where the letters are: every second or every fourth byte.
  private static func withoutMark(_ bytes: [UInt8]) -> Decoded? {
    let head = bytes.prefix(4096 - 4096 % 4)
    guard head.count >= 4 else { return nil }
    var zeros = [0, 0, 0, 0]
    for (index, byte) in head.enumerated() where byte == 0 { zeros[index % 4] += 1 }
    let quarter = Double(head.count) / 4
    let share = zeros.map { Double($0) / quarter }
    if share[1] > 0.9, share[2] > 0.9, share[3] > 0.9, share[0] < 0.3 { return utf32(bytes[...], big: false) }
    if share[0] > 0.9, share[1] > 0.9, share[2] > 0.9, share[3] < 0.3 { return utf32(bytes[...], big: true) }
    if share[1] > 0.6, share[3] > 0.6, share[0] < 0.1, share[2] < 0.1 { return utf16(bytes[...], big: false) }
    if share[0] > 0.6, share[2] > 0.6, share[1] < 0.1, share[3] < 0.1 { return utf16(bytes[...], big: true) }
    return nil
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, big: Bool) -> Decoded? {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      let (a, b) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(big ? a << 8 | b : b << 8 | a)
      index += 2
    }
    return plausible(String(decoding: units, as: UTF16.self), big ? "utf-16be" : "utf-16le")
  }

  private static func utf32(_ bytes: ArraySlice<UInt8>, big: Bool) -> Decoded? {
    var scalars = String.UnicodeScalarView()
    var index = bytes.startIndex
    while index + 3 < bytes.endIndex {
      let four = bytes[index..<index + 4]
      let value = (big ? Array(four) : four.reversed()).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      scalars.append(Unicode.Scalar(value) ?? "\u{FFFD}")
      index += 4
    }
    return plausible(String(scalars), big ? "utf-32be" : "utf-32le")
  }

  private static func plausible(_ text: String, _ encoding: String) -> Decoded? {
    var bad = 0
    var count = 0
    for scalar in text.unicodeScalars.prefix(4096) {
      count += 1
      if scalar == "\u{FFFD}" || scalar.properties.generalCategory == .unassigned
        || (scalar.value < 0x20 && ![9, 10, 12, 13].contains(scalar.value))
      {
        bad += 1
      }
    }
    return bad * 20 > count ? nil : Decoded(text: clean(text), encoding: encoding)
  }

  private static func latin(_ bytes: ArraySlice<UInt8>, _ declared: String?) -> Decoded {
    let page = declared.flatMap(CodePage.init(named:)) ?? likeliest(bytes)
    return Decoded(text: clean(page.decode(bytes)), encoding: page.rawValue)
  }

  /// The code page under which the high bytes make words: letters among letters, capitals only where capitals go.
  private static func likeliest(_ bytes: ArraySlice<UInt8>) -> CodePage {
    var contexts: [(before: UInt8, byte: UInt8, after: UInt8)] = []
    var index = bytes.startIndex
    while index < bytes.endIndex, contexts.count < 3_000 {
      if bytes[index] >= 0x80 {
        contexts.append(
          (
            index > bytes.startIndex ? bytes[index - 1] : 32, bytes[index],
            index + 1 < bytes.endIndex ? bytes[index + 1] : 32
          ))
      }
      index += 1
    }
    let scored = CodePage.allCases.map { page -> (CodePage, Int) in
      let upper = page.upper
      func meaning(_ byte: UInt8) -> Unicode.Scalar { byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80] }
      return (
        page,
        contexts.reduce(0) { sum, context in
          sum + plausibility(meaning(context.before), meaning(context.byte), meaning(context.after))
        }
      )
    }
    // The first of equals: the commonest code page stands first.
    return scored.reduce(scored[0]) { $1.1 > $0.1 ? $1 : $0 }.0
  }

  private static func plausibility(_ before: Unicode.Scalar, _ scalar: Unicode.Scalar, _ after: Unicode.Scalar) -> Int {
    if scalar == "\u{FFFD}" { return -12 }
    let (left, right) = (before.properties.isAlphabetic, after.properties.isAlphabetic)
    if scalar.properties.isAlphabetic, scalar != "ª", scalar != "º", scalar != "ƒ" {
      let usual = common.contains(scalar) ? 2 : 0
      if scalar.properties.isUppercase {
        // A capital inside a word of small letters is a wrong guess.
        if before.properties.isLowercase || (left && after.properties.isLowercase) { return -4 }
        // Alone it is rather a sign, as that of the euro.
        return left || right ? (right ? 1 : 0) + usual : 0
      }
      return (left || right ? 2 : -1) + usual
    }
    if "–—„“”‚‘’«»…•€§°·©®\u{A0}".unicodeScalars.contains(scalar) { return left && right && scalar != "’" ? -2 : 1 }
    return left || right ? -3 : 0
  }

  private static let common = Set("äöüßÄÖÜéèêëàâçîïôùûœáíóúñåæøãõÉÈÀÇ".unicodeScalars)

  private static func controls(_ head: ArraySlice<UInt8>) -> Bool {
    head.count { $0 < 0x20 && ![9, 10, 12, 13, 27].contains($0) } * 50 > head.count
  }

  /// One kind of line end; no byte that a database or a terminal would stumble over.
  private static func clean(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 13 || $0 == 0 || $0 == 27 }) || text.hasPrefix("\u{FEFF}") else {
      return text
    }
    var scalars = String.UnicodeScalarView()
    var carriage = false
    for scalar in text.unicodeScalars {
      defer { carriage = scalar == "\r" }
      switch scalar {
      case "\r": scalars.append("\n")
      case "\n": if !carriage { scalars.append("\n") }
      case "\0", "\u{1B}", "\u{FEFF}": continue
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}
