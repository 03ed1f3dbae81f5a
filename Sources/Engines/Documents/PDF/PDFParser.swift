import Core
import Documents
import Foundation

/// A PDF page after page: its own text where it has some, otherwise what is read from its picture.
final class PDFParser {
  private let file: PDFFile
  private let output: ParseOutput
  private let reader: PictureReader
  /// Margin keys and lines of the few pages around the one at hand.
  private var extracted: [Int: Result<RawPage, any Error>] = [:]
  private var profile = TypeProfile([])

  private struct RawPage {
    var width = 0.0
    var height = 0.0
    var fragments: [Line] = []
    var turned: [Line] = []
    var characters = 0
    var needsPicture = false
    var fields: [FormField] = []
    var hasAllFields = true
    var keys: Set<String> = []
  }

  init(_ file: PDFFile, output: ParseOutput, reader: PictureReader) {
    self.file = file
    self.output = output
    self.reader = reader
  }

  static func info(_ file: PDFFile) -> DocumentInfo {
    var info = DocumentInfo(kind: .pdf)
    info.pages = file.pageCount
    info.title = file.metadata("Title").flatMap(Title.cleaned).flatMap { Title.isFileName($0) ? nil : $0 }
    info.author = file.metadata("Author")
    return info
  }

  func parse() throws {
    let count = file.pageCount
    guard count > 0 else { throw DocumentError.damaged("it has no pages") }
    guard count <= output.limits.pages else { throw DocumentError.tooManyPages(count, limit: output.limits.pages) }
    var info = Self.info(file)
    let sample = try samplePages(count)
    profile = TypeProfile(sample.map(\.fragments))
    info.language = LanguageGuess.guess(sample.flatMap { $0.fragments.map(\.text) }.joined(separator: " "))
    info.title = info.title ?? sample.first.flatMap(largestHeading)
    try output.begin(info)
    for number in stride(from: max(1, output.request.first), through: min(count, output.request.last ?? count), by: 1)
    where !output.request.leaving.contains(number) {
      try output.checkCancelled()
      do {
        let (page, isOrdered) = try page(number, of: count)
        try output.add(page)
        if !isOrdered { try output.problem(number, DocumentError.columnsUntold) }
        if try !raw(number).get().hasAllFields { try output.problem(number, DocumentError.fieldsLeftOut) }
      } catch let error as DocumentError {
        if case .tooMuchText = error { throw error }
        try output.problem(number, error)
      }
      extracted[number - 3] = nil
      try output.progress(number, of: count)
    }
  }

  /// The first pages and some spread over the rest: enough to know the document's type sizes and language.
  private func samplePages(_ count: Int) throws -> [RawPage] {
    let spread = count > 4 ? stride(from: 4, to: count, by: max(1, count / 8)).map { $0 + 1 } : []
    var pages: [RawPage] = []
    for number in Array(1...min(4, count)) + spread {
      try output.checkCancelled()
      if case .success(let page) = raw(number) { pages.append(page) }
      if number > output.request.first + 2 { extracted[number] = nil }
    }
    return pages
  }

  private func largestHeading(_ page: RawPage) -> String? {
    guard let largest = page.fragments.map(\.size).max(), largest >= 1.2 * profile.body else { return nil }
    let lines = ReadingOrder.lines(page.fragments).prefix(30).filter { $0.size >= 0.95 * largest }.prefix(3)
    return Title.cleaned(lines.map(\.text).joined(separator: " "))
  }

  private func raw(_ number: Int) -> Result<RawPage, any Error> {
    if let known = extracted[number] { return known }
    let result = Result { () throws -> RawPage in
      guard !output.request.leaving.contains(number) else { throw DocumentError.workerEnded("left out") }
      try output.reading(number)
      return try file.withPage(number - 1) { open in
        var page = RawPage(width: open.width, height: open.height)
        let text = try PDFText(open)
        page.characters = text.characters
        (page.fragments, page.turned) = (text.fragments, text.turned)
        let pictures =
          text.characters < 200 || text.unknown * 4 > text.characters ? open.pictures : (share: 0, objects: 0)
        page.needsPicture =
          text.unknown * 3 > text.characters || (text.characters < 10 && pictures.objects > 0)
          || (text.characters < 200 && pictures.share > 0.5)
        if let form = file.form { (page.fields, page.hasAllFields) = form.fields(open) }
        page.keys = Furniture.keys(page.fragments, height: page.height)
        return page
      }
    }
    extracted[number] = result
    return result
  }

