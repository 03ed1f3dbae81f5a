import Core
package import Foundation
import Synchronization

/// The kinds of worker there are. Each is a process of its own; only `fetch` has a network, and what it brings `convert` takes apart.
package enum WorkerKind: String, Codable, Sendable, CaseIterable {
  case chat, embed, speech, parse, convert, fetch
  /// Decodes sound that the speech worker does not read itself.
  case sound
  /// For tests and measurements: repeats, spins, crashes. A program of its own, which is not installed (Tests/EchoWorker).
  case echo
}

/// One request as a worker's engine sees it: a named operation, its JSON body, the files handed over with it.
package struct Call: Sendable {
  package var operation: String
  package var body: Data
  /// Open descriptors in the order the client gave them; closed by the host when the call ends.
  package var files: [CInt]
  /// Set by the reader thread when the client cancels or goes away; engines look at it between units of work.
  package var cancelled: CancelFlag

  package init(operation: String, body: Data, files: [CInt] = [], cancelled: CancelFlag = CancelFlag()) {
    self.operation = operation
    self.body = body
    self.files = files
    self.cancelled = cancelled
  }

  package func decode<Body: Decodable>(_ type: Body.Type) throws -> Body { try JSON.decode(type, from: body) }
}

/// May be read from a C callback on any thread.
package final class CancelFlag: Sendable {
  private let flag = Atomic(false)
  private let bounds: StretchWatch?
  package convenience init() { self.init(bounds: nil) }
  init(bounds: StretchWatch?) { self.bounds = bounds }
  package var isSet: Bool { flag.load(ordering: .relaxed) }
  package func set() { flag.store(true, ordering: .relaxed) }
  package func check() throws { if isSet { throw CancellationError() } }

  /// For a stretch of work that never looks at the flag, such as a library that runs what a stranger wrote: where it takes
  /// more time or more memory than this, the call ends with `error` and the worker's process with it. Stretches do not nest.
  package func bounded<Result>(
    _ time: Duration, bytes: Int, else error: @escaping @Sendable () -> any Error, _ work: () throws -> Result
  ) rethrows -> Result {
    guard let bounds else { return try work() }
    bounds.begin(time, bytes: bytes) { error() }
    defer { bounds.end() }
    return try work()
  }
}

/// What an engine sends back while it works. `bytes` avoids JSON on the hot path: token pieces, vectors, images.
package protocol ReplySink {
  func event(_ value: some Encodable) throws
  func bytes(_ payload: UnsafeRawBufferPointer) throws
}

/// What runs inside a worker: synchronous, on the one engine thread, never touched by Swift concurrency.
/// A thrown error ends the call with `RemoteError(error)` on the client's side and leaves the engine usable.
/// A call that ends because `call.cancelled` was set throws `CancellationError`.
package protocol Engine: AnyObject {
  func handle(_ call: Call, _ reply: some ReplySink) throws
  /// Changes that apply between tokens of the call in progress (pause, maximum length). Called on the reader thread.
  func adjust(_ body: Data)
}

extension Engine {
  /// Most operations have nothing that could change while they run.
  package func adjust(_ body: Data) {}
}

/// The most that a worker may tell of one call, all replies together. Whoever takes a worker over may make it tell anything; what was
/// asked comes to so much, and one that tells more is ended.
package enum ReplyBound: Sendable {
  /// What is about as long as the question: a megabyte, and sixteen times the body.
  case usual
  case bytes(Int)
  /// As long as the work goes on. Whoever asks keeps nothing of it, or counts for himself.
  case stream

  func bytes(for body: Data) -> Int {
    switch self {
    case .usual: 1 << 20 + 16 * body.count
    case .bytes(let most): most
    case .stream: .max
    }
  }
}

/// What a client receives for one call, in order; the stream ends when the call does.
package enum CallReply: Sendable {
  case event(Data)
  case bytes(Data)

  package var bytes: Int {
    switch self {
    case .event(let data), .bytes(let data): data.count
    }
  }
}
