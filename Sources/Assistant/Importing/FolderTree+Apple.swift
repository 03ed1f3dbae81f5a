#if !os(Linux)
  import Core
  import Foundation

  /// Without inotify the watched folders are looked through from time to time.
  struct FolderTree {
    let leftOut = 0
    let gone: Set<[UInt8]> = []

    init() throws {}

    var reports: AsyncStream<Data> {
      AsyncStream(unfolding: {
        await waited(.seconds(30)) ? Data() : nil
      })
    }

    func stop() {}

    @discardableResult
    mutating func follow(_ root: String) -> [String] { [] }

    let watched: Set<[UInt8]> = []
    static func replaced(among watched: Set<[UInt8]>) -> Set<[UInt8]> { [] }
    func lose(_ replaced: Set<[UInt8]>) {}

    func changes(in report: Data) -> [String]? { nil }
  }
#endif
