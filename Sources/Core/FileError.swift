/// Why a file was not opened, or not read.
package enum FileError: Explained, Equatable {
  /// What stands where a file was looked for.
  package enum Kind: String, Sendable {
    case folder = "a folder"
    case link = "a link"
    case pipe = "a pipe"
    case socket = "a socket"
    case device = "a device"
    case other = "no regular file"
  }

  case missing(String)
  case refused(String, reason: String)
  case notAFile(String, Kind)
  case notAFolder(String)
  case tooLarge(String, bytes: Int, limit: Int)
  case unreadable(String, reason: String)

  package var code: String {
    switch self {
    case .missing: "file_not_found"
    case .refused, .unreadable: "file_unusable"
    case .notAFile: "file_irregular"
    case .notAFolder: "folder_not_found"
    case .tooLarge: "file_too_large"
    }
  }

  package var message: String {
    switch self {
    case .missing(let path): "There is no file \"\(path)\"."
    case .refused(let path, let reason): "\"\(path)\" cannot be opened: \(reason)."
    case .notAFile(let path, let kind): "\"\(path)\" is \(kind.rawValue); only regular files are read."
    case .notAFolder(let path): "There is no folder \"\(path)\"."
    case .tooLarge(let path, let bytes, let limit):
      "\"\(path)\" has \(bytes) bytes; at most \(limit) are read."
    case .unreadable(let path, let reason): "\"\(path)\" cannot be read: \(reason)."
    }
  }

  package var remedy: String? {
    switch self {
    case .missing, .notAFolder: "Name one that exists and that you may read."
    case .refused, .unreadable: "Check that you may read it."
    case .notAFile(_, .link): "Name the file that the link leads to."
    case .notAFile: nil
    case .tooLarge: "Split it."
    }
  }
}
