#if !os(Linux)
  import Core
  import Foundation

  /// Without inotify the watched folders are looked through from time to time.
  struct FolderTree {
    let leftOut = 0

    init() throws {}

    var reports: AsyncStream<Data> {
      AsyncStream(unfolding: {
        await waited(.seconds(30)) ? Data() : nil
      })
    }

    func stop() {}

    mutating func add(_ folder: String) {}

    func changes(in report: Data) -> Set<String>? { nil }
  }
#endif
