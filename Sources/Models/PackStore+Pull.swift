import Foundation

extension PackStore {
  /// Fetches, verifies and installs a pack of the catalogue; goes on where an earlier pull was broken off. The stream ends
  /// after `.installed`; dropping it stops the work and keeps what was fetched.
  package func pull(
    _ id: String, call: @escaping FetchCall, convert: @escaping ConvertCall, pauses: [Double] = [1, 2, 4, 8],
    patience: Int = 30
  ) -> AsyncThrowingStream<PullEvent, any Error> {
    pulling { report in
      Puller(
        store: self, pack: try catalogue.pack(id), call: call, convert: convert, pauses: pauses,
        patience: patience, report: report)
    }
  }

  /// Runs what `prepare` makes, and stops it when the consumer goes away.
  func pulling(
    _ prepare: @escaping @Sendable (_ report: @escaping @Sendable (PullEvent) -> Void) async throws -> Puller
  ) -> AsyncThrowingStream<PullEvent, any Error> {
    AsyncThrowingStream(bufferingPolicy: .unbounded) { continuation in
      let task = Task {
        do {
          try await prepare { continuation.yield($0) }.run()
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
