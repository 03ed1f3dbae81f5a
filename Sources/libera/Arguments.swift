/// What a command accepts, and what it was given. Unknown, repeated or half-given options are errors, never guesses.
struct Arguments {
  struct Option {
    let name: String
    /// The placeholder of its value; nil for a flag.
    let value: String?
    let help: String
    /// What the value may be, where it is one of a few.
    var choices: [String] = []

    static func flag(_ name: String, _ help: String) -> Option { Option(name: name, value: nil, help: help) }
    static func value(_ name: String, _ placeholder: String, _ help: String) -> Option {
      let choices = placeholder.contains("|") ? placeholder.split(separator: "|").map(String.init) : []
      return Option(name: name, value: placeholder, help: help, choices: choices)
    }
    /// The choices stand in the help, where there are too many for the placeholder.
    func among<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) -> Option where Value.RawValue == String {
      Option(name: name, value: value, help: help, choices: type.allCases.map(\.rawValue))
    }
  }

  private(set) var words: [String] = []
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  init(_ raw: some Sequence<String>, accepting options: [Option]) throws {
    var rest = Array(raw)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        words += rest
        return
      }
      guard word.hasPrefix("-"), word != "-", !word.dropFirst().allSatisfy({ $0.isNumber || $0 == "." }) else {
        words.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        throw UsageError.unknownOption(parts[0], options.map(\.name))
      }
      guard !flags.contains(option.name), values[option.name] == nil else { throw UsageError.repeated(option.name) }
      if option.value == nil {
        guard parts.count == 1 else { throw UsageError.takesNoValue(option.name) }
        flags.insert(option.name)
      } else {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
          throw UsageError.needsValue(option.name)
        }
        values[option.name] = value
      }
    }
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  func text(_ name: String) -> String? { values[name] }

  func value<Value: LosslessStringConvertible>(_ name: String, as type: Value.Type) throws -> Value? {
    guard let raw = values[name] else { return nil }
    guard let value = Value(raw) else { throw UsageError.badValue(name, raw) }
    return value
  }

  func choice<Value: RawRepresentable & CaseIterable>(_ name: String, of type: Value.Type) throws -> Value?
  where Value.RawValue == String {
    guard let raw = values[name] else { return nil }
    guard let value = Value(rawValue: raw) else {
      throw UsageError.notOneOf(name, raw, type.allCases.map(\.rawValue))
    }
    return value
  }

  func only(_ range: ClosedRange<Int>, _ what: String) throws {
    guard range.contains(words.count) else {
      throw words.count < range.lowerBound ? UsageError.missing(what) : UsageError.tooMany(words[range.upperBound])
    }
  }
}
