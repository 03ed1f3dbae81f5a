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
    case .unknownCommand(let name): "There is no command \"\(name)\"."
    case .unknownOption(let name, _): "There is no option \(name) here."
    case .repeated(let name): "\(name) is given more than once."
    case .takesNoValue(let name): "\(name) takes no value."
    case .needsValue(let name): "\(name) needs a value."
    case .badValue(let name, let raw): "\(name) cannot be \"\(raw)\"."
    case .notOneOf(let name, let raw, let allowed):
      "\(name) cannot be \"\(raw)\"; it is \(allowed.joined(separator: ", or "))."
    case .missing(let what): "\(what) is missing."
    case .tooMany(let word): "\"\(word)\" is one word too many."
    case .tooLong(let bytes, let most): "A line of the input has \(bytes) bytes; at most \(most) are read."
    case .noDoor: "This command was not declared to enter the house."
    }
  }

  var remedy: String? {
    let meant =
      switch self {
      case .unknownCommand(let name): Self.meant(name)
      case .unknownOption(let name, let known): Nearest.question(name, among: known)
      case .notOneOf(_, let raw, let allowed): Nearest.question(raw, among: allowed)
      default: ""
      }
    return meant + "See \"libera help\"."
  }

  /// A command, or what may follow one.
  private static func meant(_ words: String) -> String {
    let parts = words.split(separator: " ", maxSplits: 1).map(String.init)
    guard let first = parts.first else { return "" }
    guard parts.count == 2, let command = Libera.commands.first(where: { $0.name == first }) else {
      return Nearest.question(words, among: Libera.commands.map { $0.name })
    }
    let verb = parts[1].split(separator: " ").first.map(String.init) ?? ""
    return Nearest.name(to: verb, among: command.verbs).map { "Did you mean \"\(first) \($0)\"? " } ?? ""
  }
}
