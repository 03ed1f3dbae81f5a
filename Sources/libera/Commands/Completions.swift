import Core

enum CompletionsCommand: Command {
  static let name = "completions"
  static let summary = "a completion script for bash, zsh or fish"
  static let examples = [
    "libera completions bash >> ~/.bashrc", "libera completions fish > ~/.config/fish/completions/libera.fish",
  ]
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

  /// Names that only the data folder knows, asked for when they are wanted.
  private enum Kept: String, CaseIterable {
    case packs, collections, documents

    /// The field of `libera packs|collections|documents list --json` that holds the name.
    var field: String {
      switch self {
      case .packs: "id"
      case .collections: "collection"
      case .documents: "document"
      }
    }
    private var option: String? {
      switch self {
      case .packs: "--pack"
      case .collections: "--collection"
      case .documents: nil
      }
    }

    /// The words after which one is expected: a command and its option or verb.
    var places: [(command: String, word: String)] {
      let options = Libera.commands.flatMap { command in
        command.options.filter { $0.name == option }.map { (command.name, $0.name) }
      }
      switch self {
      case .packs:
        let verbs = ["show", "pull", "fit", "remove", "verify", "smoke"].map { (PacksCommand.name, $0) }
        let settings = [(SettingsCommand.name, "pack"), (SettingsCommand.name, "deepPack")]
        return options + verbs + settings + [(TuneCommand.name, TuneCommand.name)]
      case .collections: return options + [(CollectionsCommand.name, "remove")]
      case .documents: return ["text", "thread", "remove"].map { (DocumentsCommand.name, $0) }
      }
    }
  }

  private static var bash: String {
    func quoted(_ words: [String]) -> String { "words=\"\(words.joined(separator: " "))\" ;;" }
    let cases = Libera.commands.map { command in
      "    \(command.name)) \(quoted(command.verbs + (command.options + Context.options).map(\.name)))"
    }
    let chosen = Libera.commands.flatMap { command in
      (command.options + Context.options).filter { !$0.choices.isEmpty }.map { option in
        "    \(command.name).\(option.name)) \(quoted(option.choices))"
      }
    }
    let kept = Kept.allCases.map { kept in
      "    \(kept.places.map { "\($0.command).\($0.word)" }.joined(separator: "|"))) list=\(kept.rawValue) field=\(kept.field) ;;"
    }
    // Names are never expanded by the shell: whoever named a collection or a pack gives it no orders.
    return """
      _libera() {
        local words="\(Libera.commands.map { $0.name }.joined(separator: " "))" list= field= name
        local typed="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
        if [ "$COMP_CWORD" -gt 1 ]; then
          case "${COMP_WORDS[1]}" in
      \(cases.joined(separator: "\n"))
          esac
          case "${COMP_WORDS[1]}.$before" in
      \(chosen.joined(separator: "\n"))
          settings.get|settings.set) \(quoted(SettingRule.all.map(\.name)))
      \(kept.joined(separator: "\n"))
          esac
          case "${COMP_WORDS[1]}.${COMP_WORDS[2]}.$before" in
      \(settings.map { "    settings.set.\($0.name)) \(quoted($0.values))" }.joined(separator: "\n"))
          esac
        fi
        COMPREPLY=($(compgen -W "$words" -- "$typed"))
        [ -n "$list" ] || return 0
        [ "$before" = tune ] || COMPREPLY=()
        while IFS= read -r name; do
          name="$(printf %q "$name")"
          case "$name" in "$typed"*) COMPREPLY+=("$name") ;; esac
        done < <("${COMP_WORDS[0]}" "$list" list --json 2>/dev/null | sed -n 's/.*"'$field'":"\\([^"]*\\)".*/\\1/p')
      }
      complete -o default -F _libera libera ./libera
      """
  }

  /// What a setting may be, where that is one of a few.
  private static var settings: [(name: String, values: [String])] {
    SettingRule.all.compactMap { rule in
      switch rule.kind {
      case .choice(let choices): (rule.name, choices + (rule.isOptional ? ["null"] : []))
      case .flag: (rule.name, ["true", "false"])
      default: nil
      }
    }
  }

  private static var fish: String {
    let names = """
      function __libera_names
        command libera $argv[1] list --json 2>/dev/null | string replace -rf '.*"'$argv[2]'":"([^"]*)".*' '$1'
      end
      """
    func asked(_ kept: Kept) -> String { "(__libera_names \(kept.rawValue) \(kept.field))" }
    let commands = Libera.commands.flatMap { command in
      let here = "complete -c libera -n '__fish_seen_subcommand_from \(command.name)'"
      let first =
        "complete -c libera -f -n __fish_use_subcommand -a \(command.name) -d '\(command.summary.escapedForFish)'"
      let verbs = command.verbs.isEmpty ? [] : ["\(here) -f -a '\(command.verbs.joined(separator: " "))'"]
      let options = (command.options + Context.options).map { option in
        let name = option.name.hasPrefix("--") ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
        let kept = Kept.allCases.first { $0.places.contains { $0 == (command.name, option.name) } }
        let offered = kept.map(asked) ?? option.choices.joined(separator: " ")
        let value = option.value == nil ? "" : offered.isEmpty ? " -r" : " -x -a '\(offered)'"
        return "\(here) \(name)\(value) -d '\(option.help.escapedForFish)'"
      }
      return [first] + verbs + options
    }
    func after(_ command: String, _ words: [String], _ offered: String) -> String {
      "complete -c libera -f -n '__fish_seen_subcommand_from \(command); and __fish_prev_arg_in \(words.joined(separator: " "))' -a '\(offered)'"
    }
    let kept = Kept.allCases.flatMap { kept in
      kept.places.filter { !$0.word.hasPrefix("-") }.map { after($0.command, [$0.word], asked(kept)) }
    }
    let set =
      [after(SettingsCommand.name, ["get", "set"], SettingRule.all.map(\.name).joined(separator: " "))]
      + settings.map { after(SettingsCommand.name, [$0.name], $0.values.joined(separator: " ")) }
    return ([names] + commands + kept + set).joined(separator: "\n")
  }
}

extension String {
  fileprivate var escapedForFish: String {
    split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
  }
}
