import Core
package import Foundation
import Safety
import Synchronization
package import Workers

/// Reads documents in a sealed worker of its own: a file that ends the worker, or takes it too long or too much memory, costs
/// that file and nothing else. One document is read at a time.
package actor DocumentReader {
  /// What reading one file may cost beyond the limits the parser itself keeps.
  package struct Bounds: Sendable {
    /// Of computing without a page, a problem or any other sign of life. Ten times that by the clock: on a busy machine what
    /// reads in the background gets little of the processor, and is not stuck for that.
    package var silence: Duration = .seconds(150)
    package var memoryBytes: UInt64 = 1_500 << 20
    package init() {}
  }

  private nonisolated let bounds: Bounds
  private let launch: @Sendable () async throws -> Worker
  private var worker: Worker?

  /// `launch` starts a parse worker; it is called again whenever the last one has died.
  package init(bounds: Bounds = Bounds(), launch: @escaping @Sendable () async throws -> Worker) {
    self.bounds = bounds
    self.launch = launch
  }

  /// A reader whose workers are sealed: they see the file handed over, recognition's languages and the system's fonts. In the
  /// background they leave others the larger share of the processor.
  package init(bounds: Bounds = Bounds(), inBackground: Bool = false, on host: WorkerHost = .processes) {
    self.init(bounds: bounds) {
      var seal = SealSpecification(readable: ParseFolders.readable, memoryBytes: 2 * bounds.memoryBytes)
      seal.lowPriority = inBackground
      return try await host.start(.parse, seal: seal)
    }
  }

  /// What may lie between the worker and whoever takes the pages.
  private static let window = 4 << 20

  /// Pages as they are read, no faster than they are taken. Dropping the stream stops the reading.
  package nonisolated func parse(_ file: URL, _ request: ParseRequest) -> AsyncThrowingStream<ParseEvent, any Error> {
    var request = request
    request.window = Self.window
    let source = Pages(self, file, request)
    return AsyncThrowingStream { try await source.next() }
  }

  /// Pulls one event at a time, and tells the worker what was taken.
  private actor Pages {
    private let reader: DocumentReader
    private let file: URL
    private let request: ParseRequest
    private let watch: Watch
    private var replies: AsyncThrowingStream<CallReply, any Error>.AsyncIterator?

    init(_ reader: DocumentReader, _ file: URL, _ request: ParseRequest) {
      self.reader = reader
      self.file = file
      self.request = request
      watch = Watch(reader.bounds)
    }

    func next() async throws -> ParseEvent? {
      if replies == nil { replies = await reader.open(file, "parse", request, watch).makeAsyncIterator() }
      watch.listening(true)
      defer { watch.listening(false) }
      // Only one `next` runs at a time: a stream has one consumer.
      guard var iterator = replies else { return nil }
      var event: ParseEvent?
      while event == nil, let reply = try await iterator.next(isolation: self) {
        if case .event(let data) = reply { event = try JSON.decode(ParseEvent.self, from: data) }
      }
      replies = iterator
      if case .page(let page) = event { watch.taken(page.cost) }
      return event
    }
  }

  package func render(_ file: URL, _ request: RenderRequest) async throws -> (page: RenderedPage, picture: Data) {
    var page: RenderedPage?
    var picture = Data()
    for try await reply in open(file, "render", request) {
      switch reply {
      case .event(let data): page = try JSON.decode(RenderedPage.self, from: data)
      case .bytes(let bytes): picture += bytes
      }
    }
    guard let page, picture.count == page.bytes else { throw DocumentError.workerEnded("the picture is incomplete") }
    return (page, picture)
  }

  /// Ends the worker, so that its memory comes back; the next call starts another.
  package func stop() async {
    await worker?.stop()
    worker = nil
  }

  private func running() async throws -> Worker {
    if let worker, worker.isAlive { return worker }
    let fresh = try await launch()
    worker = fresh
    return fresh
  }

  /// One call, watched for silence and memory; whatever ends the worker becomes an error of this file.
  private func open(
    _ file: URL, _ operation: String, _ body: some Encodable & Sendable, _ chosen: Watch? = nil
  ) -> AsyncThrowingStream<CallReply, any Error> {
    let watch = chosen ?? Watch(bounds)
    return AsyncThrowingStream { continuation in
      let work = Task {
        do {
          let handle = try Self.handle(file)
          defer { withExtendedLifetime(handle) {} }
          let worker = try await running()
          watch.attach(worker)
          let guardian = Task { await watch.run(worker) }
          defer { guardian.cancel() }
          do {
            for try await reply in worker.call(operation, body, files: [handle.descriptor]) {
              watch.alive()
              continuation.yield(reply)
            }
            try Task.checkCancellation()
            continuation.finish()
          } catch {
            throw watch.verdict ?? Self.explained(error)
          }
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in work.cancel() }
    }
  }

  private static func handle(_ file: URL) throws -> RegularFile {
    do { return try RegularFile(file.path) } catch let error as FileError {
      throw DocumentError.unreadable(String(error.message.dropLast()))
    }
  }

  private static func explained(_ error: any Error) -> any Error {
    guard let error = error as? WorkerError else { return error }
    switch error {
    case .died(_, let reason, _): return DocumentError.workerEnded("\(reason)")
    case .unresponsive: return DocumentError.workerEnded("another file kept it from stopping")
    default: return error
    }
  }

  /// Looks after one call and ends the worker when it goes too far.
  private final class Watch: Sendable {
    private struct State {
      var last = ContinuousClock.now
      var listening = true
      var worker: Worker?
      var verdict: DocumentError?
    }

    private let bounds: Bounds
    private let state = Mutex(State())

    init(_ bounds: Bounds) { self.bounds = bounds }

    var verdict: DocumentError? { state.withLock { $0.verdict } }

    func alive() { state.withLock { $0.last = .now } }

    /// Silence counts only while somebody waits: a worker that is held back has nothing to say.
    func listening(_ now: Bool) {
      state.withLock { state in
        state.listening = now
        state.last = .now
      }
    }

    func taken(_ bytes: Int) {
      // A worker that cannot be told has ended, which the call itself reports.
      do { try state.withLock { $0.worker }?.adjust(ParseCredit(bytes: bytes)) } catch { return }
    }

    func attach(_ worker: Worker) { state.withLock { $0.worker = worker } }

    func run(_ worker: Worker) async {
      var (heard, before) = (ContinuousClock.now, worker.processorTime())
      while !Task.isCancelled {
        guard await waited(.milliseconds(250)) else { return }
        let last = state.withLock { $0.listening ? $0.last : .now }
        let computed = worker.processorTime()
        if last != heard { (heard, before) = (last, computed) }
        let quiet = heard.duration(to: .now)
        let isStuck =
          before.flatMap { before in computed.map { $0 - before > bounds.silence } } ?? (quiet > bounds.silence)
        let isSilent = isStuck || quiet > bounds.silence * 10
        let memory = worker.footprint() ?? 0
        guard isSilent || memory > bounds.memoryBytes else { continue }
        state.withLock {
          $0.verdict =
            isSilent
            ? .tooSlow(seconds: Int(bounds.silence.components.seconds))
            : .workerEnded("it took \(memory >> 20) MB of memory; \(bounds.memoryBytes >> 20) MB are allowed")
        }
        await worker.kill()
        return
      }
    }
  }
}
