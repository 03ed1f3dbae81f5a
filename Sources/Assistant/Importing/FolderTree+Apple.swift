#if !os(Linux)
  import Foundation

  /// Without inotify the watched folders are looked through from time to time.
  struct FolderTree {
    let leftOut = 0

    init() throws {}

    var reports: AsyncStream<Data> {
      AsyncStream(unfolding: {
        do { try await Task.sleep(for: .seconds(30)) } catch { return nil }
        return Data()
      })
    }

    func stop() {}

    mutating func add(_ folder: String) {}

    func changes(in report: Data) -> Set<String>? { nil }
  }
#endif
