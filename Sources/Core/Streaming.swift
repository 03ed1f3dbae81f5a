/// A stream fed by one piece of work. The work is cancelled when its consumer goes away; its error ends the stream.
package func streaming<Element: Sendable>(
  _ work: @escaping @Sendable (_ emit: @escaping @Sendable (Element) -> Void) async throws -> Void
) -> AsyncThrowingStream<Element, any Error> {
  AsyncThrowingStream { continuation in
    let task = Task {
      do {
        try await work { continuation.yield($0) }
        continuation.finish()
      } catch { continuation.finish(throwing: error) }
    }
    continuation.onTermination = { reason in
      if case .cancelled = reason { task.cancel() }
    }
  }
}
