import Core
package import Documents
package import Foundation
package import Workers

/// Reads and draws documents; runs in the sealed parse worker, or in process where there are no workers.
package final class DocumentEngine: Engine {
  private let pictures: PictureReader
  private let gate = FlowGate()

  /// - Parameter recogniser: The system's own, in place of tesseract.
  package init(recogniser: (any TextRecogniser)? = nil) { pictures = PictureReader(recogniser) }

  package func adjust(_ body: Data) {
    // On the reader thread nobody can be told. A credit that cannot be read gives none: the worker waits, and its owner's
    // time limit ends it.
    do { gate.give(try JSON.decode(ParseCredit.self, from: body).bytes) } catch { return }
  }

  package func handle(_ call: Call, _ reply: some ReplySink) throws {
    if call.operation == "markdown" { return try markdown(call.decode(MarkdownRequest.self), reply) }
    guard let descriptor = call.files.first else { throw DocumentError.unreadable("no file was handed over") }
    let source = try ByteSource(descriptor: descriptor)
    switch call.operation {
    case "parse": try parse(call.decode(ParseRequest.self), source, call, reply)
    case "calendar": try calendar(call.decode(CalendarRequest.self), source, reply)
    case "mail": try mail(call.decode(MailRequest.self), source, reply)
    case "render": try render(call.decode(RenderRequest.self), source, call, reply)
    default: throw DocumentError.unsupported("the operation \(call.operation)")
    }
  }

  private func markdown(_ request: MarkdownRequest, _ reply: some ReplySink) throws {
    try reply.event(MarkdownPage.html(from: request.text, sentences: request.sentences))
  }

  private func parse(_ request: ParseRequest, _ source: ByteSource, _ call: Call, _ reply: some ReplySink) throws {
    let output = ParseOutput(request, cancelled: call.cancelled, gate: gate) { try reply.event($0) }
    try read(source, name: request.name, output, nil)
    try output.finish()
  }

  /// `attachments` is there where the file is attached to a message that is read already.
  private func read(_ source: ByteSource, name: String, _ output: ParseOutput, _ attachments: Attachments?) throws {
    let request = output.request
    let document = try OpenDocument(source, name: name, password: request.password, limits: request.limits)
    func attached(_ bounds: Attachments.Bounds = .init()) -> Attachments {
      attachments ?? Attachments(output, bounds) { try self.read($0, name: $1, $2, $3) }
    }
    pictures.beginDocument()
    switch document {
    case .pdf(let file): try PDFParser(file, output: output, reader: pictures).parse()
    case .picture(let picture): try PictureParser(picture: picture, reader: pictures).parse(output)
    case .records(let records): try records.parse(output)
    case .calendar(let calendar):
      try flow(calendar.info(), calendar.blocks(), output)
      if let problem = calendar.problem { try output.problem(1, problem) }
    case .message(let message):
      let attachments = attached()
      try flow(message.info(), message.blocks(attachments), output)
      try attachments.tellUnread()
    case .mailbox(let mailbox): try mailbox.parse(output, attached(Mailbox.bounds))
    case .flowing(let file): try flow(try file.info(), file.blocks(output), output)
    case .paged(let file): try paged(try file.info(), file.pages(output), output)
    case .text(let kind, let decoded): try text(kind, decoded, output)
    }
  }

  private func flow(_ info: DocumentInfo, _ blocks: [Block], _ output: ParseOutput) throws {
    var info = info
    info.language = info.language ?? LanguageGuess.guess(blocks.prefix(400).map(\.text).joined(separator: " "))
    // A heading further down names a part, and so does that of one sheet of several.
    func isHeading(_ block: Block) -> Bool { if case .heading = block.kind { true } else { false } }
    let isWorkbook = [.xlsx, .ods].contains(info.kind) && blocks.count(where: isHeading) > 1
    if info.title == nil, !isWorkbook, let first = blocks.prefix(4).first(where: isHeading) {
      info.title = Title.cleaned(first.text)
    }
    try output.begin(info)
    try output.addParts(blocks)
  }

  private func text(_ kind: TextKind, _ decoded: TextDecoding.Decoded, _ output: ParseOutput) throws {
    var info = kind.info
    info.encoding = decoded.encoding
    switch kind {
    case .html:
      let readable = HTMLText.read(decoded.text)
      (info.title, info.author, info.language) = (readable.title, readable.author, readable.language)
      try flow(info, readable.blocks, output)
    case .markdown: try flow(info, MarkdownText.blocks(decoded.text), output)
    case .csv(let delimiter): try flow(info, CSV.blocks(decoded.text, delimiter: delimiter), output)
    case .code, .xml: try flow(info, CodeText.blocks(decoded.text), output)
    case .plain, .records: try plain(info, decoded.text, output)
    }
  }

  private func plain(_ info: DocumentInfo, _ text: String, _ output: ParseOutput) throws {
    let pages = PlainText.pages(text)
    guard pages.count > 2 else { return try flow(info, Array(pages.joined()), output) }
    // A form feed after the last page begins no further one.
    try paged(info, pages.last?.isEmpty == true ? pages.dropLast() : pages, output)
  }

  private func paged(_ info: DocumentInfo, _ pages: [[Block]], _ output: ParseOutput) throws {
    var info = info
    let count = pages.count
    guard pages.contains(where: { !$0.isEmpty }) else { throw DocumentError.empty }
    guard count <= output.limits.pages else { throw DocumentError.tooManyPages(count, limit: output.limits.pages) }
    info.pages = count
    info.language = info.language ?? LanguageGuess.guess(pages.joined().prefix(400).map(\.text).joined(separator: " "))
    info.title =
      info.title
      ?? pages.joined().first { if case .heading = $0.kind { true } else { false } }.flatMap { Title.cleaned($0.text) }
    try output.begin(info)
    for (index, blocks) in pages.enumerated() where output.wants(index + 1) {
      try output.add(Page(number: index + 1, blocks: blocks.flatMap(\.pieces)))
      try output.progress(index + 1, of: count)
    }
  }

  private func render(_ request: RenderRequest, _ source: ByteSource, _ call: Call, _ reply: some ReplySink) throws {
    let document = try OpenDocument(source, name: "", password: request.password, limits: ParseLimits())
    var (canvas, scale) = try document.draw(request)
    canvas.mark(request.marks, scale: scale)
    let data = try canvas.png()
    try reply.event(
      RenderedPage(
        width: canvas.width, height: canvas.height, scale: scale, bytes: data.count))
    try data.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 256 << 10) {
        try reply.bytes(UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, start + 256 << 10)]))
      }
    }
  }
}

