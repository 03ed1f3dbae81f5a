import Core

/// A command line that cannot be carried out as typed.
enum UsageError: Explained {
  case unknownCommand(String)
  case unknownOption(String, [String])
  case repeated(String)
  case takesNoValue(String)
  case needsValue(String)
  case badValue(String, String)
  case notOneOf(String, String, [String])
  case missing(String)
  case tooMany(String)
  case noDoor
  case tooLong(Int, Int)

  var code: String { "usage" }

  var message: String {
    switch self {
    case .unknownCommand(let name): say("There is no command \"\(name)\".")
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
    case .noDoor: say("This command was not declared to enter the house.")
    }
  }

  var remedy: String? {
    let meant =
      switch self {
      case .unknownCommand(let name): Self.meant(name)
      case .unknownOption(let name, let known): Self.question(Nearest.name(to: name, among: known))
      case .notOneOf(_, let raw, let allowed): Self.question(Nearest.name(to: raw, among: allowed))
      default: ""
      }
    return meant + say("See \"libera help\".")
  }

  /// A command, or what may follow one.
  private static func meant(_ words: String) -> String {
    let parts = words.split(separator: " ", maxSplits: 1).map(String.init)
    guard let first = parts.first else { return "" }
    guard parts.count == 2, let command = Libera.commands.first(where: { $0.name == first }) else {
      return question(Nearest.name(to: words, among: Libera.commands.map { $0.name }))
    }
    let verb = parts[1].split(separator: " ").first.map(String.init) ?? ""
    return question(Nearest.name(to: verb, among: command.verbs).map { "\(first) \($0)" })
  }

  private static func question(_ meant: String?) -> String { meant.map { say("Did you mean \"\($0)\"?") + " " } ?? "" }
}
