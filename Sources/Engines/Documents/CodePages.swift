/// Single-byte encodings of Latin-script text: what the bytes 0x80...0xFF mean in each. U+FFFD marks a byte without meaning.
enum CodePage: String, CaseIterable {
  case windows1252 = "windows-1252"
  case latin9 = "iso-8859-15"
  case latin1 = "iso-8859-1"
  case windows1250 = "windows-1250"
  case macRoman = "macintosh"
  case cp850 = "ibm850"

  var upper: [Unicode.Scalar] {
    switch self {
    case .windows1252: Self.tables[0]
    case .latin9: Self.tables[1]
    case .latin1: Self.tables[2]
    case .windows1250: Self.tables[3]
    case .macRoman: Self.tables[4]
    case .cp850: Self.tables[5]
    }
  }

  func decode(_ bytes: some Sequence<UInt8>) -> String {
    let upper = upper
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80]) }
    return String(scalars)
  }

  /// The encoding of that name as the web and XML know it.
  init?(named name: String) {
    switch name.lowercased() {
    case "windows-1252", "cp1252", "iso-8859-1", "latin1", "latin-1", "iso8859-1", "us-ascii", "ascii":
      self = .windows1252
    case "iso-8859-15", "latin-9", "latin9", "iso8859-15": self = .latin9
    case "windows-1250", "cp1250": self = .windows1250
    case "macintosh", "mac", "x-mac-roman": self = .macRoman
    case "ibm850", "cp850": self = .cp850
    default: return nil
    }
  }

  private static let tables: [[Unicode.Scalar]] = [
    scalars(
      "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}"
        + "\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ"
        + "\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯"
        + "°±²³´µ¶·¸¹º»¼½¾¿"
        + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
        + "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
        + "àáâãäåæçèéêëìíîï"
        + "ðñòóôõö÷øùúûüýþÿ"),
    scalars(
      "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
        + "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
        + "\u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯"
        + "°±²³Žµ¶·ž¹º»ŒœŸ¿"
        + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
        + "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
        + "àáâãäåæçèéêëìíîï"
        + "ðñòóôõö÷øùúûüýþÿ"),
    scalars(
      "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
        + "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
        + "\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯"
        + "°±²³´µ¶·¸¹º»¼½¾¿"
        + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
        + "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
        + "àáâãäåæçèéêëìíîï"
        + "ðñòóôõö÷øùúûüýþÿ"),
    scalars(
      "€\u{FFFD}‚\u{FFFD}„…†‡\u{FFFD}‰Š‹ŚŤŽŹ"
        + "\u{FFFD}‘’“”•–—\u{FFFD}™š›śťžź"
        + "\u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®Ż"
        + "°±˛ł´µ¶·¸ąş»Ľ˝ľż"
        + "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ"
        + "ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
        + "ŕáâăäĺćçčéęëěíîď"
        + "đńňóôőö÷řůúűüýţ˙"),
    scalars(
      "ÄÅÇÉÑÖÜáàâäãåçéè"
        + "êëíìîïñóòôöõúùûü"
        + "†°¢£§•¶ß®©™´¨≠ÆØ"
        + "∞±≤≥¥µ∂∑∏π∫ªºΩæø"
        + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ"
        + "–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ"
        + "‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ"
        + "\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"),
    scalars(
      "ÇüéâäàåçêëèïîìÄÅ"
        + "ÉæÆôöòûùÿÖÜø£Ø×ƒ"
        + "áíóúñÑªº¿®¬½¼¡«»"
        + "░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐"
        + "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤"
        + "ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀"
        + "ÓßÔÒõÕµþÞÚÛÙýÝ¯´"
        + "\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"),
  ]

  private static func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
}
