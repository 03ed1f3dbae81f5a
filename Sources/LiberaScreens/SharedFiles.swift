import Core
import Foundation
import LiberaKit

/// Files that were shared with the app while it did not run. The folder belongs to the app's group: what lies there is looked at as if
/// a stranger had put it there.
struct SharedFiles {
  /// What more is there waits for the next time.
  static let most = 100
  static let maximumBytes = 2 << 30
  let folder: URL

  /// Takes the files out of the folder, into one of the app's own.
  /// - Returns: The files, and why each of the others was removed.
  func move(into place: URL) throws -> (files: [URL], refused: [String]) {
    guard try type(of: folder) == .typeDirectory else { return ([], []) }
    var (files, refused): ([URL], [String]) = ([], [])
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().prefix(Self.most) {
      // Not whole yet.
      if name.hasPrefix(".") { continue }
      try Folders.make(place)
      let shown = HandedFile.safeName(Self.named(name))
      let target = Self.free(shown, in: place)
      try FileManager.default.moveItem(at: folder.appending(path: name), to: target)
      // Looked at where nobody else can change it any more.
      if let reason = try reason(against: target) {
        try FileManager.default.removeItem(at: target)
        refused.append("\(shown): \(reason)")
      } else {
        files.append(target)
      }
    }
    return (files, refused)
  }

  private func type(of file: URL) throws -> FileAttributeType? {
    do { return try FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType } catch {
      // Nothing was ever shared.
      return nil
    }
  }

  private func reason(against file: URL) throws -> String? {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    guard attributes[.type] as? FileAttributeType == .typeRegular else { return "it is no file" }
    guard (attributes[.referenceCount] as? Int ?? 1) == 1 else { return "it has another name elsewhere" }
    let bytes = attributes[.size] as? Int ?? 0
    if bytes == 0 { return "it is empty" }
    return bytes > Self.maximumBytes ? "it is larger than 2 GB" : nil
  }

  /// The name before the extension put an id in front of it.
  static func named(_ name: String) -> String {
    let id = name.prefix(36)
    guard UUID(uuidString: String(id)) != nil, name.dropFirst(36).first == "-" else { return name }
    return String(name.dropFirst(37))
  }

  private static func free(_ name: String, in place: URL) -> URL {
    let file = place.appending(path: name)
    guard FileManager.default.fileExists(atPath: file.path) else { return file }
    return place.appending(path: "\(UUID().uuidString.prefix(8)) \(name)")
  }
}
