enum CompletionsCommand: Command {
  static let name = "completions"
  static let summary = "a completion script for bash, zsh or fish"
  static let entersHouse = false
  static let usage = "bash|zsh|fish"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(1...1, "The shell's name")
    switch arguments.words[0] {
    case "bash": context.terminal.line(bash)
    case "zsh":
      context.terminal.line("autoload -Uz +X compinit bashcompinit && compinit && bashcompinit\n\(bash)")
    case "fish": context.terminal.line(fish)
    case let other: throw UsageError.notOneOf("The shell", other, ["bash", "zsh", "fish"])
    }
  }

  private static var bash: String {
    let cases = Libera.commands.map { command in
      "    \(command.name)) words=\"\((command.verbs + (command.options + Context.options).map(\.name)).joined(separator: " "))\" ;;"
    }
    return """
      _libera() {
        local words="\(Libera.commands.map { $0.name }.joined(separator: " "))"
        if [ "$COMP_CWORD" -gt 1 ]; then
          case "${COMP_WORDS[1]}" in
      \(cases.joined(separator: "\n"))
          esac
        fi
        COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
      }
      complete -o default -F _libera libera ./libera
      """
  }

  private static var fish: String {
    Libera.commands.map { command in
      let here = "complete -c libera -n '__fish_seen_subcommand_from \(command.name)'"
      let first =
        "complete -c libera -f -n __fish_use_subcommand -a \(command.name) -d '\(command.summary.escapedForFish)'"
      let verbs = command.verbs.isEmpty ? [] : ["\(here) -f -a '\(command.verbs.joined(separator: " "))'"]
      let options = (command.options + Context.options).map { option in
        let name = option.name.hasPrefix("--") ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
        return "\(here) \(name)" + (option.value == nil ? "" : " -r") + " -d '\(option.help.escapedForFish)'"
      }
      return ([first] + verbs + options).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}

extension String {
  fileprivate var escapedForFish: String {
    split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
  }
}
