/// A word, a run of digits or one symbol of an utterance, with what the lexicon knows about it.
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

  var weekday: Int?
  var month: Int?
  var unit: Grain?
  var cardinal: Int?
  var ordinal: Int?

  /// An apostrophe was written in it.
  var isContracted: Bool { kind == .word && end - start > text.utf8.count }

  static func split(_ text: String) -> [Token] {
    var tokens: [Token] = []
    let bytes = Array(text.utf8)
    var at = 0
    var spaced = true
    while at < bytes.count {
      let byte = bytes[at]
      if byte <= 0x20 || byte == 0x7F {
        at += 1
        spaced = true
        continue
      }
      let start = at
      var token: Token
      if isDigit(byte) {
        while at < bytes.count, isDigit(bytes[at]) { at += 1 }
        let digits = String(decoding: bytes[start..<at], as: UTF8.self)
        token = Token(kind: .number, text: digits, stem: digits, start: start, end: at, glued: !spaced)
        token.digits = at - start
        token.value = token.digits <= 9 ? Int(digits) ?? 0 : 0
      } else if isLetter(byte), symbol(bytes, at) == nil {
        var letters: [UInt8] = []
        var possessive = false
        while at < bytes.count {
          if isLetter(bytes[at]), symbol(bytes, at) == nil {
            letters.append((0x41...0x5A).contains(bytes[at]) ? bytes[at] + 0x20 : bytes[at])
            at += 1
          } else if let length = apostrophe(bytes, at), at + length < bytes.count, isLetter(bytes[at + length]),
            symbol(bytes, at + length) == nil
          {
            let next = at + length
            let alone = next + 1 >= bytes.count || !isLetter(bytes[next + 1])
            possessive = alone && (bytes[next] | 0x20) == 0x73
            at = possessive ? next + 1 : next
            if possessive { break }
          } else {
            break
          }
        }
        if !possessive, letters.last == 0x73, let length = apostrophe(bytes, at) { at += length }
        var word = String(decoding: letters, as: UTF8.self)
        // "2pmTuesday"
        if let last = tokens.last, last.kind == .number, !spaced, word.hasPrefix("pm") || word.hasPrefix("am") {
          let rest = String(word.dropFirst(2))
          if Lexicon.weekdays[rest] != nil || Lexicon.months[rest] != nil {
            at = start + 2
            word = String(word.prefix(2))
          }
        }
        if at - start == word.utf8.count, let head = Lexicon.head(of: word) {
          at = start + head.utf8.count
          word = head
        }
        let stem = word.count > 3 && word.hasSuffix("s") ? String(word.dropLast()) : word
        token = Token(kind: .word, text: word, stem: stem, start: start, end: at, glued: !spaced)
        Lexicon.describe(&token)
      } else {
        let (written, length) = symbol(bytes, at) ?? (String(decoding: [byte], as: UTF8.self), 1)
        at += length
        token = Token(kind: .symbol, text: written, stem: written, start: start, end: at, glued: !spaced)
      }
      tokens.append(token)
      spaced = false
    }
    return tokens
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte >= 0x80
  }

  private static func apostrophe(_ bytes: [UInt8], _ at: Int) -> Int? {
    guard at < bytes.count else { return nil }
    if bytes[at] == 0x27 { return 1 }
    let curly =
      at + 2 < bytes.count && bytes[at] == 0xE2 && bytes[at + 1] == 0x80 && (0x98...0x99).contains(bytes[at + 2])
    return curly ? 3 : nil
  }

  /// Typographic punctuation, which would otherwise pass for letters.
  private static func symbol(_ bytes: [UInt8], _ at: Int) -> (String, Int)? {
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

/// Fixed phrases looked up by their first word.
struct Phrases<Payload> {
  private var table: [String: [(rest: [String], payload: Payload)]] = [:]
  private let stemmed: Bool

  /// Keys may list variants separated by "|". With `stemmed`, plural and possessive endings make no difference.
  init(_ entries: [(String, Payload)], stemmed: Bool = false) {
    self.stemmed = stemmed
    for (keys, payload) in entries {
      for key in keys.split(separator: "|") {
        let words = Token.split(String(key)).map { stemmed ? $0.stem : $0.text }
        guard let first = words.first else { continue }
        table[first, default: []].append((Array(words.dropFirst()), payload))
      }
    }
  }

  /// All phrases beginning at a token, with the index after them.
  func matches(_ tokens: [Token], at start: Int) -> [(payload: Payload, end: Int)] {
    guard start < tokens.count,
      let candidates = table[stemmed ? tokens[start].stem : tokens[start].text]
    else { return [] }
    var found: [(Payload, Int)] = []
    for (rest, payload) in candidates where start + rest.count < tokens.count {
      var fits = true
      for (offset, word) in rest.enumerated() {
        let token = tokens[start + 1 + offset]
        if (stemmed ? token.stem : token.text) != word {
          fits = false
          break
        }
      }
      if fits { found.append((payload, start + 1 + rest.count)) }
    }
    return found
  }

  func longest(_ tokens: [Token], at start: Int) -> (payload: Payload, end: Int)? {
    matches(tokens, at: start).max { $0.end < $1.end }
  }
}

extension Phrases: Sendable where Payload: Sendable {}
