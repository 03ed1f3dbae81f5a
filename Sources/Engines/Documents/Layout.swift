import Documents
import Foundation

/// Leptonica has a type of this name too.
typealias Box = Documents.Box

/// A word with its place on the page.
struct PlacedWord {
  var text: String
  var box: Box
}

/// Words on one baseline that belong together, before or after columns are known.
struct Line {
  var words: [PlacedWord]
  var box: Box
  var baseline: Double
  /// The em, in points.
  var size: Double
  var bold = false
  var mono = false
  /// Where the line falls apart into cells: the index of each cell's first word, without the first 0.
  var cells: [Int] = []
  /// Counts the columns of a page; lines of different regions are never one paragraph by position.
  var region = 0

  var text: String { words.map(\.text).joined(separator: " ") }
  var characters: Int { words.reduce(0) { $0 + $1.text.count } }
}

/// Lines made into one running text, with each word's place kept.
struct Assembly {
  private(set) var text = ""
  private(set) var words: [Geometry.Word] = []

  /// Joins the lines of a paragraph; a word divided at a line's end becomes one again, both halves keep their boxes. `apart`: which
  /// lines begin anew.
  init(paragraph lines: [[PlacedWord]], apart: Set<Int> = []) { join(lines, apart) }

  private mutating func join(_ lines: [[PlacedWord]], _ apart: Set<Int> = []) {
    var isFirst = true
    for (place, line) in lines.enumerated() {
      guard let first = line.first else { continue }
      defer { isFirst = false }
      if !isFirst {
        switch Self.joint(text, first.text) {
        case .space: text += apart.contains(place) ? "\n" : " "
        case .keepHyphen: break
        case .dropHyphen:
          text.removeLast()
          if let last = words.indices.last {
            let range = words[last].range
            words[last].range = range.lowerBound..<max(range.lowerBound, text.utf8.count)
          }
        }
      }
      append(line)
    }
  }

  /// Keeps the lines apart, for code and addresses; `indents` are spaces before each.
  init(lines: [[PlacedWord]], indents: [Int]) {
    for (line, indent) in zip(lines, indents) {
      if !text.isEmpty { text += "\n" }
      text += String(repeating: " ", count: indent)
      append(line)
    }
  }

  /// One row: the cells, each of one or more lines, set apart by a bar.
  init(cells: [[[PlacedWord]]]) {
    for cell in cells {
      if !text.isEmpty { text += " | " }
      join(cell)
    }
  }

  private mutating func append(_ line: some Sequence<PlacedWord>) {
    var first = true
    for word in line {
      if !first { text += " " }
      first = false
      let start = text.utf8.count
      text += word.text
      words.append(Geometry.Word(range: start..<text.utf8.count, box: word.box))
    }
  }

  func block(_ kind: Block.Kind) -> Block { Block(kind, text, geometry: Geometry.encode(words)) }

  enum Joint { case space, keepHyphen, dropHyphen }

  // A hyphen before a small letter divides a word, except before the "and" of "Nord- und Südteil".
  static func joint(_ text: String, _ next: String) -> Joint {
    guard let last = text.unicodeScalars.last, last == "-" || last == "\u{AD}" || last == "\u{2010}" else {
      return .space
    }
    let before = text.unicodeScalars.dropLast().last
    guard let before, before.properties.isAlphabetic, let start = next.unicodeScalars.first else {
      return last == "\u{AD}" ? .dropHyphen : .space
    }
    if conjunctions.contains(next) { return last == "\u{AD}" ? .dropHyphen : .space }
    if start.properties.isLowercase { return .dropHyphen }
    return start.properties.isAlphabetic || start.properties.numericType != nil ? .keepHyphen : .space
  }

  private static let conjunctions: Set<String> = [
    "und", "oder", "bzw.", "sowie", "and", "or", "to", "et", "ou", "y", "o", "e", "en", "of",
  ]
}

/// Rows of dots that lead the eye to a page number.
enum Leaders {
  private static let mark = "....."

  static func isIn(_ line: Line) -> Bool { line.words.contains { $0.text == mark } }

  /// However many dots there are, they say one thing.
  static func shortened(_ words: [PlacedWord]) -> [PlacedWord] {
    guard words.contains(where: isDots) else { return words }
    var short: [PlacedWord] = []
    var dots: (count: Int, words: [PlacedWord]) = (0, [])
    func close() {
      if dots.count > mark.count, let first = dots.words.first {
        short.append(PlacedWord(text: mark, box: dots.words.reduce(first.box) { $0.union($1.box) }))
      } else {
        short += dots.words
      }
      dots = (0, [])
    }
    for word in words {
      if isDots(word) {
        dots.count += word.text.count
        dots.words.append(word)
      } else {
        close()
        short.append(word)
      }
    }
    close()
    return short
  }

  private static func isDots(_ word: PlacedWord) -> Bool { word.text.allSatisfy { $0 == "." } }
}

/// Spellings that are only an accident of typesetting.
enum Typesetting {
  /// Ligatures become letters and accents join their letters, so that a search for the plain word finds it.
  static func plain(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var scalars = String.UnicodeScalarView()
    var combining = false
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0xFB00...0xFB06: scalars.append(contentsOf: ligatures[Int(scalar.value - 0xFB00)].unicodeScalars)
      case 0xAD, 0x200B...0x200F, 0x2060, 0xFEFF, 0xFFFE, 0xFFFF, 0xE0000...0xE007F: continue
      case 0xA0, 0x202F: scalars.append(" ")
      case 0x300...0x36F:
        combining = true
        scalars.append(scalar)
      default: scalars.append(scalar)
      }
    }
    let plain = String(scalars)
    return combining ? plain.precomposedStringWithCanonicalMapping : plain
  }

  /// Without the tag letters of Unicode, an alphabet that nobody sees and every program reads. The flag of a region is spelled
  /// with a few of them, after a black flag: those stay.
  static func withoutTags(_ text: String) -> String {
    guard text.utf8.contains(0xF3) else { return text }
    var kept = String.UnicodeScalarView()
    var flag = 0
    for scalar in text.unicodeScalars {
      if case 0xE0000...0xE007F = scalar.value {
        flag -= 1
        guard flag >= 0 else { continue }
      } else {
        flag = scalar == "\u{1F3F4}" ? 6 : 0
      }
      kept.append(scalar)
    }
    return String(kept)
  }

  private static let ligatures = ["ff", "fi", "fl", "ffi", "ffl", "st", "st"]
}
