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
        let names = report.checks.map { told($0.name) }
        let width = names.map(\.count).max() ?? 0
        let marks = [say("ok"), say("warning"), say("problem")]
        let margin = marks.map(\.count).max() ?? 0
        for (name, check) in zip(names, report.checks) {
          let (mark, style): (String, Terminal.Style) =
            switch check.state {
            case .ok: (marks[0], .quiet)
            case .warning: (marks[1], .warning)
            case .problem: (marks[2], .problem)
            }
          let shown = terminal.styled(mark.padded(to: margin), style)
          terminal.line("\(shown)  \(name.padded(to: width))  \(told(check.detail))")
          if let remedy = check.remedy {
            terminal.line("\("".padded(to: margin + width + 4))→ \(told(remedy))")
          }
        }
      }
    }
  }
}
