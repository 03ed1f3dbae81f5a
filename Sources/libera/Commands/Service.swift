import Assistant
import Core
import Foundation

enum ServiceCommand: Command {
  static let name = "service"
  static let summary = "keep libera running for you, so that reminders ring: install, uninstall, status"
  static let examples = ["libera service install", "libera service status"]
  static let usage = "install | uninstall | status"
  static let entersHouse = false

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...1, "")
    let terminal = context.terminal
    switch arguments.words.first ?? "status" {
    case "install":
      guard let program = Bundle.main.executablePath else { throw UsageError.missing("The program's own path") }
      let home = arguments.text("--home").map { _ in context.folders.data.standardizedFileURL.path }
      let file = try UserService.install(program: program, home: home)
      terminal.line(say("Written: \(file.path)"))
      terminal.note(say("Start it now and at every login:"))
      terminal.note("  systemctl --user daemon-reload && systemctl --user enable --now \(UserService.unit)")
    case "uninstall":
      try UserService.uninstall()
      terminal.line(say("Removed: \(UserService.file.path)"))
      terminal.note("  systemctl --user disable --now \(UserService.unit)")
    case "status":
      terminal.line(UserService.isInstalled ? say("installed: \(UserService.file.path)") : say("not installed"))
    case let word: throw UsageError.unknownCommand("service \(word)")
    }
  }
}
