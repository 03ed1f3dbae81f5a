#if os(Linux)
  import Core
  import Foundation

  /// The folders at and below the watched ones, as inotify knows them.
  struct FolderTree {
    private let descriptor: CInt
    private var paths: [CInt: String] = [:]
    /// Those that the person chose, each with what it was when its watch began; and of them those that lie nowhere now.
    private var roots: [[UInt8]: Identity?] = [:]
    private(set) var gone: Set<[UInt8]> = []
    /// Folders the system's limit leaves out.
    private(set) var leftOut = 0

    private static let mask = [
      IN_CLOSE_WRITE, IN_MODIFY, IN_MOVED_TO, IN_MOVED_FROM, IN_CREATE, IN_DELETE, IN_ONLYDIR, IN_DONT_FOLLOW,
      IN_MOVE_SELF, IN_EXCL_UNLINK,
    ].reduce(UInt32(0)) { $0 | UInt32($1) }

    /// What the kernel reports.
    let reports: AsyncStream<Data>
    private let source: any DispatchSourceRead

    init() throws {
      let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
      guard descriptor >= 0 else { throw WatchError.unavailable(systemReason()) }
      let (reports, report) = AsyncStream.makeStream(of: Data.self)
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
      source.setEventHandler {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { report.yield(Data(buffer.prefix(count))) }
      }
      source.setCancelHandler { close(descriptor) }
      source.resume()
      self.descriptor = descriptor
      self.reports = reports
    }

    /// Ends every watch.
    func stop() { source.cancel() }

    /// Watches a folder that the person chose, and returns the files that lie there.
    @discardableResult
    mutating func follow(_ root: String) -> [String] {
      roots.updateValue(Identity(root), forKey: Array(root.utf8))
      return add(root)
    }

    /// Which folder it is, whatever its name.
    struct Identity: Sendable, Equatable {
      private var device, node: UInt64

      /// nil where nothing lies there.
      init?(_ folder: String) {
        var status = stat()
        guard FileName.withPath(folder, { lstat($0, &status) }) == 0 else { return nil }
        (device, node) = (UInt64(status.st_dev), UInt64(status.st_ino))
      }
    }

    /// Those of the person's that are watched.
    var watched: [[UInt8]: Identity?] { roots.filter { !gone.contains($0.key) } }

    /// Those in whose place another folder lies. It asks the disk, which may take its time.
    static func replaced(among watched: [[UInt8]: Identity?]) -> Set<[UInt8]> {
      Set(watched.filter { Identity(String(decoding: $0.key, as: UTF8.self)) != $0.value }.keys)
    }

    /// Of a disk that is mounted over a folder nothing is reported: what was there counts as gone.
    mutating func lose(_ replaced: Set<[UInt8]>) {
      for root in replaced {
        forget(String(decoding: root, as: UTF8.self))
        gone.insert(root)
      }
    }

    /// Watches a folder and those below it, and returns the files that lie there. One that is gone again needs no watch.
    private mutating func add(_ folder: String) -> [String] {
      watch(folder)
      // By bytes: names that look alike are equal texts.
      var known: Set<[UInt8]> = []
      var files: [String] = []
      // Folders that came while the others were looked through had no watch yet; a second look finds them.
      for _ in 0..<2 {
        do {
          let walk = try FolderWalk(below: folder)
          for below in walk.folders where known.insert(Array(below.utf8)).inserted { watch(folder + "/" + below) }
          files = walk.files.map { folder + "/" + $0.name }
        } catch { return [] }
      }
      return files
    }

    private mutating func watch(_ folder: String) {
      let watch = FileName.withPath(folder) { inotify_add_watch(descriptor, $0, Self.mask) }
      if watch >= 0 {
        paths[watch] = folder
        gone.remove(Array(folder.utf8))
      } else if errno == ENOSPC {
        leftOut += 1
      } else if roots.keys.contains(Array(folder.utf8)) {
        gone.insert(Array(folder.utf8))
      }
    }

    /// What this watch told of is no longer there.
    private mutating func lose(_ watch: CInt) {
      guard let folder = paths.removeValue(forKey: watch), roots.keys.contains(Array(folder.utf8)) else { return }
      gone.insert(Array(folder.utf8))
    }

    /// The files that changed. A folder that came is watched, and all its files count as changed. nil: reports were lost.
    mutating func changes(in report: Data) -> [String]? {
      var changed: [String] = []
      var offset = 0
      let header = 16
      while offset + header <= report.count {
        let (watch, mask, length) = report.withUnsafeBytes { bytes in
          (
            bytes.loadUnaligned(fromByteOffset: offset, as: CInt.self),
            bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
            Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
          )
        }
        let end = min(report.count, offset + header + length)
        let name = FileName.text(report[(offset + header)..<end].prefix { $0 != 0 })
        offset = end
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { return nil }
        if mask & UInt32(IN_IGNORED) != 0 { lose(watch) }
        if mask & UInt32(IN_MOVE_SELF) != 0, let root = paths[watch], roots.keys.contains(Array(root.utf8)) {
          forget(root)
        }
        guard let folder = paths[watch], !name.isEmpty, name.utf8.first != UInt8(ascii: ".") else { continue }
        let path = folder + "/" + name
        if mask & UInt32(IN_ISDIR) == 0 {
          changed.append(path)
        } else if mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 {
          changed += add(path)
        } else if mask & UInt32(IN_MOVED_FROM) != 0 {
          forget(path)
        }
      }
      return changed
    }

    /// A folder that was moved away: were its watches kept, they would report under the old name.
    private mutating func forget(_ folder: String) {
      for (watch, path) in paths where ForeignName.lies(path, in: folder) {
        inotify_rm_watch(descriptor, watch)
        lose(watch)
      }
    }
  }
#endif
