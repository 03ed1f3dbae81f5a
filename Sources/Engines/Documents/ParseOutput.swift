import Core
import Documents
import Workers

/// Where parsers put what they find: counts it, holds it to the limits and stops when the client has gone.
final class ParseOutput {
  let request: ParseRequest
  let cancelled: CancelFlag
  private(set) var report = ParseReport()
  private var looking: Int?
  private let gate: FlowGate
  private let send: (ParseEvent) throws -> Void

  init(
    _ request: ParseRequest, cancelled: CancelFlag, gate: FlowGate = FlowGate(),
    send: @escaping (ParseEvent) throws -> Void
  ) {
    self.request = request
    self.cancelled = cancelled
    self.gate = gate
    self.send = send
    gate.open(request.window)
  }

  var limits: ParseLimits { request.limits }

  func checkCancelled() throws {
    if cancelled.isSet { throw CancellationError() }
  }

  func wants(_ page: Int) -> Bool { page >= request.first && page <= (request.last ?? .max) }

  func begin(_ info: DocumentInfo) throws {
    try checkCancelled()
    if info.record != nil { report.records += 1 }
    try send(.document(info))
  }

  func add(_ page: Page) throws {
    try checkCancelled()
    var page = page
    // Words with a place on the page were cleaned before they got it.
    for index in page.blocks.indices where page.blocks[index].geometry == nil {
      page.blocks[index].text = Typesetting.withoutTags(page.blocks[index].text)
    }
    gate.pass(page.cost, cancelled)
    report.pages += 1
    report.textBytes += page.blocks.reduce(0) { $0 + $1.text.utf8.count }
    if page.recognised != nil { report.recognisedPages += 1 }
    // Records are documents of their own: what bounds them is the length of a line.
    guard report.records > 0 || report.textBytes <= limits.textBytes else {
      throw DocumentError.tooMuchText(limit: limits.textBytes)
    }
    try send(.page(page))
  }

  /// A page that failed is an event, not the end; a client that went away is the end.
  func problem(_ page: Int, _ error: any Error) throws {
    if error is CancellationError { throw error }
    report.problems += 1
    try send(.problem(PageProblem(page: page, error: RemoteError(error))))
  }

  /// Said before a page is looked at, so that one which ends the worker is known.
  func reading(_ page: Int) throws {
    guard page != looking else { return }
    looking = page
    try send(.reading(page))
  }

  func reading(_ file: AttachedFile) throws { try send(.readingAttached(file)) }

  func progress(_ done: Int, of total: Int?) throws { try send(.progress(ParseProgress(done: done, of: total))) }

  func finish() throws { try send(.done(report)) }

  /// Cuts the blocks of a document without pages into parts of bounded size, at headings where one is near.
  func addParts(_ blocks: [Block]) throws {
    var number = 1
    var part: [Block] = []
    var bytes = 0
    func close() throws {
      guard !part.isEmpty else { return }
      if wants(number) { try add(Page(number: number, blocks: part)) }
      number += 1
      (part, bytes) = ([], 0)
    }
    for block in blocks.lazy.flatMap(\.pieces) {
      if bytes >= Self.partBytes { try close() }
      if case .heading = block.kind, bytes >= Self.partBytes / 2 { try close() }
      part.append(block)
      bytes += block.text.utf8.count
    }
    try close()
    if number == 1 { throw DocumentError.empty }
  }

  private static let partBytes = 32 << 10
}
