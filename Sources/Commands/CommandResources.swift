import Core
import Foundation

/// The files that come with this room.
enum CommandResources {
  static func file(_ path: String) -> URL {
    #if canImport(Darwin)
      (Bundle.module.resourceURL ?? Bundle.module.bundleURL).appending(path: path)
    #else
      Installation.resources(of: "Commands").appending(path: path)
    #endif
  }

  static func words(_ language: String, _ name: String) throws -> WordFile {
    try WordFile("Languages/\(language)/\(name).words", in: file(""))
  }
}
