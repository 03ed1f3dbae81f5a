import ConvertEngine
import Core
import FetchEngine
import Foundation
import Workers

@testable import Models

/// Runs the fetch engine on a thread of this process behind the same messages that go over the worker's socket.
let inProcess = fetching(within: nil)

func fetching(within bounds: FetchBounds?, index: String = "https://example.invalid") -> FetchCall {
  { operation, body in fetching(with: FetchEngine(bounds, index: index))(operation, body) }
}

/// One engine for all calls, as a worker has it.
func fetching(with engine: FetchEngine) -> FetchCall {
  // One call at a time is made of it.
  nonisolated(unsafe) let engine = engine
  return { operation, body in
    AsyncThrowingStream { continuation in
      let cancelled = CancelFlag()
      continuation.onTermination = { if case .cancelled = $0 { cancelled.set() } }
      Thread.detachNewThread {
        do {
          let call = Call(operation: operation, body: body, cancelled: cancelled)
          try engine.handle(call, Sink(continuation: continuation))
          continuation.finish()
        } catch {
          // Over a socket an error arrives as its words alone.
          continuation.finish(throwing: error is CancellationError ? error : RemoteError(error))
        }
      }
    }
  }
}

/// The convert engine behind the same message.
let converting: ConvertCall = { operation, body, inputs, output in
  try Data().write(to: output)
  let files = try inputs.map(FileHandle.init(forReadingFrom:)) + [FileHandle(forUpdating: output)]
  let call = Call(operation: operation, body: body, files: files.map(\.fileDescriptor))
  try withExtendedLifetime(files) {
    do { try ConvertEngine().handle(call, Silence()) } catch { throw RemoteError(error) }
  }
}

/// It replies with nothing.
private struct Silence: ReplySink {
  func event(_ value: some Encodable) throws {}
  func bytes(_ payload: UnsafeRawBufferPointer) throws {}
}

private struct Sink: ReplySink {
  let continuation: AsyncThrowingStream<CallReply, any Error>.Continuation
  func event(_ value: some Encodable) throws { continuation.yield(.event(try JSON.encode(value))) }
  func bytes(_ payload: UnsafeRawBufferPointer) throws { continuation.yield(.bytes(Data(payload))) }
}

extension PackStore {
  /// Pulls to the end and returns what was told on the way; a pause between attempts would only cost time here.
  func pullAll(_ id: String, attempts: Int = 3, patience: Int = 30) async throws -> [PullEvent] {
    var events: [PullEvent] = []
    let pauses = [Double](repeating: 0, count: attempts - 1)
    for try await event in pull(id, call: inProcess, convert: converting, pauses: pauses, patience: patience) {
      events.append(event)
    }
    return events
  }
}
