import CPDFium
import Documents
import Foundation

/// From page space (origin bottom left, unrotated) to what the reader sees (origin top left, rotation applied).
struct PageTransform {
  private let rect: FS_RECTF
  private let rotation: CInt

  init(_ page: OpenPage) {
    var rect = FS_RECTF()
    if FPDF_GetPageBoundingBox(page.handle, &rect) == 0 {
      rect = FS_RECTF(left: 0, top: FPDF_GetPageHeightF(page.handle), right: FPDF_GetPageWidthF(page.handle), bottom: 0)
    }
    self.rect = rect
    rotation = FPDFPage_GetRotation(page.handle)
  }

  func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    switch rotation {
    case 1: (y - Double(rect.bottom), x - Double(rect.left))
    case 2: (Double(rect.right) - x, y - Double(rect.bottom))
    case 3: (Double(rect.top) - y, Double(rect.right) - x)
    default: (x - Double(rect.left), Double(rect.top) - y)
    }
  }

  func box(_ r: FS_RECTF) -> Box {
    let (a, b) = (point(Double(r.left), Double(r.top)), point(Double(r.right), Double(r.bottom)))
    return Box(min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y))
  }

  /// The direction of a text matrix's baseline as the reader sees it, in quarter turns clockwise; 0 reads left to right.
  func quarter(_ matrix: FS_MATRIX) -> Int {
    let angle = atan2(Double(-matrix.b), Double(matrix.a)) + Double(rotation) * .pi / 2
    return ((Int((angle / (.pi / 2)).rounded()) % 4) + 4) % 4
  }
}

/// What PDFium says about the characters of one page, gathered into words and lines; reading order comes later.
struct PDFText {
  private(set) var fragments: [Line] = []
  /// Text that runs up or down the page (stamps in the margin, turned tables): kept, read last.
  private(set) var turned: [Line] = []
  private(set) var characters = 0
  /// Characters for which the font names no letter: too many of them and the page is better read from its picture.
  private(set) var unknown = 0

  /// Letters of one text object: what they look like is asked once.
  private struct Run {
    var object: FPDF_PAGEOBJECT?
    var size: Double
    var bold: Bool
    var mono: Bool
    var count = 0
  }

  private var runs: [Run] = []
  private var word = ""
  private var wordBox: Box?
  private var line: Line?
  private var quarter = 0
  /// Where the character before begins and ends, along its line.
  private var before = (start: -Double.infinity, end: 0.0)

  init(_ page: OpenPage) throws {
    guard let text = FPDFText_LoadPage(page.handle) else { return }
    defer { FPDFText_ClosePage(text) }
    let count = FPDFText_CountChars(text)
    guard count <= Self.maximum else { throw DocumentError.tooDense(characters: Int(count)) }
    let transform = PageTransform(page)
    for index in 0..<max(0, count) {
      guard let scalar = Self.scalar(text, index) else { continue }
      if scalar.properties.isWhitespace || FPDFText_IsGenerated(text, index) == 1 {
        closeWord()
        continue
      }
      var loose = FS_RECTF()
      guard FPDFText_GetLooseCharBox(text, index, &loose) != 0 else { continue }
      var matrix = FS_MATRIX(a: 1, b: 0, c: 0, d: 1, e: 0, f: 0)
      _ = FPDFText_GetMatrix(text, index, &matrix)
      let box = transform.box(loose)
      guard box.x0.isFinite, box.x1.isFinite, box.y0.isFinite, box.y1.isFinite else { continue }
      characters += 1
      if scalar == "\u{FFFD}" || FPDFText_HasUnicodeMapError(text, index) == 1 { unknown += 1 }
      var origin = (x: 0.0, y: 0.0)
      _ = FPDFText_GetCharOrigin(text, index, &origin.x, &origin.y)
      let turn = transform.quarter(matrix)
      let at = transform.point(origin.x, origin.y)
      let size = max(1, FPDFText_GetFontSize(text, index) * Double(hypot(matrix.c, matrix.d)))
      // Along and across the baseline; a turned line is measured in its own direction.
      let (along, alongEnd, across) = Self.position(box, at, turn)
      part(at: along, across, size, turn)
      let isRaised = line.map { Raised.isRaised(scalar, across, size, in: $0) } ?? false
      if isRaised, Raised.standsAlone(after: word) { closeWord() }
      if line == nil {
        quarter = turn
        line = Line(words: [], box: box, baseline: across, size: size)
      }
      let object = FPDFText_GetTextObject(text, index)
      if runs.isEmpty || runs[runs.count - 1].object != object || runs[runs.count - 1].size != size {
        let style = Self.style(text, index)
        runs.append(Run(object: object, size: size, bold: style.bold, mono: style.mono))
      }
      runs[runs.count - 1].count += 1
      word.unicodeScalars.append(isRaised ? Raised.form(scalar) : scalar)
      wordBox = wordBox?.union(box) ?? box
      before = (along, max(alongEnd, along))
    }
    closeLine()
  }

  /// Ends the word or the line that is open where a character at this place no longer belongs to it.
  private mutating func part(at along: Double, _ across: Double, _ size: Double, _ turn: Int) {
    guard let open = line else { return }
    let gap = along - before.end
    let tall = max(open.size, size)
    let shift = abs(across - open.baseline)
    let opens = Raised.opens(open, word, before: across, size)
    let near = shift <= 0.25 * tall || (shift <= 0.6 * tall && size < 0.9 * open.size) || opens
    // The letters of a ligature share one place.
    let ligature = along == before.start && turn == quarter && near
    if !ligature, turn != quarter || !near || gap > 1.1 * tall || gap < -0.6 * tall {
      closeLine()
    } else if gap > 0.5 * size {
      // PDFium marks the spaces it sees by a generated one; this is for those it does not.
      closeWord()
    }
    if opens, line != nil { raise(to: across, size) }
  }

