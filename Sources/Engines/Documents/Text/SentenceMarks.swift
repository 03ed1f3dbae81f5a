import CMarkdown
import Foundation

/// Finds an answer's sentences again in its parsed Markdown and wraps them.
///
/// Markup moves and removes punctuation but keeps letters and digits, so both sides are compared by these alone, in order.
/// The marks are private characters inside the text, which may stand anywhere text may (a table's cell takes no other node);
/// they become HTML after rendering. `MarkdownPage` takes such characters out of what it is given.
struct SentenceMarks {
  private struct Leaf {
    var node: OpaquePointer
    var scalars: [Unicode.Scalar]
  }

  /// One letter or digit of the text: which leaf, which place in it.
  private struct Place {
    var leaf: Int
    var at: Int
  }

  static let marks: ClosedRange<Unicode.Scalar> = "\u{E000}"..."\u{E002}"
  private static let start: Unicode.Scalar = "\u{E000}"
  private static let afterNumber: Unicode.Scalar = "\u{E001}"
  private static let end: Unicode.Scalar = "\u{E002}"

  private var leaves: [Leaf] = []
  private var places: [Place] = []
  private var letters: [Unicode.Scalar] = []
  /// How far ahead a sentence is looked for: past a list's numbers, not through the whole text.
  private static let reach = 2000

  init(_ root: OpaquePointer) {
    for node in MarkdownPage.nodes(of: root) {
      let type = cmark_node_get_type(node)
      guard type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE || type == CMARK_NODE_CODE_BLOCK,
        let literal = cmark_node_get_literal(node)
      else { continue }
      let scalars = Array(String(cString: literal).unicodeScalars)
      for (at, scalar) in scalars.enumerated() where Self.counts(scalar) {
        places.append(Place(leaf: leaves.count, at: at))
        letters.append(scalar)
      }
      leaves.append(Leaf(node: node, scalars: scalars))
    }
  }

  func mark(_ sentences: [String]) {
    var pieces: [[(range: Range<Int>, sentence: Int)]] = Array(repeating: [], count: leaves.count)
    var cursor = 0
    for (index, sentence) in sentences.enumerated() {
      let wanted = sentence.unicodeScalars.filter(Self.counts)
      // The number of a list's item is not part of its text any more.
      guard let found = find(Array(wanted), from: cursor) ?? find(Array(wanted.drop(while: Self.isDigit)), from: cursor)
      else { continue }
      cursor = found.upperBound
      for place in places[found] {
        if let last = pieces[place.leaf].last, last.sentence == index {
          pieces[place.leaf][pieces[place.leaf].count - 1].range = last.range.lowerBound..<place.at + 1
        } else {
          pieces[place.leaf].append((place.at..<place.at + 1, index))
        }
      }
    }
    let signs = sentences.map { Array($0.unicodeScalars.prefix { !Self.counts($0) }) }
    for (leaf, ranges) in zip(leaves, pieces) where !ranges.isEmpty { wrap(leaf, ranges, signs) }
  }

  private func find(_ wanted: [Unicode.Scalar], from cursor: Int) -> Range<Int>? {
    guard !wanted.isEmpty else { return nil }
    var start = cursor
    while start + wanted.count <= letters.count, start - cursor <= Self.reach {
      if letters[start] == wanted[0], letters[start..<start + wanted.count].elementsEqual(wanted) {
        return start..<start + wanted.count
      }
      start += 1
    }
    return nil
  }

  /// `signs` are what each sentence has before its first letter or digit: "§ ", where the text has it too.
  private func wrap(_ leaf: Leaf, _ ranges: [(range: Range<Int>, sentence: Int)], _ signs: [[Unicode.Scalar]]) {
    var marked = String.UnicodeScalarView()
    var done = 0
    for (place, piece) in ranges.enumerated() {
      let own = signs[piece.sentence]
      let hasOwn = leaf.scalars[done..<piece.range.lowerBound].suffix(own.count).elementsEqual(own)
      let from = opening(leaf.scalars, piece.range.lowerBound - (hasOwn ? own.count : 0), notBefore: done)
      let limit = place + 1 < ranges.count ? ranges[place + 1].range.lowerBound : leaf.scalars.count
      let to = closing(leaf.scalars, piece.range.upperBound, notAfter: limit)
      marked += leaf.scalars[done..<from]
      marked.append(Self.start)
      marked += String(piece.sentence).unicodeScalars
      marked.append(Self.afterNumber)
      marked += leaf.scalars[from..<to]
      marked.append(Self.end)
      done = to
    }
    marked += leaf.scalars[done...]
    cmark_node_set_literal(leaf.node, String(marked))
  }

  /// The marks as the HTML they stand for.
  static func spelledOut(_ html: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in html.unicodeScalars {
      switch scalar {
      case start: out += "<span data-s=\"".unicodeScalars
      case afterNumber: out += "\">".unicodeScalars
      case end: out += "</span>".unicodeScalars
      default: out.append(scalar)
      }
    }
    return String(out)
  }

  /// Takes a quote or bracket before the first word along.
  private func opening(_ scalars: [Unicode.Scalar], _ start: Int, notBefore: Int) -> Int {
    var start = start
    while start > notBefore, !scalars[start - 1].properties.isWhitespace, !Self.counts(scalars[start - 1]) {
      start -= 1
    }
    return start
  }

  /// Takes the full stop and closing quotes along.
  private func closing(_ scalars: [Unicode.Scalar], _ end: Int, notAfter: Int) -> Int {
    var end = end
    while end < notAfter, !scalars[end].properties.isWhitespace, !Self.counts(scalars[end]) { end += 1 }
    return end
  }

  private static func counts(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || isDigit(scalar)
  }
  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType != nil }
}
