import Core
import Server

enum TokenCommand: Command {
  static let name = "token"
  static let summary = "the key with which other programs may use the API"
  static let options: [Arguments.Option] = [.flag("--rotate", "make a new one; the old one stops working at once")]
  static let entersHouse = false

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    try context.folders.check()
    try Folders.make(context.folders.data)
    let access = try Access(folder: context.folders.data)
    if arguments.has("--rotate") { try access.rotate() }
    let token = try access.token()
    context.terminal.line(context.json ? try JSON.line(["token": token]) : token)
  }
}