  private static let maximum: CInt = 200_000

  private static func scalar(_ text: FPDF_TEXTPAGE, _ index: CInt) -> Unicode.Scalar? {
    switch FPDFText_GetUnicode(text, index) {
    case 2, 0xAD: "-"  // PDFium's mark for a hyphen at a line's end
    case 0: "\u{FFFD}"
    case let code where code < 0x20 && code != 9 && code != 10 && code != 13: nil
    case let code: Unicode.Scalar(code) ?? "\u{FFFD}"
    }
  }

  private static func position(
    _ box: Box, _ origin: (x: Double, y: Double), _ turn: Int
  ) -> (along: Double, end: Double, across: Double) {
    switch turn {
    case 1: (box.y0, box.y1, origin.x)
    case 2: (-box.x1, -box.x0, origin.y)
    case 3: (-box.y1, -box.y0, origin.x)
    default: (box.x0, box.x1, origin.y)
    }
  }

  private static func style(_ text: FPDF_TEXTPAGE, _ index: CInt) -> (bold: Bool, mono: Bool) {
    var flags: CInt = 0
    var name = [CChar](repeating: 0, count: 128)
    let length = FPDFText_GetFontInfo(text, index, &name, UInt(name.count), &flags)
    let font =
      length > 1 && length <= 128
      ? String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).lowercased() : ""
    let bold =
      flags & 1 << 18 != 0 || ["bold", "black", "heavy", "-bd"].contains { font.contains($0) }
      || FPDFText_GetFontWeight(text, index) >= 650
    let mono = flags & 1 != 0 || ["courier", "mono", "consolas", "typewriter", "cmtt"].contains { font.contains($0) }
    return (bold, mono)
  }

  /// The mark of a footnote, raised before its text, which gives the line its size.
  private mutating func raise(to baseline: Double, _ size: Double) {
    closeWord()
    guard var marked = line, let mark = marked.words.first else { return }
    marked.words = [
      PlacedWord(text: String(String.UnicodeScalarView(mark.text.unicodeScalars.map(Raised.form))), box: mark.box)
    ]
    (marked.baseline, marked.size) = (baseline, size)
    line = marked
  }

  private mutating func closeWord() {
    guard !word.isEmpty, let box = wordBox else { return }
    let plain = Typesetting.plain(word)
    if !plain.isEmpty { line?.words.append(PlacedWord(text: plain, box: box)) }
    word = ""
    wordBox = nil
  }

  private mutating func closeLine() {
    closeWord()
    defer { runs = [] }
    guard var done = line else { return }
    line = nil
    done.words = Leaders.shortened(done.words)
    // The line looks like most of its letters: a bullet or one word in another face does not count.
    let count = runs.reduce(0) { $0 + $1.count }
    done.bold = runs.reduce(0) { $0 + ($1.bold ? $1.count : 0) } * 10 >= count * 9
    done.mono = runs.reduce(0) { $0 + ($1.mono ? $1.count : 0) } * 10 >= count * 9
    let sizes = Dictionary(grouping: runs, by: \.size).mapValues { $0.reduce(0) { $0 + $1.count } }
    done.size = sizes.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? done.size
    guard let first = done.words.first else { return }
    done.box = done.words.reduce(first.box) { $0.union($1.box) }
    if quarter == 0 { fragments.append(done) } else { turned.append(done) }
  }
}

/// Small digits above the line: the marks of footnotes, and exponents. Written as digits of their size, so that no number or word
/// grows by them.
enum Raised {
  private static let forms = Array("⁰¹²³⁴⁵⁶⁷⁸⁹".unicodeScalars)

  static func form(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    (48...57).contains(scalar.value) ? forms[Int(scalar.value) - 48] : scalar
  }

  static func isRaised(_ scalar: Unicode.Scalar, _ baseline: Double, _ size: Double, in line: Line) -> Bool {
    (48...57).contains(scalar.value) && size < 0.85 * line.size && line.baseline - baseline > 0.15 * line.size
  }

  /// Whether the line so far is nothing but such digits before larger text.
  static func opens(_ line: Line, _ word: String, before baseline: Double, _ size: Double) -> Bool {
    // Asked of every character: most lines are told by their size and length.
    guard line.size < 0.85 * size, line.words.count <= 3, word.utf8.count <= 3 else { return false }
    let text = line.words.map(\.text).joined() + word
    return !text.isEmpty && text.count <= 3 && text.allSatisfy { $0.isASCII && $0.isNumber }
      && baseline - line.baseline > 0 && baseline - line.baseline < 0.7 * size
  }

  /// Units and small bases keep their exponent ("m²", "10³"); anything else is a word with a mark behind it.
  static func standsAlone(after word: String) -> Bool {
    guard let last = word.unicodeScalars.last, !forms.contains(last) else { return false }
    let letters = word.reversed().prefix(while: \.isLetter).count
    let digits = word.reversed().prefix { $0.isNumber }.count
    return !((1...2).contains(letters) && word.count == letters || (1...2).contains(digits) && word.count == digits)
  }
}
