/// Cleans text that came from outside before it stands in a prompt.
///
/// The real wall is elsewhere: such text is tokenised without special tokens and can never start an action. This keeps a reader,
/// human or model, from being fooled by what looks like a role marker or cannot be seen at all.
package enum Sanitiser {
  package struct Result: Sendable, Equatable {
    package var text: String
    /// How many invisible characters and how many markers were taken out: part of the answer's record.
    package var invisible = 0
    package var markers = 0
  }

  package static func clean(_ text: String) -> Result {
    var result = Result(text: "")
    result.text = visible(text, &result.invisible)
    // Taking a marker apart can complete another around it, so it is repeated until nothing is found.
    while let cleaned = withoutMarkers(result.text) {
      result.text = cleaned.text
      result.markers += cleaned.count
    }
    return result
  }

  // MARK: Invisible characters

  private static func visible(_ text: String, _ removed: inout Int) -> String {
    let scalars = Array(text.unicodeScalars)
    var kept = String.UnicodeScalarView()
    for (place, scalar) in scalars.enumerated() {
      if isAlwaysInvisible(scalar) || (isJoiner(scalar) && !isJoining(scalars, at: place)) {
        removed += 1
      } else {
        kept.append(scalar)
      }
    }
    return String(kept)
  }

  private static func isAlwaysInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: false
    case 0...0x1F, 0x7F...0x9F: true  // controls
    case 0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F, 0x3164, 0xFFA0: true
    case 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF: true  // zero width, bidirectional controls
    case 0xFE00...0xFE0D, 0x2800: true  // variation selectors that no emoji has, the blank that is no space
    case 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true  // annotations, tags
    default: false
    }
  }

  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x200C || scalar.value == 0x200D }

  /// Joiners carry meaning in Persian, in Indic scripts and inside emoji; between other letters they only hide something.
  private static func isJoining(_ scalars: [Unicode.Scalar], at place: Int) -> Bool {
    guard place > 0, place < scalars.count - 1 else { return false }
    return [scalars[place - 1], scalars[place + 1]].allSatisfy { $0.value >= 0x0600 && !isJoiner($0) }
  }

  // MARK: Markers

  /// Words that, inside brackets, are turn or control markers of a model family.
  private static let words: Set<String> = [
    "s", "/s", "bos", "eos", "pad", "unk", "start_of_turn", "end_of_turn", "start_of_image", "inst", "/inst",
    "system_prompt", "/system_prompt", "available_tools", "/available_tools", "tool_calls", "/tool_calls",
    "tool_results",
    "/tool_results", "tool_call", "/tool_call", "tool_response", "/tool_response", "tools", "/tools", "sys", "/sys",
    "think", "/think", "system", "/system", "assistant", "/assistant", "user", "/user", "human", "/human", "im_start",
    "im_end", "endoftext", "begin_of_text", "end_of_text", "start_header_id", "end_header_id", "eot_id", "eom_id",
    "python_tag", "channel", "message", "return", "call", "constrain", "function_calls", "/function_calls",
    "bos_token", "eos_token", "pad_token", "unk_token", "gmask", "sop", "start_of_role", "end_of_role",
    "end_of_utterance",
    "tool_content", "/tool_content", "tool_code", "/tool_code", "end_of_image", "eot", "eom",
  ]

  /// `<|…|>`, `<｜…｜>`, `<word>`, `[WORD]`, `<<SYS>>` with a known word, and "### Instruction:" lines. Brackets become
  /// parentheses, so the words stay readable; nil when nothing was found.
  private static func withoutMarkers(_ text: String) -> (text: String, count: Int)? {
    let characters = Array(text)
    var out: [Character] = []
    out.reserveCapacity(characters.count)
    var count = 0
    var place = 0
    while place < characters.count {
      if let marker = bracketed(characters, at: place) {
        out += "(" + marker.words + ")"
        place += marker.length
        count += 1
      } else if let length = heading(characters, at: place) {
        place += length  // the hashes go, the words stay
        count += 1
      } else {
        out.append(characters[place])
        place += 1
      }
    }
    return count == 0 ? nil : (String(out), count)
  }

  private static func bracketed(_ text: [Character], at start: Int) -> (words: String, length: Int)? {
    guard let closing = closings[text[start]] else { return nil }
    var end = start + 1
    while end < text.count, end - start <= 48, !closing.contains(text[end]), text[end] != "\n" { end += 1 }
    guard end < text.count, closing.contains(text[end]) else { return nil }
    var inner = text[(start + 1)..<end]
    let hasBars = inner.first.map(bars.contains) == true && inner.last.map(bars.contains) == true && inner.count > 2
    if hasBars { inner = inner.dropFirst().dropLast() }
    var length = end - start + 1
    let doubled = inner.first == "<" && end + 1 < text.count && text[end + 1] == ">"  // <<SYS>>
    if doubled {
      inner = inner.dropFirst()
      length += 1
    }
    let name = String(inner).trimmingSpaces()
    guard !name.isEmpty, hasBars || words.contains(name.lowercased()) else { return nil }
    return (name, length)
  }

  /// What closes what opens; look-alikes count, as a reader is fooled by them too.
  private static let closings: [Character: Set<Character>] = {
    let angles: Set<Character> = [">", "＞", "›", "〉", "⟩", "〉"]
    let squares: Set<Character> = ["]", "］"]
    var closings: [Character: Set<Character>] = [:]
    for opening in ["<", "＜", "‹", "〈", "⟨", "〈"] as [Character] { closings[opening] = angles }
    for opening in ["[", "［"] as [Character] { closings[opening] = squares }
    return closings
  }()
  private static let bars: Set<Character> = ["|", "｜", "¦", "│", "❘", "ǀ", "∣"]

  private static let roles = ["instruction", "response", "system", "user", "assistant", "human", "input"]

  /// The length of "### " before a role word and a colon at the start of a line.
  private static func heading(_ text: [Character], at start: Int) -> Int? {
    guard text[start] == "#", start == 0 || text[start - 1] == "\n" else { return nil }
    var place = start
    while place < text.count, text[place] == "#" { place += 1 }
    guard place - start >= 2 else { return nil }
    while place < text.count, text[place] == " " { place += 1 }
    let rest = String(text[place..<min(place + 12, text.count)]).lowercased()
    return roles.contains { rest.hasPrefix($0 + ":") } ? place - start : nil
  }
}

extension String {
  fileprivate func trimmingSpaces() -> String {
    var view = self[...]
    while view.first?.isWhitespace == true { view.removeFirst() }
    while view.last?.isWhitespace == true { view.removeLast() }
    return String(view)
  }
}
