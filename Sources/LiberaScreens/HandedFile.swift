import Core
public import Foundation
import LiberaKit

/// A file that another program hands over. Its name is that program's and is not believed.
public struct HandedFile: Sendable {
  public var name: String
  /// Its bytes, or where they lie.
  public var content: Content
  public enum Content: Sendable {
    case bytes(Data)
    case file(URL)
  }

  public init(name: String, content: Content) { (self.name, self.content) = (name, content) }

  /// On a Mac a colon stands for a slash.
  public static func safeName(_ name: String) -> String { ForeignName.file(name, separators: "/\\:") }

  /// Puts it into a folder of its own, so that two of one name do not meet.
  /// - Returns: The file; its folder is the caller's to remove.
  func put(into place: URL) throws -> URL {
    let folder = place.appending(path: "\(Self.folder)/\(UUID().uuidString)", directoryHint: .isDirectory)
    try Folders.make(folder)
    let file = folder.appending(path: Self.safeName(name))
    do { try copy(to: file) } catch {
      try FileManager.default.removeItem(at: folder)
      throw error
    }
    return file
  }

  private func copy(to file: URL) throws {
    switch content {
    case .bytes(let data): try data.write(to: file)
    case .file(let source):
      // A link would lead to what was not handed over.
      guard try source.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        throw LiberaError(code: "not_a_file", message: "\"\(Self.safeName(name))\" is no file.")
      }
      try FileManager.default.copyItem(at: source, to: file)
    }
  }

  /// What lies here is handed over for the time of one import.
  static let folder = "LiberaGPT.handed"
}
