import Core
import Foundation

enum LicencesCommand: Command {
  static let name = "licences"
  static let summary = "the licence of this program and of every part it ships or uses"
  static let examples = ["libera licences"]
  static let entersHouse = false

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    let text = try String(contentsOf: Installation().notice, encoding: .utf8)
    try context.line(["licences": text], text)
  }
}
