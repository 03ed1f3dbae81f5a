package import Foundation

/// The user's own service: a systemd unit that keeps `libera serve` running, so that reminders ring and mail goes.
package enum UserService {
  package static let unit = "libera.service"

  static var folder: URL {
    let environment = ProcessInfo.processInfo.environment
    let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
    return (base ?? URL.homeDirectory.appending(path: ".config"))
      .appending(path: "systemd/user")
  }

  package static var file: URL { folder.appending(path: unit) }
  package static var isInstalled: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// Written, not yet started: the two commands that do it are the person's to give.
  package static func install(program: String, home: String?) throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let environment = ProcessInfo.processInfo.environment
    try Data(text(program: program, home: home, environment: environment).utf8).write(to: file, options: .atomic)
    return file
  }

  package static func uninstall() throws {
    if isInstalled { try FileManager.default.removeItem(at: file) }
  }

  /// Where data, settings and caches lie, if a person has put them elsewhere: the system's own start does not know it.
  private static let places = ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]

  static func text(program: String, home: String?, environment: [String: String] = [:]) -> String {
    func quoted(_ word: String) -> String {
      "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%") + "\""
    }
    let set = places.compactMap { name in environment[name].map { "Environment=\(quoted("\(name)=\($0)"))\n" } }
    // Where a program's words stand, what begins with this sign is a variable.
    let place = home.map { " --home \(quoted($0.replacing("$", with: "$$")))" } ?? ""
    return """
      [Unit]
      Description=LiberaGPT on this device
      After=graphical-session.target

      [Service]
      \(set.joined())ExecStart=\(quoted(program)) serve --no-open\(place)
      # Also after an ordinary end: a restored backup and another version end what runs. A program that is gone (203) is not looked for.
      Restart=always
      RestartSec=5
      RestartPreventExitStatus=203

      [Install]
      WantedBy=default.target

      """
  }
}
