package import Foundation

/// The folder the running program belongs to: it holds `Packs/`, `Web/` and `NOTICE` beside the programs.
///
/// Found by walking up from the executable, so that a checkout, a copy of it and an installed tree all work and no path is
/// built in. `LIBERA_ROOT` overrides it.
package struct Installation: Sendable {
  package let root: URL

  package init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    if let given = environment["LIBERA_ROOT"] {
      root = URL(filePath: given, directoryHint: .isDirectory)
      return
    }
    var folder = Installation.programs
    while folder.path != "/" {
      if FileManager.default.fileExists(atPath: folder.appending(path: "Packs/catalogue.json").path) {
        root = folder
        return
      }
      folder.deleteLastPathComponent()
    }
    throw InstallationError.notFound(Installation.programs.path)
  }

  /// For a program that says itself where the folder lies.
  package init(at root: URL) { self.root = root }

  /// Where the running program and its worker lie. Under `swift test` that is the test bundle's folder, which is the same.
  package static var programs: URL {
    let path = (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])).resolvingSymlinksInPath()
    return path.deletingLastPathComponent()
  }

  /// The resources of a room, which the build lays beside the program. The accessor that SwiftPM makes for them would write the
  /// folder of the build into the program, which then had other bytes in every folder; Apple's systems need it.
  package static func resources(of room: String) -> URL {
    programs.appending(path: "libera_\(room).resources", directoryHint: .isDirectory)
  }

  package var packs: URL { root.appending(path: "Packs", directoryHint: .isDirectory) }
  package var web: URL { root.appending(path: "Web", directoryHint: .isDirectory) }
  package var notice: URL { root.appending(path: "NOTICE") }
  package var troubles: URL { root.appending(path: "docs/troubles.md") }
  package func troubles(in language: String) -> URL { root.appending(path: "docs/troubles.\(language).md") }
}

package enum InstallationError: Explained {
  case notFound(String)
  /// A file of the program's own, or a place in it.
  case damaged(String)

  package var code: String { "installation_missing" }
  package var message: String {
    switch self {
    case .notFound(let place): "The program's own files (Packs, Web, NOTICE) were not found at or above \(place)."
    case .damaged(let file): "A file of the program's own is missing or damaged: \(file)."
    }
  }
  package var remedy: String? {
    switch self {
    case .notFound: "Keep the programs inside the folder they came with, or set LIBERA_ROOT to it."
    case .damaged: "Install the program again; in a checkout build it with ./libera build."
    }
  }
}
