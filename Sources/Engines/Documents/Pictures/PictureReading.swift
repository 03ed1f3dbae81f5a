import CTesseract
import Documents
import Foundation

/// What was recognised in a picture: paragraphs of lines of words, with places in points of the picture as it came.
struct PictureReading {
  private var paragraphs: [[Line]] = []
  private(set) var characters = 0
  /// Mean over the words, 0...1.
  private(set) var confidence = 0.0

  var text: String { paragraphs.joined().map(\.text).joined(separator: "\n") }
  /// Grows with both how much was read and how surely.
  var score: Double { Double(characters) * confidence * confidence }

  init(_ engine: OpaquePointer, _ scan: Scan, _ pointsPerPixel: Double) {
    guard let results = TessBaseAPIGetIterator(engine) else { return }
    defer { TessResultIteratorDelete(results) }
    let place = TessResultIteratorGetPageIterator(results)
    var sum = 0.0
    var count = 0
    repeat {
      guard let raw = TessResultIteratorGetUTF8Text(results, RIL_WORD) else { continue }
      defer { TessDeleteText(raw) }
      let text = Typesetting.plain(String(cString: raw).trimmingCharacters(in: .whitespacesAndNewlines))
      let sure = Double(TessResultIteratorConfidence(results, RIL_WORD)) / 100
      var (x0, y0, x1, y1) = (CInt(0), CInt(0), CInt(0), CInt(0))
      guard TessPageIteratorBoundingBox(place, RIL_WORD, &x0, &y0, &x1, &y1) != 0, !text.isEmpty, sure > 0.1 else {
        continue
      }
      let box = scan.original(Box(Double(x0), Double(y0), Double(x1), Double(y1))).scaled(pointsPerPixel)
      let startsParagraph = TessPageIteratorIsAtBeginningOf(place, RIL_PARA) != 0
      let startsLine = TessPageIteratorIsAtBeginningOf(place, RIL_TEXTLINE) != 0
      if startsParagraph || paragraphs.isEmpty { paragraphs.append([]) }
      let word = PlacedWord(text: text, box: box)
      let last = paragraphs.count - 1
      if startsLine || paragraphs[last].isEmpty {
        paragraphs[last].append(Line(words: [word], box: box, baseline: box.y1, size: box.height))
      } else {
        paragraphs[last][paragraphs[last].count - 1].words.append(word)
        let line = paragraphs[last][paragraphs[last].count - 1]
        paragraphs[last][paragraphs[last].count - 1].box = line.box.union(box)
      }
      characters += text.count
      sum += sure
      count += 1
    } while TessResultIteratorNext(results, RIL_WORD) != 0
    confidence = count > 0 ? sum / Double(count) : 0
  }

  /// What a system has recognised, line by line: it tells of no paragraphs.
  init(_ lines: [RecognisedLine], _ scan: Scan, _ pointsPerPixel: Double) {
    let (width, height) = (Double(scan.width), Double(scan.height))
    func edge(_ share: Double, _ length: Double) -> Double { share.isFinite ? max(0, min(1, share)) * length : 0 }
    var sum = 0.0
    var count = 0
    for line in lines where line.confidence > 0.1 {
      let words = line.words.compactMap { word -> PlacedWord? in
        let text = Typesetting.plain(word.text.trimmingCharacters(in: .whitespacesAndNewlines))
        let box = Box(
          edge(word.left, width), edge(word.top, height), edge(word.right, width), edge(word.bottom, height))
        guard !text.isEmpty, box.width > 0, box.height > 0 else { return nil }
        return PlacedWord(text: text, box: scan.original(box).scaled(pointsPerPixel))
      }
      guard let first = words.first else { continue }
      let box = words.dropFirst().reduce(first.box) { $0.union($1.box) }
      let found = Line(words: words, box: box, baseline: box.y1, size: box.height)
      if let last = paragraphs.last?.last, Self.isClose(found, below: last) {
        paragraphs[paragraphs.count - 1].append(found)
      } else {
        paragraphs.append([found])
      }
      characters += words.reduce(0) { $0 + $1.text.count }
      sum += line.confidence * Double(words.count)
      count += words.count
    }
    confidence = count > 0 ? sum / Double(count) : 0
  }

  /// Of about its size, right below it, and beginning about where it begins.
  private static func isClose(_ line: Line, below last: Line) -> Bool {
    let (small, large) = (min(line.box.height, last.box.height), max(line.box.height, last.box.height))
    let gap = line.box.y0 - last.box.y1
    return large < 1.4 * small && gap > -small && gap < 0.9 * small && abs(line.box.x0 - last.box.x0) < 3 * small
  }