  /// `isOrdered`: its columns were told apart.
  private func page(_ number: Int, of count: Int) throws -> (Page, isOrdered: Bool) {
    let raw = try raw(number).get()
    try output.reading(number)
    if raw.needsPicture, output.request.recognise, var page = try recognised(number, raw) {
      page.blocks += filled(raw)
      return (page, true)
    }
    let around = [number - 2, number - 1, number + 1, number + 2].filter { $0 >= 1 && $0 <= count }
    let margins = around.compactMap { number -> Set<String>? in
      if case .success(let page) = self.raw(number) { page.keys } else { nil }
    }
    try output.reading(number)
    // Furniture goes first, so that a footer across the page hides no column.
    let (content, furniture) = Furniture.parted(raw.fragments, height: raw.height, around: margins)
    let above = furniture.filter { $0.box.y1 < raw.height / 2 }
    let below = furniture.filter { $0.box.y1 >= raw.height / 2 }
    let turned = raw.turned.enumerated().map { index, line in
      var line = line
      line.region = 1_000 + index
      return line
    }
    var page = Page(number: number, width: raw.width, height: raw.height)
    let read = ReadingOrder.read(content)
    page.blocks =
      ReadingOrder.lines(above).map(Furniture.block) + BlockBuilder.blocks(read.lines + turned, profile)
      + ReadingOrder.lines(below).map(Furniture.block)
    page.blocks += filled(raw)
    return (page, read.isWhole)
  }

  /// So many pairs of a field and a piece of the page are looked at for what is printed beside it; where there are more, fields are called
  /// by their own names.
  private static let mostPairs = 5_000_000

  /// What somebody has written into the page's form; the same thing once.
  private func filled(_ raw: RawPage) -> [Block] {
    var seen: Set<String> = []
    let lines = raw.fields.count * raw.fragments.count <= Self.mostPairs ? raw.fragments : []
    return raw.fields.map { $0.block(among: lines) }.filter { seen.insert($0.text).inserted }
  }

  /// The page read from its picture; nil where that yields less than the page's own text.
  private func recognised(_ number: Int, _ raw: RawPage) throws -> Page? {
    guard raw.width > 1, raw.height > 1 else { return nil }
    let scale = PictureReader.scale(width: raw.width, height: raw.height, limit: output.limits.pixels)
    let (width, height) = (max(1, Int(raw.width * scale)), max(1, Int(raw.height * scale)))
    let pixels = try file.withPage(number - 1) { try $0.draw(width: width, height: height, gray: true) }
    let scan = try Scan(gray: pixels, width: width, height: height)
    let reading = try reader.read(scan, pointsPerPixel: raw.width / Double(width), output: output)
    guard reading.characters > raw.characters else { return nil }
    return reading.page(number, width: raw.width, height: raw.height)
  }
}

enum Title {
  /// What a title field really says; nil for the leftovers that programs put there.
  static func cleaned(_ text: String) -> String? {
    var title = text.onOneLine
    if title.hasPrefix("Microsoft Word - ") { title.removeFirst(17) }
    let lower = title.lowercased()
    guard title.count >= 2, title.contains(where: \.isLetter),
      !["untitled", "unbenannt", "(anonymous)"].contains(lower),
      !lower.hasPrefix("untitled")
    else { return nil }
    return title.letters(300)
  }

  /// "letter_final2.docx": what the document was printed from, which says less than the name it has now.
  static func isFileName(_ title: String) -> Bool {
    guard let dot = title.lastIndex(of: "."), dot > title.startIndex else { return false }
    return printed.contains(title[title.index(after: dot)...].lowercased())
  }

  // Not whatever stands behind a dot: "An introduction to Node.js" is a title.
  private static let printed: Set = [
    "doc", "docx", "dot", "dotx", "odt", "rtf", "txt", "md", "htm", "html", "xhtml", "xls", "xlsx", "ods", "csv", "ppt",
    "pptx", "odp", "pdf", "tex", "dvi", "ps", "pages", "numbers", "key", "indd", "pub", "wpd", "tmp", "jpg", "jpeg",
    "png", "tif", "tiff",
  ]
}
