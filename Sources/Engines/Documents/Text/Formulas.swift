import Foundation

/// Formulas in Markdown, which reading it as Markdown would take apart: a mark stands for each until that is done.
struct Formulas {
  /// The text with its marks; it has as many lines as before.
  let text: String
  private var found: [(plain: String, written: String)] = []

  /// From the last of the private characters: no text has them.
  private static let (open, close): (Unicode.Scalar, Unicode.Scalar) = ("\u{10FDD0}", "\u{10FDD1}")

  /// Markdown may spell a mark by its number, and so say a formula again as often as it likes.
  private static func spellsMark(_ source: String) -> Bool {
    source.contains("&#") && source.contains(#/&#(?:[xX]0*10[fF][dD]{2}0|0*1113552);/#)
  }

  init(in source: String) {
    guard source.utf8.contains(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "\\") }),
      !source.unicodeScalars.contains(Self.open), !Self.spellsMark(source)
    else {
      text = source
      return
    }
    var search = Search(Array(source.utf8))
    var marked: [UInt8] = []
    var copied = 0
    while let place = search.next() {
      let written = String(decoding: search.bytes[place.whole], as: UTF8.self)
      let tex = String(decoding: search.bytes[place.inner], as: UTF8.self)
      guard let plain = Formula.plain(Self.unquoted(tex)) ?? (place.isSure ? written : nil), !plain.isEmpty else {
        continue
      }
      marked += search.bytes[copied..<place.whole.lowerBound]
      marked += Array("\(Self.open)\(found.count)\(Self.close)".utf8)
      marked += search.bytes[place.whole].filter { $0 == UInt8(ascii: "\n") }
      found.append((plain, written))
      copied = place.whole.upperBound
    }
    marked += search.bytes[copied...]
    text = found.isEmpty ? source : String(decoding: marked, as: UTF8.self)
  }

  /// The words with their formulas, as they are read or, in code, as they were written.
  func settled(_ words: String, isCode: Bool) -> String {
    guard !found.isEmpty, words.unicodeScalars.contains(Self.open) else { return words }
    var result = ""
    let parts = words.unicodeScalars.split(separator: Self.open, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let halves = part.split(separator: Self.close, maxSplits: 1, omittingEmptySubsequences: false)
      guard index > 0, halves.count == 2, let place = Int(String(halves[0])), found.indices.contains(place) else {
        result += String(part)
        continue
      }
      let (plain, written) = found[place]
      // What a formula of several lines was replaced by has its line ends behind it.
      let ends = isCode ? halves[1].prefix(written.utf8.count { $0 == 10 }).prefix { $0 == "\n" }.count : 0
      result += (isCode ? written : plain) + String(halves[1].dropFirst(ends))
    }
    return result
  }

  /// Without the marks of a quotation at the beginnings of its lines.
  private static func unquoted(_ tex: String) -> Substring {
    guard tex.contains("\n>") || tex.contains("\n >") else { return tex[...] }
    return tex.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { $0.offset == 0 ? $0.element : $0.element.drop { " >".contains($0) } }.joined(separator: "\n")[...]
  }

  private struct Place {
    var whole: Range<Int>
    var inner: Range<Int>
    /// Nothing else is written so.
    var isSure: Bool
  }

  /// Looks for formulas from the front; code is passed over. Each end that never comes is looked for once.
  private struct Search {
    let bytes: [UInt8]
    private var at = 0
    private var missing: Set<UInt8> = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Place? {
      while at < bytes.count {
        let byte = bytes[at]
        if byte == UInt8(ascii: "`") || byte == UInt8(ascii: "~") {
          passCode(byte)
        } else if byte == UInt8(ascii: "\\") {
          if let place = escaped() { return place }
        } else if byte == UInt8(ascii: "$") {
          if let place = dollars() { return place }
        } else {
          at += 1
        }
      }
      return nil
    }

    private func run(of byte: UInt8, at start: Int) -> Int {
      var end = start
      while end < bytes.count, bytes[end] == byte { end += 1 }
      return end - start
    }

    /// Past `code` within a paragraph, or past a fence up to where it closes.
    private mutating func passCode(_ byte: UInt8) {
      let count = run(of: byte, at: at)
      at += count
      let isFence = count > 2
      guard byte == UInt8(ascii: "`") || isFence else { return }
      var end = at
      while end < bytes.count {
        if bytes[end] == byte {
          let closing = run(of: byte, at: end)
          end += closing
          if closing == count || isFence && closing > count {
            at = end
            return
          }
        } else {
          if !isFence, endsParagraph(end) { return }
          end += 1
        }
      }
      // A fence that nothing closes goes to the end.
      if isFence { at = bytes.count }
    }

    /// `\(…\)` and `\[…\]`, which are also how brackets are written that are only brackets.
    private mutating func escaped() -> Place? {
      let start = at
      at = min(bytes.count, at + 2)
      let closing = [UInt8(ascii: "("): UInt8(ascii: ")"), UInt8(ascii: "["): UInt8(ascii: "]")]
      guard start + 1 < bytes.count, let close = closing[bytes[start + 1]], !missing.contains(close) else { return nil }
      var end = at
      while end + 1 < bytes.count {
        guard bytes[end] == UInt8(ascii: "\\") else {
          if endsParagraph(end) { return nil }
          end += 1
          continue
        }
        if bytes[end + 1] == close {
          let inner = at..<end
          guard isTeX(bytes[inner]) else { return nil }
          at = end + 2
          return Place(whole: start..<at, inner: inner, isSure: false)
        }
        // None stands within another.
        if closing[bytes[end + 1]] != nil { return nil }
        end += 2
      }
      missing.insert(close)
      return nil
    }

    private mutating func dollars() -> Place? {
      let start = at
      let count = run(of: UInt8(ascii: "$"), at: at)
      at += count
      guard (1...2).contains(count), at < bytes.count, let inner = untilDollar(from: at), !inner.isEmpty,
        run(of: UInt8(ascii: "$"), at: inner.upperBound) == count
      else { return nil }
      let end = inner.upperBound + count
      if count == 1 {
        let isTight = !isSpace(at) && !isSpace(inner.upperBound - 1) && !bytes[inner].contains(10)
        guard isTight, !isWord(start - 1), !isWord(end), readsAsFormula(bytes[inner]) else { return nil }
      }
      at = end
      return Place(whole: start..<end, inner: inner, isSure: count == 2 || isTeX(bytes[inner]))
    }

    private func untilDollar(from start: Int) -> Range<Int>? {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "$") {
        if endsParagraph(end) { return nil }
        end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      return end < bytes.count ? start..<end : nil
    }

    private func endsParagraph(_ index: Int) -> Bool {
      bytes[index] == 10 && index + 1 < bytes.count && bytes[index + 1] == 10
    }

    private func isTeX(_ inner: ArraySlice<UInt8>) -> Bool {
      inner.contains(UInt8(ascii: "^"))
        || zip(inner, inner.dropFirst()).contains { $0 == UInt8(ascii: "\\") && Character(UnicodeScalar($1)).isLetter }
    }

    private func isSpace(_ index: Int) -> Bool { [9, 10, 13, 32].contains(bytes[index]) }

    private func isWord(_ index: Int) -> Bool {
      guard bytes.indices.contains(index) else { return false }
      let byte = bytes[index]
      return byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
    }

    /// Between single dollars stand prices and names of programs as well: a formula has TeX's signs, or letters that are no word.
    private func readsAsFormula(_ inner: ArraySlice<UInt8>) -> Bool {
      let signs = [UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "_")]
      if inner.contains(where: signs.contains) { return true }
      let words = String(decoding: inner, as: UTF8.self).split { !$0.isLetter }
      return !words.isEmpty && words.allSatisfy { $0.count < 3 } && inner.count < 80
    }
  }
}
