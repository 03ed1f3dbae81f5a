import Foundation

/// The folder of the app group in which the share extension leaves files for the app. This extension links nothing of the app: the
/// system gives it little memory. What the app makes of the folder is in `SharedFiles`.
struct ShareInbox {
  /// The same in the entitlements of the app and of its extension.
  static let group = "group.org.libera.LiberaGPT"
  static let name = "Shared"
  let folder: URL

  init(in container: URL) { folder = container.appending(path: Self.name, directoryHint: .isDirectory) }

  /// A copy under a hidden name, shown once it is whole: the app may look at any moment.
  func keep(_ file: URL, called name: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let id = UUID().uuidString
    let draft = folder.appending(path: ".\(id)")
    try FileManager.default.copyItem(at: file, to: draft)
    let plain = name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0).suffix(80)) } ?? "file"
    try FileManager.default.moveItem(at: draft, to: folder.appending(path: "\(id)-\(plain)"))
  }
}
