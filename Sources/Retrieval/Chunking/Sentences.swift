import Core

/// Splits text into sentences, for Latin-script languages; the rules know English, German and French.
package enum Sentences {
  /// UTF-8 ranges of the sentences, without the white space between them.
  package static func ranges(in text: String) -> [Range<Int>] {
    var scanner = Scanner(text)
    return scanner.sentences()
  }

  package static func split(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    return ranges(in: text).map { String(decoding: bytes[$0], as: UTF8.self) }
  }

  private struct Scanner {
    let scalars: [Unicode.Scalar]
    /// The byte offset of each scalar, and of the end.
    let offsets: [Int]

    init(_ text: String) {
      scalars = Array(text.unicodeScalars)
      var offsets: [Int] = []
      offsets.reserveCapacity(scalars.count + 1)
      var offset = 0
      for scalar in scalars {
        offsets.append(offset)
        offset += UTF8.width(scalar)
      }
      offsets.append(offset)
      self.offsets = offsets
    }

    mutating func sentences() -> [Range<Int>] {
      var found: [Range<Int>] = []
      var start = 0
      var index = 0
      func close(at end: Int) {
        var (from, to) = (start, end)
        func trim() {
          while from < to, scalars[from].properties.isWhitespace { from += 1 }
          while to > from, scalars[to - 1].properties.isWhitespace { to -= 1 }
        }
        trim()
        (from, to) = withoutNotes(from..<to)
        trim()
        if from < to { found.append(offsets[from]..<offsets[to]) }
        start = end
      }
      while index < scalars.count {
        let scalar = scalars[index]
        if scalar == "\n", let next = emptyLine(after: index) {
          close(at: next)
          index = next
        } else if Self.isTerminator(scalar) {
          // Of marks in a row either the first ends a sentence or none: each is looked at once.
          var marked = index + 1
          while marked < scalars.count, Self.isTerminator(scalars[marked]) { marked += 1 }
          let end = boundary(of: index..<marked)
          if let end { close(at: end) }
          index = end ?? marked
        } else {
          index += 1
        }
      }
      close(at: scalars.count)
      return found
    }

    /// The raised numbers of notes, as a note begins with one and what it is about ends with one: no words of the sentence's. Those in
    /// "5 m²" are.
    private func withoutNotes(_ range: Range<Int>) -> (from: Int, to: Int) {
      var (from, to) = (range.lowerBound, range.upperBound)
      while from < to, Self.isRaised(scalars[from]) { from += 1 }
      if from < to, !scalars[from].properties.isWhitespace { from = range.lowerBound }
      while to > from, Self.isRaised(scalars[to - 1]) { to -= 1 }
      guard to > from else { return (from, from) }
      let last = scalars[to - 1]
      let isNote = Self.isTerminator(last) || Self.closers.contains(last) || last.properties.isWhitespace
      return (from, isNote ? to : range.upperBound)
    }

    private static let raised = Set("¹²³⁰⁴⁵⁶⁷⁸⁹".unicodeScalars)
    private static func isRaised(_ scalar: Unicode.Scalar) -> Bool { raised.contains(scalar) }

    /// Two line ends with only white space between always end a sentence.
    private func emptyLine(after index: Int) -> Int? {
      var next = index + 1
      while next < scalars.count, scalars[next] != "\n", scalars[next].properties.isWhitespace { next += 1 }
      return next < scalars.count && scalars[next] == "\n" ? next + 1 : nil
    }

    private static func isTerminator(_ scalar: Unicode.Scalar) -> Bool {
      scalar == "." || scalar == "!" || scalar == "?" || scalar == "…" || scalar == "。"
    }

    private static let closers: Set<Unicode.Scalar> = [
      "\"", "'", ")", "]", "}", "»", "”", "’", "“", "›", "\u{a0}", "\u{202f}",
    ]

    /// The end of the sentence if these marks end one.
    private func boundary(of range: Range<Int>) -> Int? {
      var end = range.upperBound
      let marks = scalars[range]
      // A no-break space belongs to French marks and quotes, not to the gap between sentences.
      while end < scalars.count, Self.closers.contains(scalars[end]) { end += 1 }
      // French quotes close after a space.
      if end + 1 < scalars.count, scalars[end] == " ", scalars[end + 1] == "»" { end += 2 }
      // The number of a note belongs to what it stands behind, with a space or without.
      var note = end
      if note < scalars.count, scalars[note] == " " { note += 1 }
      while note < scalars.count, Self.isRaised(scalars[note]) { note += 1 }
      if note > end, Self.isRaised(scalars[note - 1]) { end = note }
      guard end < scalars.count else { return end }
      guard scalars[end].properties.isWhitespace || marks.contains("。") else { return nil }
      var next = end
      while next < scalars.count, scalars[next].properties.isWhitespace { next += 1 }
      guard next < scalars.count else { return end }
      let following = scalars[next]
      let startsSmall = following.properties.isLowercase
      if marks.contains("!") || marks.contains("?") || marks.contains("。") { return startsSmall ? nil : end }
      if marks.count > 1 || marks.first == "…" { return startsSmall || following == "," ? nil : end }
      if startsSmall || following == "," || following == ";" || following == ")" { return nil }
      return endsSentence(stop: range.lowerBound, next: next) ? end : nil
    }

    private func endsSentence(stop: Int, next: Int) -> Bool {
      let before = word(endingAt: stop)
      guard !before.isEmpty else { return true }
      let lower = before.lowercased()
      if before.allSatisfy(\.isNumber) { return !isOrdinal(before, stop: stop, next: next) }
      if WordList.abbreviationsAtEnds.contains(lower) {
        return scalars[next].properties.isUppercase
          && (lower.count > 2 || WordList.sentenceStarters.contains(word(startingAt: next).lowercased()))
      }
      if WordList.abbreviations.contains(lower) {
        return lower == "no" && WordList.sentenceStarters.contains(word(startingAt: next).lowercased())
      }
      // An initial ("J. Smith") or a spaced abbreviation ("z. B."); also the last of them, unless a usual beginning follows.
      if before.count == 1, before.first!.isLetter {
        return WordList.sentenceStarters.contains(word(startingAt: next).lowercased()) && before.first!.isUppercase
      }
      if before.contains("."), before.split(separator: ".").allSatisfy({ $0.count == 1 }) {
        return WordList.sentenceStarters.contains(word(startingAt: next).lowercased())
      }
      return true
    }

    /// "3. Mai", "am 3. Tag", "3. OG", and the number of a list item at the beginning of a line.
    private func isOrdinal(_ number: String, stop: Int, next: Int) -> Bool {
      let first = stop - number.unicodeScalars.count
      let beginsLine = first == 0 || scalars[first - 1] == "\n"
      if beginsLine { return number.count <= 3 }
      guard number.count <= 2 else { return false }
      let following = word(startingAt: next)
      if WordList.monthNames.contains(following.lowercased()) { return true }
      if (2...3).contains(following.count), following.allSatisfy(\.isUppercase),
        !WordList.sentenceStarters.contains(following.lowercased())
      {
        return true
      }
      var end = first
      while end > 0, scalars[end - 1] == " " { end -= 1 }
      return WordList.beforeOrdinals.contains(word(endingAt: end).lowercased())
    }

    private func word(endingAt end: Int) -> String {
      var start = end
      while start > 0, Self.isWord(scalars[start - 1]) { start -= 1 }
      return string(start..<end).trimmingPrefix(while: { $0 == "." }).description
    }

    private func word(startingAt start: Int) -> String {
      var end = start
      while end < scalars.count, Self.isWord(scalars[end]), scalars[end] != "." { end += 1 }
      return string(start..<end)
    }

    private func string(_ range: Range<Int>) -> String {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars[range])
      return String(view)
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "."
    }
  }
}
