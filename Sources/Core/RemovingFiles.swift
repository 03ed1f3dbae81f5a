package import Foundation

extension FileManager {
  /// Removes a file or folder that may not be there.
  package func removeIfThere(_ place: URL) throws {
    if fileExists(atPath: place.path) { try removeItem(at: place) }
  }
}
