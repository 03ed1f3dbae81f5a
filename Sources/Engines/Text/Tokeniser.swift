import CLlama
import Foundation

typealias TokenID = llama_token

/// A model's tokeniser. Untrusted text never becomes a control token here, whatever the vocabulary says.
struct Tokeniser {
  let pointer: OpaquePointer
  let size: Int
  let beginning: TokenID
  let addsBeginning: Bool
  /// Whether the tokeniser puts a space before text that opens a prompt or follows a special token.
  private let prefixesSpace: Bool
  /// Markup that the vocabulary treats as one token even where specials are off ("user-defined" tokens).
  private let markup: Set<TokenID>
  /// Of the longest token; nil where a text may come to fewer tokens than its length tells.
  private let longestBytes: Int?

  init(model: OpaquePointer) {
    let pointer: OpaquePointer = llama_model_get_vocab(model)
    self.pointer = pointer
    size = Int(llama_vocab_n_tokens(pointer))
    beginning = llama_vocab_bos(pointer)
    addsBeginning = llama_vocab_get_add_bos(pointer) && beginning != LLAMA_TOKEN_NULL
    var markup = Set<TokenID>()
    var longest = 1
    let special = LLAMA_TOKEN_ATTR_USER_DEFINED.rawValue | LLAMA_TOKEN_ATTR_CONTROL.rawValue
    for token in 0..<TokenID(size) {
      guard let text = llama_vocab_get_text(pointer, token), text[0] != 0 else { continue }
      longest = max(longest, strlen(text))
      guard llama_vocab_get_attr(pointer, token).rawValue & special != 0 else { continue }
      // Runs of spaces and line breaks are user-defined too in some vocabularies, and are only text.
      let opener = UInt8(bitPattern: text[0])
      if opener == UInt8(ascii: "<") || opener == UInt8(ascii: "[") || opener == UInt8(ascii: "|") {
        markup.insert(token)
      }
    }
    self.markup = markup
    // Others leave out spaces.
    let keepsAll = [LLAMA_VOCAB_TYPE_SPM, LLAMA_VOCAB_TYPE_BPE, LLAMA_VOCAB_TYPE_RWKV]
    longestBytes = keepsAll.contains(llama_vocab_type(pointer)) ? longest : nil
    let probe = Self.tokens(of: "a", in: pointer, special: false)
    prefixesSpace = probe.first.map { Self.bytes(of: $0, in: pointer).first == UInt8(ascii: " ") } ?? false
  }

  /// The house's own text: special tokens written in it are special. `continuing`: text stands before it already.
  func trusted(_ text: String, continuing: Bool) -> [TokenID] {
    tokens(of: text, special: true, continuing: continuing)
  }

  /// Text of others. Where it spells out markup that the vocabulary would take whole, the spelling is broken up.
  func untrusted(_ text: String, continuing: Bool) -> [TokenID] {
    let whole = tokens(of: text, special: false, continuing: continuing)
    guard whole.contains(where: markup.contains) else { return whole }
    let forged = Set(whole.filter(markup.contains)).map { String(cString: llama_vocab_get_text(pointer, $0)) }
    var pieces = [text]
    for spelling in forged { pieces = pieces.flatMap { Self.breaking(spelling, in: $0) } }
    guard pieces.count > 1 else { return whole.filter { !markup.contains($0) } }
    var result = [TokenID]()
    for piece in pieces { result += untrusted(piece, continuing: continuing || !result.isEmpty) }
    return result
  }

  /// A text of so many bytes comes to at least so many tokens.
  func fewestTokens(inBytes bytes: Int) -> Int { longestBytes.map { bytes / $0 } ?? 0 }

  func isSpecial(_ token: TokenID) -> Bool {
    llama_vocab_get_attr(pointer, token).rawValue & LLAMA_TOKEN_ATTR_CONTROL.rawValue != 0 || markup.contains(token)
  }

  func endsAnswer(_ token: TokenID) -> Bool { llama_vocab_is_eog(pointer, token) }

  /// What a token adds to the text; control tokens add nothing.
  func bytes(of token: TokenID) -> [UInt8] { Self.bytes(of: token, in: pointer) }

  func text(of token: TokenID) -> String {
    String(decoding: Self.bytes(of: token, in: pointer, special: true), as: UTF8.self)
  }

