/// A word, a run of digits or one symbol of an utterance, with what the language's tables know about it.
struct Token: Sendable {
  enum Kind { case word, number, symbol }

  var kind: Kind
  /// Lower case; an apostrophe is dropped, and with it a possessive s ("valentine's" is "valentine").
  var text: String
  /// Without a plural s, for names that are written in many ways.
  var stem: String
  /// The value of a run of digits (at most nine of them).
  var value = 0
  var digits = 0
  /// UTF-8 byte offsets.
  var start: Int
  var end: Int
  /// No space stands before it.
  var glued: Bool
  /// It stands for another word than was written.
  var isMended = false

  var words: WordSet = []
  var weekday: Int?
  var month: Int?
  var unit: Grain?
  var cardinal: Int?
  var ordinal: Int?

  /// An apostrophe was written in it.
  var isContracted: Bool { kind == .word && !isMended && end - start > text.utf8.count }

  static func split(_ text: String) -> [Token] { Language.all.first.map { split(text, $0.vocabulary) } ?? [] }

  static func split(_ text: String, _ vocabulary: Vocabulary) -> [Token] {
    var splitter = Splitter(bytes: Array(text.utf8), vocabulary: vocabulary)
    return splitter.tokens()
  }
}

private struct Splitter {
  let bytes: [UInt8]
  let vocabulary: Vocabulary
  var at = 0

  mutating func tokens() -> [Token] {
    var tokens: [Token] = []
    var isSpaced = true
    while at < bytes.count {
      let byte = bytes[at]
      if byte <= 0x20 || byte == 0x7F {
        at += 1
        isSpaced = true
        continue
      }
      var token = isDigit(at) ? number() : isLetter(at) ? word() : sign()
      token.glued = !isSpaced
      vocabulary.describe(&token)
      tokens.append(token)
      isSpaced = false
    }
    return tokens
  }

  private mutating func number() -> Token {
    let start = at
    while isDigit(at) { at += 1 }
    let digits = String(decoding: bytes[start..<at], as: UTF8.self)
    var token = Token(kind: .number, text: digits, stem: digits, start: start, end: at, glued: false)
    token.digits = at - start
    token.value = token.digits <= 9 ? Int(digits) ?? 0 : 0
    return token
  }

  private mutating func sign() -> Token {
    let start = at
    let (written, length) = symbol(at) ?? (String(decoding: [bytes[at]], as: UTF8.self), 1)
    at += length
    return Token(kind: .symbol, text: written, stem: written, start: start, end: at, glued: false)
  }

  private mutating func word() -> Token {
    let start = at
    var letters: [UInt8] = []
    var isPossessive = false
    while !isPossessive {
      if isLetter(at) {
        letters.append((0x41...0x5A).contains(bytes[at]) ? bytes[at] + 0x20 : bytes[at])
        at += 1
      } else if let length = apostrophe(at), isLetter(at + length) {
        if vocabulary.elisions.contains(String(decoding: letters, as: UTF8.self)) {
          at += length
          return word(letters, start, end: at - length)
        }
        isPossessive = !isLetter(at + length + 1) && bytes[at + length] | 0x20 == 0x73
        at += isPossessive ? length + 1 : length
      } else {
        break
      }
    }
    if !isPossessive, letters.last == 0x73, let length = apostrophe(at) { at += length }
    return word(letters, start, end: at)
  }

  private mutating func word(_ letters: [UInt8], _ start: Int, end: Int) -> Token {
    let written = String(decoding: letters, as: UTF8.self)
    var (text, end) = (vocabulary.folds ? Vocabulary.folded(written) : written, end)
    if end - start == letters.count, let head = vocabulary.head(of: text) {
      end = start + (text.utf8.count == letters.count ? head.utf8.count : letters.count)
      if end - start == head.utf8.count { text = head }
      at = end
    }
    let meant = vocabulary.meant(by: text)
    text = meant ?? text
    let stem = text.count > 3 && text.hasSuffix("s") ? String(text.dropLast()) : text
    return Token(
      kind: .word, text: text, stem: stem, start: start, end: end, glued: false, isMended: meant != nil)
  }

  private func isDigit(_ at: Int) -> Bool { at < bytes.count && (0x30...0x39).contains(bytes[at]) }

  private func isLetter(_ at: Int) -> Bool {
    guard at < bytes.count else { return false }
    let byte = bytes[at]
    return ((0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte >= 0x80) && symbol(at) == nil
  }

  private func apostrophe(_ at: Int) -> Int? {
    guard at < bytes.count else { return nil }
    if bytes[at] == 0x27 { return 1 }
    let isCurly =
      at + 2 < bytes.count && bytes[at] == 0xE2 && bytes[at + 1] == 0x80 && (0x98...0x99).contains(bytes[at + 2])
    return isCurly ? 3 : nil
  }

  /// Typographic punctuation, which would otherwise pass for letters.
  private func symbol(_ at: Int) -> (String, Int)? {
    if at + 2 < bytes.count, bytes[at] == 0xE2, bytes[at + 1] == 0x88, bytes[at + 2] == 0x92 { return ("-", 3) }
    guard at + 2 < bytes.count, bytes[at] == 0xE2, bytes[at + 1] == 0x80 else { return nil }
    switch bytes[at + 2] {
    case 0x90...0x95: return ("-", 3)
    case 0x98, 0x99: return ("'", 3)
    case 0x9C, 0x9D: return ("\"", 3)
    case 0xA6: return ("…", 3)
    case 0xAF: return (" ", 3)
    default: return nil
    }
  }
}
