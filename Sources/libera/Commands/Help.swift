import Core
import Foundation

enum HelpCommand: Command {
  static let name = "help"
  static let summary = "this list, one command in detail, or what helps where an error names its code"
  static let examples = ["libera help ask", "libera help hash_mismatch", "libera help troubles"]
  static let entersHouse = false
  static let usage = "[COMMAND | CODE | troubles]"
  static var verbs: [String] { Libera.commands.map { $0.name } + ["troubles"] }

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    // "libera help packs pull": what a command does with its verbs stands with it.
    let verbs = Libera.commands.first { $0.name == arguments.words.first }?.verbs ?? []
    let takesVerb = arguments.words.count > 1 && verbs.contains(arguments.words[1])
    try arguments.only(0...(takesVerb ? 2 : 1), "")
    let terminal = context.terminal
    if let name = arguments.words.first {
      guard let command = Libera.commands.first(where: { $0.name == name }) else {
        return try explain(name, context)
      }
      terminal.line("libera \(command.name) \(command.usage)".trimmingSuffixSpace())
      terminal.line("  \(told(command.summary))\n")
      for option in command.options + Context.options { terminal.line(describe(option)) }
      terminal.line("\n" + say("Examples:"))
      for example in command.examples { terminal.line("  \(example)") }
      return
    }
    terminal.line(say("LiberaGPT: reasoning over your own material, on your own device.") + "\n")
    let width = Libera.commands.map { $0.name.count }.max() ?? 0
    for command in Libera.commands {
      terminal.line("  \(terminal.styled(command.name.padded(to: width), .bold))  \(told(command.summary))")
    }
    terminal.line("\n" + say("libera help COMMAND shows its options. Everywhere: --home FOLDER, --json."))
  }

  /// A code that an error has named, or all that is known to go wrong.
  private static func explain(_ name: String, _ context: Context) throws {
    let troubles = try Troubles(of: Installation(), in: Tongue.current.language)
    let found =
      name == "troubles" ? troubles.entries.filter { !$0.text.isEmpty } : [troubles.entry(for: name)].compactMap(\.self)
    if found.isEmpty {
      guard troubles.entries.contains(where: { $0.codes.contains(name) }) else {
        throw UsageError.unknownTopic(name, Libera.commands.map { $0.name } + troubles.entries.flatMap(\.codes))
      }
      let own = Tongue.current.told(ofCode: name).map { $0.joined(separator: "\n") + "\n\n" } ?? ""
      return context.terminal.line(
        own + say("\(name): all that is known of it is said with the error itself."))
    }
    if context.json { return context.terminal.line(try JSON.line(["troubles": found])) }
    if let own = Tongue.current.told(ofCode: name) { context.terminal.line(own.joined(separator: "\n") + "\n") }
    let texts = found.map { "\(context.terminal.styled($0.title, .bold))\n\($0.text)\n" }
    context.terminal.line(texts.joined(separator: "\n").trimmingCharacters(in: .newlines))
  }

  private static func describe(_ option: Arguments.Option) -> String {
    let head = [option.name, option.value].compactMap { $0 }.joined(separator: " ")
    return "  \(head.padded(to: 22)) \(told(option.help))"
  }
}

extension String {
  func padded(to width: Int) -> String { count >= width ? self : self + String(repeating: " ", count: width - count) }
  func trimmingSuffixSpace() -> String { hasSuffix(" ") ? String(dropLast()) : self }
}