  private func tokens(of text: String, special: Bool, continuing: Bool) -> [TokenID] {
    guard continuing, prefixesSpace else { return Self.tokens(of: text, in: pointer, special: special) }
    // An anchor takes the space that the tokeniser adds, and is cut off again.
    let anchor = Self.tokens(of: "\n", in: pointer, special: special)
    let whole = Self.tokens(of: "\n" + text, in: pointer, special: special)
    return whole.starts(with: anchor)
      ? Array(whole.dropFirst(anchor.count)) : Self.tokens(of: text, in: pointer, special: special)
  }

  private static func tokens(of text: String, in pointer: OpaquePointer, special: Bool) -> [TokenID] {
    var text = text
    return text.withUTF8 { bytes in
      guard !bytes.isEmpty else { return [] }
      return bytes.withMemoryRebound(to: CChar.self) { characters in
        var tokens = [TokenID](repeating: 0, count: characters.count + 8)
        var count = llama_tokenize(
          pointer, characters.baseAddress, Int32(characters.count), &tokens, Int32(tokens.count), false, special)
        if count < 0, count != Int32.min {
          tokens = [TokenID](repeating: 0, count: Int(-count))
          count = llama_tokenize(
            pointer, characters.baseAddress, Int32(characters.count), &tokens, Int32(tokens.count), false, special)
        }
        return Array(tokens.prefix(max(0, Int(count))))
      }
    }
  }

  private static func bytes(of token: TokenID, in pointer: OpaquePointer, special: Bool = false) -> [UInt8] {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { short in
      let count = llama_token_to_piece(pointer, token, short.baseAddress, Int32(short.count), 0, special)
      if count >= 0 { return short.prefix(Int(count)).map { UInt8(bitPattern: $0) } }
      var long = [CChar](repeating: 0, count: Int(-count))
      let written = llama_token_to_piece(pointer, token, &long, Int32(long.count), 0, special)
      return long.prefix(max(0, Int(written))).map { UInt8(bitPattern: $0) }
    }
  }

  /// Cuts after the first character of every occurrence, so that no piece spells the whole.
  private static func breaking(_ spelling: String, in text: String) -> [String] {
    let (bytes, mark) = (Array(text.utf8), Array(spelling.utf8))
    let opening = spelling.first?.utf8.count ?? 1
    var pieces = [String]()
    var (start, place) = (0, 0)
    while place + mark.count <= bytes.count {
      guard bytes[place] == mark[0], bytes[place..<place + mark.count].elementsEqual(mark) else {
        place += 1
        continue
      }
      place += opening
      pieces.append(String(decoding: bytes[start..<place], as: UTF8.self))
      start = place
    }
    pieces.append(String(decoding: bytes[start...], as: UTF8.self))
    return pieces.filter { !$0.isEmpty }
  }

  /// Tokens that others name by their numbers. Its own beginning may stand there, any other mark of the model's may not.
  func named(_ numbers: [Int32]) throws -> [TokenID] {
    let tokens = addsBeginning && numbers.first == beginning ? Array(numbers.dropFirst()) : numbers
    for token in tokens {
      guard (0..<size).contains(Int(token)) else {
        throw EngineError.tokenRefused(token, reason: "the model's vocabulary has \(size)")
      }
      guard !isSpecial(token) else { throw EngineError.tokenRefused(token, reason: "it is a mark of the model's own") }
    }
    return tokens
  }

  /// The same between beginning and end as the model wants them, whether they were written or not.
  func whole(numbers: [Int32]) throws -> [TokenID] {
    let frame = whole("")
    let opening = addsBeginning ? frame.prefix(1) : []
    let closing = frame.dropFirst(opening.count)
    var inner = numbers[...]
    if inner.starts(with: opening) { inner = inner.dropFirst(opening.count) }
    if !closing.isEmpty, inner.suffix(closing.count).elementsEqual(closing) { inner = inner.dropLast(closing.count) }
    return opening + (try named(Array(inner))) + closing
  }

  /// With beginning and end as the model wants them; for embedding models.
  func whole(_ text: String) -> [TokenID] {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        var tokens = [TokenID](repeating: 0, count: characters.count + 8)
        let count = llama_tokenize(
          pointer, characters.baseAddress, Int32(characters.count), &tokens, Int32(tokens.count), true, false)
        return Array(tokens.prefix(max(0, Int(count))))
      }
    }
  }
}
