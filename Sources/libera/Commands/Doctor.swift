import Assistant
import Core

enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "what is present, sealed and fitting, and how to mend what is not"
  static let examples = ["libera doctor"]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    let (terminal, door) = (context.terminal, try await context.door())
    for try await report in door.call(Doctor.self, Nothing()) {
      try context.show(report) {
        let width = report.checks.map(\.name.count).max() ?? 0
        for check in report.checks {
          let (mark, style): (String, Terminal.Style) =
            switch check.state {
            case .ok: ("ok     ", .quiet)
            case .warning: ("warning", .warning)
            case .problem: ("problem", .problem)
            }
          terminal.line("\(terminal.styled(mark, style))  \(check.name.padded(to: width))  \(check.detail)")
          if let remedy = check.remedy { terminal.line("         \("".padded(to: width))  → \(remedy)") }
        }
      }
    }
  }
}
