enum HelpCommand: Command {
  static let name = "help"
  static let summary = "this list, or one command in detail"
  static let entersHouse = false
  static let usage = "[COMMAND]"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...1, "")
    let terminal = context.terminal
    if let name = arguments.words.first {
      guard let command = Libera.commands.first(where: { $0.name == name }) else {
        throw UsageError.unknownCommand(name)
      }
      terminal.line("libera \(command.name) \(command.usage)".trimmingSuffixSpace())
      terminal.line("  \(command.summary)\n")
      for option in command.options + Context.options { terminal.line(describe(option)) }
      return
    }
    terminal.line("LiberaGPT: reasoning over your own material, on your own device.\n")
    let width = Libera.commands.map { $0.name.count }.max() ?? 0
    for command in Libera.commands {
      terminal.line("  \(terminal.styled(command.name.padded(to: width), .bold))  \(command.summary)")
    }
    terminal.line("\nlibera help COMMAND shows its options. Everywhere: --home FOLDER, --json.")
  }

  private static func describe(_ option: Arguments.Option) -> String {
    let head = [option.name, option.value].compactMap { $0 }.joined(separator: " ")
    return "  \(head.padded(to: 22)) \(option.help)"
  }
}

extension String {
  func padded(to width: Int) -> String { count >= width ? self : self + String(repeating: " ", count: width - count) }
  func trimmingSuffixSpace() -> String { hasSuffix(" ") ? String(dropLast()) : self }
}
