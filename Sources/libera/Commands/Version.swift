import Core

enum VersionCommand: Command {
  static let name = "version"
  static let summary = "the version"
  static let entersHouse = false

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    context.terminal.line(context.json ? try JSON.line(["version": Version.current]) : "libera \(Version.current)")
  }
}
