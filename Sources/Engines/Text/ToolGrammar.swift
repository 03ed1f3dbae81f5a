import Inference
import Workers

/// GBNF for an answer that may, or must, call functions with arguments that fit their schemas.
enum ToolGrammar {
  private static let mostCalls = 16

  static func source(_ use: ToolUse, form: ToolForm, cancelled: CancelFlag = CancelFlag()) throws -> String {
    let tools = use.callable
    guard !tools.isEmpty else { throw EngineError.grammarRefused(reason: "no function may be called") }
    var rules: [String] = []
    for (number, tool) in tools.enumerated() {
      let prefix = "f\(number)-"
      let opening = literal(form.opening + form.beforeName + tool.name + form.afterName)
      rules.append("tool-\(number) ::= \(opening) \(prefix)root \(literal(form.closing))")
      rules.append(prefixing(prefix, in: try ChatTemplate.grammar(schema: tool.schema, cancelled: cancelled)))
    }
    rules.append("call ::= " + tools.indices.map { "tool-\($0)" }.joined(separator: " | "))
    let isSeveral = use.parallel && form == .tagged
    rules.append("calls ::= call" + (isSeveral ? " (\"\\n\" call){0,\(mostCalls - 1)}" : ""))
    guard use.choice == .auto else { return root("calls", rules) }
    switch form {
    case .tagged:
      rules.append(words)
      return root("words calls?", rules)
    case .bare:
      rules.append("words ::= [^{] [\\x00-\\U0010FFFF]*")
      return root("calls | words", rules)
    }
  }

  /// Anything in which no mark begins.
  private static let words =
    #"words ::= ([^<] | "<"+ ([^t<] | "t" ([^o<] | "o" ([^o<] | "o" ([^l<] | "l" [^_<])))))*"#

  private static func root(_ body: String, _ rules: [String]) -> String {
    (["root ::= \(body)"] + rules).joined(separator: "\n") + "\n"
  }

  static func literal(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    return "\"\(escaped)\""
  }

  /// The grammar with every rule renamed, so that several can stand in one.
  static func prefixing(_ prefix: String, in grammar: String) -> String {
    var out = ""
    var rest = grammar[...]
    while let first = rest.first {
      switch first {
      case "\"": out += take(&rest, through: "\"")
      case "[": out += take(&rest, through: "]")
      case "{": out += take(&rest, through: "}")
      case "#":
        out += rest.prefix { $0 != "\n" }
        rest = rest.drop { $0 != "\n" }
      case _ where first.isASCII && first.isLetter:
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        out += prefix + name
        rest = rest[name.endIndex...]
      default:
        out.append(first)
        rest = rest.dropFirst()
      }
    }
    return out
  }

  /// A literal, a set of characters or a count, with its escapes.
  private static func take(_ rest: inout Substring, through end: Character) -> String {
    var out = String(rest.removeFirst())
    while let next = rest.popFirst() {
      out.append(next)
      if next == "\\", let escaped = rest.popFirst() {
        out.append(escaped)
      } else if next == end {
        break
      }
    }
    return out
  }
}
