import Core

/// A command line that cannot be carried out as typed.
enum UsageError: Explained {
  case unknownCommand(String)
  /// Neither a command nor a code of an error.
  case unknownTopic(String, [String])
  case unknownOption(String, [String])
  case repeated(String)
  case takesNoValue(String)
  case needsValue(String)
  case badValue(String, String)
  case notOneOf(String, String, [String])
  case missing(String)
  case tooMany(String)
  /// A file that would be written over.
  case isThere(String)
  case noDoor
  case tooLong(Int, Int)

  var code: String { "usage" }

  var message: String {
    switch self {
    case .unknownCommand(let name), .unknownTopic(let name, _): say("There is no command \"\(name)\".")
    case .unknownOption(let name, _): say("There is no option \(name) here.")
    case .repeated(let name): say("\(name) is given more than once.")
    case .takesNoValue(let name): say("\(name) takes no value.")
    case .needsValue(let name): say("\(name) needs a value.")
    case .badValue(let name, let raw): say("\(told(name)) cannot be \"\(raw)\".")
    case .notOneOf(let name, let raw, let allowed):
      say("\(told(name)) cannot be \"\(raw)\"; it is \(allowed.joined(separator: ", \(say("or")) ")).")
    case .missing(let what): say("\(told(what)) is missing.")
    case .tooMany(let word): say("\"\(word)\" is one word too many.")
    case .tooLong(let bytes, let most): say("A line of the input has \(bytes) bytes; at most \(most) are read.")
    case .isThere(let path): say("\(path) is there already; nothing was written.")
    case .noDoor: say("This command was not declared to enter the house.")
    }
  }

  var remedy: String? {
    let meant =
      switch self {
      case .unknownCommand(let name): Self.meant(name)
      case .unknownTopic(let name, let known), .unknownOption(let name, let known):
        Self.question(Nearest.name(to: name, among: known))
      case .notOneOf(_, let raw, let allowed): Self.question(Nearest.name(to: raw, among: allowed))
      default: ""
      }
    // What a command takes stands with it; which commands there are, in the list.
    let typed = Libera.typedWords().lazy.compactMap { word in Libera.commands.first { $0.name == word } }.first
    guard let command = typed, command.name != HelpCommand.name else { return meant + say("See \"libera help\".") }
    return meant + say("See \"libera help \(command.name)\".")
  }

  /// A command, or what may follow one.
  private static func meant(_ words: String) -> String {
    let parts = words.split(separator: " ", maxSplits: 1).map(String.init)
    guard let first = parts.first else { return "" }
    guard parts.count == 2, let command = Libera.commands.first(where: { $0.name == first }) else {
      // "libera undo": what only one command does.
      let doing = Libera.commands.filter { $0.name != HelpCommand.name && $0.verbs.contains(first) }
      if doing.count == 1 { return question("\(doing[0].name) \(first)") }
      return question(Nearest.name(to: words, among: Libera.commands.map { $0.name }))
    }
    let verb = parts[1].split(separator: " ").first.map(String.init) ?? ""
    return question(Nearest.name(to: verb, among: command.verbs).map { "\(first) \($0)" })
  }

  private static func question(_ meant: String?) -> String { meant.map { say("Did you mean \"\($0)\"?") + " " } ?? "" }
}