  /// The page as blocks; a short paragraph in clearly larger letters is a heading.
  func page(_ number: Int, width: Double, height: Double) -> Page {
    let heights = paragraphs.joined().map(\.box.height).sorted()
    let usual = heights.isEmpty ? 0 : heights[heights.count / 2]
    var page = Page(number: number, width: width, height: height)
    page.recognised = confidence
    for lines in Self.mended(paragraphs).flatMap(Self.parted) {
      // Words of one line share its height, so that a mark is one bar and the geometry stays small.
      let words = lines.map { line in
        line.words.map { PlacedWord(text: $0.text, box: Box($0.box.x0, line.box.y0, $0.box.x1, line.box.y1)) }
      }
      let assembly = Assembly(paragraph: words)
      guard !assembly.text.isEmpty else { continue }
      let tall = lines.map(\.box.height).min() ?? 0
      if tall > 1.45 * usual, assembly.text.count < 120, lines.count <= 2, heights.count > 3 {
        page.blocks.append(assembly.block(.heading(level: tall > 2 * usual ? 1 : 2)))
      } else if let level = Marker.listItem(words[0]) {
        page.blocks.append(assembly.block(.listItem(level: level)))
      } else {
        page.blocks.append(assembly.block(.paragraph))
      }
    }
    return page
  }

  /// Tesseract ends a paragraph at many a long line: what goes on in the next line, in the middle of a sentence, is one.
  private static func mended(_ paragraphs: [[Line]]) -> [[Line]] {
    paragraphs.filter { !$0.isEmpty }.reduce(into: []) { mended, lines in
      if let last = mended.last?.last, let first = lines.first, goesOn(first, after: last) {
        mended[mended.count - 1] += lines
      } else {
        mended.append(lines)
      }
    }
  }

  /// Lines that only stand below one another, as the entries of a form or a bill do: the first word of the next would have had
  /// room, or a line is set in columns.
  private static func parted(_ lines: [Line]) -> [[Line]] {
    guard let edge = lines.map(\.box.x1).max() else { return [] }
    return lines.reduce(into: []) { parts, line in
      guard let last = parts.last?.last, let first = line.words.first,
        !beginsWithin(line, after: last),
        !last.words.isEmpty,
        last.box.x1 + 1.5 * first.box.width + last.box.height < edge || isSpread(last) || isSpread(line)
      else {
        if parts.isEmpty { parts.append([]) }
        parts[parts.count - 1].append(line)
        return
      }
      parts.append([line])
    }
  }

  /// In the middle of a sentence, as far as its first letter tells: small, or a number after a small word ("due at / 99,000 km").
  private static func beginsWithin(_ line: Line, after last: Line) -> Bool {
    guard let first = line.words.first?.text.unicodeScalars.first else { return false }
    if first.properties.isLowercase { return true }
    return first.properties.numericType != nil && last.words.last?.text.allSatisfy(\.isLowercase) ?? false
  }

  private static func isSpread(_ line: Line) -> Bool {
    zip(line.words, line.words.dropFirst()).contains { $1.box.x0 - $0.box.x1 > 2 * line.box.height }
  }

  private static func goesOn(_ line: Line, after last: Line) -> Bool {
    let height = min(line.box.height, last.box.height)
    guard beginsWithin(line, after: last), !BlockBuilder.terminal(last.words.last?.text),
      Marker.listItem(line.words) == nil
    else { return false }
    let gap = line.box.y0 - last.box.y1
    return gap > -height && gap < 1.2 * height && abs(line.box.x0 - last.box.x0) < 3 * height
  }

  /// The same reading with the places it has before the picture was turned by `quarters` clockwise.
  func turnedBack(_ quarters: Int, _ scan: Scan, _ pointsPerPixel: Double) -> PictureReading {
    guard quarters > 0 else { return self }
    var reading = self
    let (w, h) = (Double(scan.width) * pointsPerPixel, Double(scan.height) * pointsPerPixel)
    func back(_ box: Box) -> Box {
      switch quarters {
      case 1: Box(box.y0, w - box.x1, box.y1, w - box.x0)
      case 2: Box(w - box.x1, h - box.y1, w - box.x0, h - box.y0)
      case 3: Box(h - box.y1, box.x0, h - box.y0, box.x1)
      default: box
      }
    }
    reading.paragraphs = paragraphs.map { lines in
      lines.map { line in
        var line = line
        line.words = line.words.map { PlacedWord(text: $0.text, box: back($0.box)) }
        line.box = back(line.box)
        return line
      }
    }
    return reading
  }
}

extension Box {
  func scaled(_ factor: Double) -> Box { Box(x0 * factor, y0 * factor, x1 * factor, y1 * factor) }
}
