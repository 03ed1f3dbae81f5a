public import Foundation
public import LiberaScreens

/// Data Protection and backups, through Foundation.
public struct AppleFiles: FileKeeping {
  public init() {}

  public func isProtected(_ file: URL) throws -> Bool {
    let kept = try FileManager.default.attributesOfItem(atPath: file.path)[.protectionKey] as? FileProtectionType
    return kept?.rawValue == FileProtectionType.completeUntilFirstUserAuthentication.rawValue
  }

  public func protect(_ file: URL) throws {
    try FileManager.default.setAttributes(
      [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: file.path)
  }

  public func isInBackups(_ folder: URL) throws -> Bool {
    // A URL keeps what it has once read.
    var folder = folder
    folder.removeAllCachedResourceValues()
    return try folder.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup != true
  }

  public func putInBackups(_ folder: URL, _ isIn: Bool) throws {
    var (folder, values) = (folder, URLResourceValues())
    values.isExcludedFromBackup = !isIn
    try folder.setResourceValues(values)
  }
}

// Linux's Foundation has these values and keeps none of them: what stands for the device does (Apps/Declarations/FileRoom).
#if os(Linux)
  import FileRoom

  extension FileManager {
    // https://developer.apple.com/documentation/foundation/filemanager/setattributes(_:ofitematpath:)
    fileprivate func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {
      let protection = (attributes[.protectionKey] as? FileProtectionType)?.rawValue
      try FileRoom.shared.keep(at: path) { $0.protection[path] = protection }
    }

    // https://developer.apple.com/documentation/foundation/filemanager/attributesofitem(atpath:)
    fileprivate func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] {
      let protection = try FileRoom.shared.values(at: path) { $0.protection[path] }
      return protection.map { [.protectionKey: FileProtectionType(rawValue: $0)] } ?? [:]
    }
  }

  extension URL {
    // https://developer.apple.com/documentation/foundation/url/setresourcevalues(_:)
    fileprivate mutating func setResourceValues(_ values: URLResourceValues) throws {
      let (path, isLeftOut) = (path, values.isExcludedFromBackup == true)
      try FileRoom.shared.keep(at: path) { state in
        if isLeftOut { state.leftOut.insert(path) } else { state.leftOut.remove(path) }
      }
    }

    // https://developer.apple.com/documentation/foundation/url/resourcevalues(forkeys:)
    fileprivate func resourceValues(forKeys keys: Set<URLResourceKey>) throws -> URLResourceValues {
      let path = path
      var values = URLResourceValues()
      values.isExcludedFromBackup = try FileRoom.shared.values(at: path) { $0.leftOut.contains(path) }
      return values
    }
  }
#endif
