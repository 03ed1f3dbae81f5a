import Foundation

extension PackStore {
  /// Fetches, verifies and installs a pack of the catalogue; goes on where an earlier pull was broken off. The stream ends
  /// after `.installed`; dropping it stops the work and keeps what was fetched.
  package func pull(
    _ id: String, call: @escaping FetchCall, tools: Tools?, pauses: [Double] = [1, 2, 4, 8], patience: Int = 30
  ) -> AsyncThrowingStream<PullEvent, any Error> {
    AsyncThrowingStream(bufferingPolicy: .unbounded) { continuation in
      let task = Task {
        do {
          let puller = Puller(
            store: self, pack: try catalogue.pack(id), call: call, tools: tools, pauses: pauses, patience: patience
          ) { continuation.yield($0) }
          try await puller.run()
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// The installed packs of which the catalogue has a newer version; each is upgraded by pulling it.
  package func upgradable() throws -> [Pack] {
    let versions = Dictionary(uniqueKeysWithValues: try installed().map { ($0.pack.id, $0.pack.version) })
    return catalogue.packs.filter { pack in versions[pack.id].map { $0 < pack.version } ?? false }
  }
}
