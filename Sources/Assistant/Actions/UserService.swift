package import Foundation

/// The user's own service: a systemd unit that keeps `libera serve` running, so that reminders ring and mail goes.
package enum UserService {
  package static let unit = "libera.service"

  static var folder: URL {
    let environment = ProcessInfo.processInfo.environment
    let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
    return (base ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config"))
      .appending(path: "systemd/user")
  }

  package static var file: URL { folder.appending(path: unit) }
  package static var isInstalled: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// Written, not yet started: the two commands that do it are the person's to give.
  package static func install(program: String, home: String?) throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text(program: program, home: home).utf8).write(to: file, options: .atomic)
    return file
  }

  package static func uninstall() throws {
    if isInstalled { try FileManager.default.removeItem(at: file) }
  }

  static func text(program: String, home: String?) -> String {
    func quoted(_ word: String) -> String {
      "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%") + "\""
    }
    let place = home.map { " --home \(quoted($0))" } ?? ""
    return """
      [Unit]
      Description=LiberaGPT on this device
      After=graphical-session.target

      [Service]
      ExecStart=\(quoted(program)) serve --no-open\(place)
      Restart=on-failure
      RestartSec=5

      [Install]
      WantedBy=default.target

      """
  }
}