extension OpenDocument {
  func info() throws -> DocumentInfo {
    switch self {
    case .pdf(let file): PDFParser.info(file)
    case .picture(let picture): PictureParser.info(picture)
    case .flowing(let file): try file.info()
    case .paged(let file): try file.info()
    case .records: DocumentInfo(kind: .records)
    case .calendar(let calendar): calendar.info()
    case .message(let message): message.info()
    case .mailbox: DocumentInfo(kind: .mailbox)
    case .text(let kind, let decoded):
      {
        var info = kind.info
        info.encoding = decoded.encoding
        return info
      }()
    }
  }

  /// The page at the scale asked for, or smaller where it would have too many pixels.
  func draw(_ request: RenderRequest) throws -> (Canvas, scale: Double) {
    let wanted = request.scale.isFinite ? min(max(request.scale, 0.05), 20) : 1
    func fitting(_ width: Double, _ height: Double) -> Double {
      min(wanted, (Double(request.pixels) / max(1, width * height)).squareRoot())
    }
    switch self {
    case .pdf(let file):
      guard request.page >= 1, request.page <= file.pageCount else {
        throw DocumentError.noSuchPage(request.page, of: file.pageCount)
      }
      return try file.withPage(request.page - 1) { page in
        let scale = fitting(page.width, page.height)
        let (width, height) = (max(1, Int(page.width * scale)), max(1, Int(page.height * scale)))
        return (
          Canvas(width: width, height: height, bgra: try page.draw(width: width, height: height, gray: false)), scale
        )
      }
    case .picture(let picture):
      let (scan, pointsPerPixel) = try picture.page(request.page - 1, limits: ParseLimits())
      let scale = fitting(Double(scan.width) * pointsPerPixel, Double(scan.height) * pointsPerPixel)
      return (try Canvas(scan, scale: scale * pointsPerPixel), scale)
    default: throw DocumentError.noPicture(try info().kind)
    }
  }
}

extension TextKind {
  var info: DocumentInfo {
    switch self {
    case .records: return DocumentInfo(kind: .records)
    case .html: return DocumentInfo(kind: .html)
    case .csv: return DocumentInfo(kind: .csv)
    case .markdown: return DocumentInfo(kind: .markdown)
    case .plain: return DocumentInfo(kind: .text)
    case .xml, .code:
      var info = DocumentInfo(kind: .code)
      if case .code(let language) = self { info.codeLanguage = language } else { info.codeLanguage = "xml" }
      return info
    }
  }
}
