import Core
import Foundation
import Workers

/// Pulls one event at a time out of the reading of a document, and tells the worker what was taken.
///
/// A page that ends the worker, or takes too long, costs itself: it becomes a problem, and a fresh worker reads what comes after
/// it. So does a file that is attached to a message, which is read again without it. Where the document has had all the work
/// that its size allows, the rest of it becomes one, or all that is attached is left out.
actor ReadingPages {
  private let reader: DocumentReader
  private let file: URL
  private let first: Int
  private var request: ParseRequest
  private let watch: ReadingWatch
  private var replies: AsyncThrowingStream<CallReply, any Error>.AsyncIterator?
  /// The page that is being read, where the worker says so.
  private var reading: Int?
  private var readingAttached: AttachedFile?
  private var begun: DocumentInfo?
  private var report = ParseReport()
  /// What is still to be told of a document that was given up; nil while it is not.
  private var ending: [ParseEvent]?

  init(_ reader: DocumentReader, _ file: URL, _ request: ParseRequest) {
    (self.reader, self.file, self.request, first) = (reader, file, request, request.first)
    watch = ReadingWatch(reader.bounds, reading: file)
  }

  func next() async throws -> ParseEvent? {
    while true {
      if let event = ending?.first {
        ending?.removeFirst()
        return event
      }
      guard ending == nil else { return nil }
      do {
        guard let event = try await received() else { return nil }
        if isTold(event) { return event }
      } catch let error as DocumentError {
        if let problem = try lost(error) { return problem }
      }
    }
  }

  private func received() async throws -> ParseEvent? {
    if replies == nil { replies = await reader.open(file, "parse", request, watch, most: .stream).makeAsyncIterator() }
    watch.listening(true)
    defer { watch.listening(false) }
    // Only one `next` runs at a time: a stream has one consumer.
    guard var iterator = replies else { return nil }
    var event: ParseEvent?
    while event == nil, let reply = try await iterator.next(isolation: self) {
      watch.passed(reply)
      if case .event(let data) = reply { event = try JSON.decode(ParseEvent.self, from: data) }
    }
    replies = iterator
    if case .page(let page) = event { watch.taken(page.cost) }
    return event
  }

  /// Follows where the reading is. What a second worker says again is not told again.
  private func isTold(_ event: ParseEvent) -> Bool {
    switch event {
    case .reading(let page):
      (reading, readingAttached) = (page, nil)
      return false
    case .readingAttached(let file):
      readingAttached = file
      return false
    case .document(let info):
      defer { begun = info }
      return begun == nil || info.record != nil
    case .page(let page):
      readingAttached = nil
      request.first = max(request.first, page.number + 1)
      report.pages += 1
    case .problem(let problem):
      request.first = max(request.first, problem.page + 1)
      report.problems += 1
    case .progress, .done: break
    }
    return true
  }

  /// The worker has ended over the page at hand. Without one, or where nothing was read, that is the end of the document.
  private func lost(_ error: DocumentError) throws -> ParseEvent? {
    switch error {
    case .tooSlow, .workerEnded: break
    default: throw error
    }
    if let file = readingAttached, request.leavingAllAttached == nil {
      leave(file, error)
      return nil
    }
    guard let page = reading, !request.leaving.contains(page) else { throw error }
    (reading, replies) = (nil, nil)
    watch.lost()
    request.leaving.insert(page)
    if page == request.first { request.first += 1 }
    let problem = ParseEvent.problem(PageProblem(page: page, error: RemoteError(error)))
    if page >= first { report.problems += 1 }
    guard watch.isUsedUp else { return page < first ? nil : problem }
    guard let last = begun?.pages.map({ min($0, request.last ?? $0) }), report.pages > 0 || first > 1 else {
      throw error
    }
    ending = page < first ? [] : [problem]
    if request.first <= last {
      let rest = DocumentError.usedUp(first: request.first, last: last)
      ending?.append(.problem(PageProblem(page: request.first, error: RemoteError(rest))))
      report.problems += 1
    }
    ending?.append(.done(report))
    return nil
  }

  private func leave(_ file: AttachedFile, _ error: DocumentError) {
    (reading, readingAttached, replies) = (nil, nil, nil)
    watch.lost()
    if watch.isUsedUp || request.leavingAttached[file] != nil {
      request.leavingAllAttached = RemoteError(DocumentError.attachedUsedUp)
      // The messages themselves are documents like others.
      watch.beginAnew()
    } else {
      request.leavingAttached[file] = RemoteError(error)
    }
  }
}
