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
    /// Of computing for a whole document, and as much again for each megabyte of it.
    package var document: Duration = .seconds(150)
    package var megabyte: Duration = .seconds(2000)
    /// Pages that are lost have work of their own: together what a document may take, three silences at most, and each a third of
    /// what is left of it, so that they leave something for others. One that ends the worker counts as at least so much, and where
    /// less is left for a page the rest of the document is given up.
    package var lostPage: Duration = .seconds(1)
    /// Of computing for the picture of one page.
    package var picture: Duration = .seconds(30)
    package init() {}
  }

  nonisolated let bounds: Bounds
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
    let source = ReadingPages(self, file, request)
    return AsyncThrowingStream { try await source.next() }
  }

  package func render(_ file: URL, _ request: RenderRequest) async throws -> (page: RenderedPage, picture: Data) {
    var page: RenderedPage?
    var picture = Data()
    let watch = ReadingWatch(bounds, drawing: file)
    // As PNG it is hardly larger than its pixels.
    let most = ReplyBound.bytes(4 * request.pixels + 1 << 20)
    for try await reply in open(file, "render", request, watch, most: most) {
      watch.passed(reply)
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
  func open(
    _ file: URL, _ operation: String, _ body: some Encodable & Sendable, _ watch: ReadingWatch, most: ReplyBound
  ) -> AsyncThrowingStream<CallReply, any Error> {
    AsyncThrowingStream { continuation in
      let work = Task {
        do {
          let handle = try Self.handle(file)
          defer { withExtendedLifetime(handle) {} }
          let worker = try await running()
          watch.attach(worker)
          let guardian = Task { await watch.run(worker) }
          defer { guardian.cancel() }
          do {
            for try await reply in worker.call(operation, body, files: [handle.descriptor], most: most) {
              watch.heard(reply)
              continuation.yield(reply)
            }
            try Task.checkCancellation()
            continuation.finish()
          } catch {
            throw watch.verdict ?? DocumentError.explained(error)
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

}

extension DocumentError {
  /// What ended a worker, as an error of the file that it read.
  static func explained(_ error: any Error) -> any Error {
    guard let error = error as? WorkerError else { return error }
    switch error {
    case .died(_, let reason, _): return DocumentError.workerEnded("\(reason)")
    case .unresponsive: return DocumentError.workerEnded("another file kept it from stopping")
    case .toldTooMuch: return DocumentError.workerEnded("it told more than was asked")
    default: return error
    }
  }
}
