import Assistant
import Core
import Releases

enum VersionCommand: Command {
  static let name = "version"
  static let summary = "the version"
  static let examples = ["libera version"]
  static let entersHouse = false

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    // Another version asks this one before it takes its place, or gives it back.
    let voice = ProgramTree.Voice(version: Version.current, vault: Household.vaultFormat)
    try context.line(voice, "libera \(Version.current)")
  }
}
