import Documents
import Foundation

/// Running headers, footers and page numbers, told by their place and by coming back on the pages around.
enum Furniture {
  /// What a page has in its margins: text with its digits made alike, so that "Page 3" and "Page 4" match.
  static func keys(_ lines: [Line], height: Double) -> Set<String> {
    Set(lines.filter { inMargin($0, height) }.map { key($0.text) })
  }

  /// Parts a page's fragments, given the margin keys of the pages two before to two after that exist.
  static func parted(_ lines: [Line], height: Double, around: [Set<String>]) -> (content: [Line], furniture: [Line]) {
    var parts: (content: [Line], furniture: [Line]) = ([], [])
    for line in lines {
      let text = inMargin(line, height) ? line.text : ""
      // Whole sentences may begin alike at the top of two pages.
      let sentence = line.words.count >= 7 && text.hasSuffix(".")
      let repeats = text.isEmpty || text.count > 150 || sentence ? 0 : around.count { $0.contains(key(text)) }
      if !text.isEmpty,
        isPageNumber(text) || (repeats > 0 && repeats >= min(atEdge(line, height) ? 1 : 2, around.count))
      {
        parts.furniture.append(line)
      } else {
        parts.content.append(line)
      }
    }
    return parts
  }

  static func block(_ line: Line) -> Block { Assembly(paragraph: [line.words]).block(.furniture) }

  private static func inMargin(_ line: Line, _ height: Double) -> Bool {
    height > 0 && (line.box.y1 < 0.11 * height || line.box.y0 > 0.89 * height)
  }

  // At the very edge the text of one other page is proof enough: running titles change with the chapter.
  private static func atEdge(_ line: Line, _ height: Double) -> Bool {
    line.box.y1 < 0.08 * height || line.box.y0 > 0.92 * height
  }

  private static func key(_ text: String) -> String {
    String(text.lowercased().compactMap { $0.isNumber ? "#" : $0.isWhitespace ? nil : $0 })
      .replacingOccurrences(of: "#+", with: "#", options: .regularExpression)
  }

  static func isPageNumber(_ text: String) -> Bool {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    guard !words.isEmpty, words.count <= 4 else { return false }
    var numbers = 0
    for word in words {
      if word.allSatisfy(\.isNumber), word.count <= 5 { numbers += 1; continue }
      if words.count == 1, word.count <= 6, word.allSatisfy({ "ivxlc".contains($0) }) { return true }
      guard ["page", "seite", "p", "s", "of", "von", "sur", "de", "pagina", "página"].contains(word) else {
        return false
      }
    }
    return numbers >= 1 && numbers <= 2
  }
}
