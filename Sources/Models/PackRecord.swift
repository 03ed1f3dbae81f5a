package import Foundation

/// What `pack.json` in an installed pack's folder says. The pack is installed exactly when this file is there: it is
/// written last, by rename, and names the weights it stands for.
package struct PackRecord: Codable, Sendable, Equatable {
  /// The pack as it was described when it was installed, so that it outlives the catalogue.
  package var pack: Pack
  package var source: String
  package var file: String
  package var sha256: String
  package var bytes: Int64
  package var installed: Date
  /// The weights' stamp when their hash was last found right; nil after it was found wrong.
  package var checked: Stamp?

  /// Tells a file that was touched since from one that was not, without reading it. The time of its last change cannot be set
  /// back as that of its contents can, and another file of the same name has another number; records of before know neither.
  package struct Stamp: Codable, Sendable, Equatable {
    package var bytes: Int64
    package var modified: Int64
    package var changed: Int64?
    package var number: UInt64?

    package init?(of file: URL) {
      var info = stat()
      guard stat(file.path, &info) == 0 else { return nil }
      bytes = Int64(info.st_size)
      number = UInt64(info.st_ino)
      #if canImport(Darwin)
        let (written, touched) = (info.st_mtimespec, info.st_ctimespec)
      #else
        let (written, touched) = (info.st_mtim, info.st_ctim)
      #endif
      modified = Int64(written.tv_sec) * 1_000_000_000 + Int64(written.tv_nsec)
      changed = Int64(touched.tv_sec) * 1_000_000_000 + Int64(touched.tv_nsec)
    }
  }
}
