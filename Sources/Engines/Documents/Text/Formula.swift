/// A formula as TeX writes it, as one would write it in a line of text: `\frac{a}{b}` is a/b, `x^2` is x². One that is not understood
/// whole stays as it was written.
struct Formula {
  private let tokens: [String]
  private var at = 0
  private var depth = 0

  /// nil where it holds what is not known here.
  static func plain(_ tex: Substring) -> String? {
    var formula = Formula(tokens: tokens(tex))
    guard let text = formula.until([]), formula.at == formula.tokens.count else { return nil }
    return text.collapsed().replacing(" ; ", with: "; ")
  }

  /// Deeper than anybody writes.
  private static let deepest = 40

  private static func tokens(_ tex: Substring) -> [String] {
    var found: [String] = []
    var rest = tex
    while let first = rest.popFirst() {
      guard first == "\\", let next = rest.popFirst() else {
        found.append(first.isWhitespace ? " " : String(first))
        continue
      }
      var name = String(next)
      if next.isASCII, next.isLetter {
        while let more = rest.first, more.isASCII, more.isLetter { name.append(rest.removeFirst()) }
        if rest.first == "*" { name.append(rest.removeFirst()) }
      }
      found.append("\\" + name)
    }
    return found
  }

  private init(tokens: [String]) { self.tokens = tokens }

  private var next: String? { at < tokens.count ? tokens[at] : nil }

  private mutating func skipSpace() { while next == " " { at += 1 } }

  /// All up to one of these, or up to the end.
  private mutating func until(_ ends: Set<String>) -> String? {
    var text = ""
    while let token = next, !ends.contains(token) {
      guard let part = part() else { return nil }
      text += part
    }
    return text
  }

  /// What stands between braces, or the one part that comes next.
  private mutating func group(asTyped: Bool = false) -> String? {
    skipSpace()
    guard next == "{" else { return part() }
    at += 1
    guard depth < Self.deepest else { return nil }
    depth += 1
    defer { depth -= 1 }
    guard let inside = until(["}"]), next == "}" else { return nil }
    at += 1
    return asTyped ? inside : inside.collapsed()
  }

  private mutating func part() -> String? {
    guard depth < Self.deepest, let token = next else { return nil }
    depth += 1
    defer { depth -= 1 }
    at += 1
    switch token {
    case "{":
      at -= 1
      return group()
    case "}", "$", "#", "%": return nil
    case "~", "&": return " "
    case "^": return raised()
    case "_": return lowered()
    case "'": return "′"
    default: return token.hasPrefix("\\") && token.count > 1 ? command(String(token.dropFirst())) : token
    }
  }

  private mutating func command(_ name: String) -> String? {
    if let letter = FormulaSigns.letters[name] { return letter }
    if let sign = FormulaSigns.operators[name] { return " \(sign) " }
    if let gap = FormulaSigns.gaps[name] { return gap }
    if FormulaSigns.functions.contains(name) { return word(name) }
    if FormulaSigns.silent.contains(name) {
      // "\left." is a bracket that is not drawn.
      skipSpace()
      if ["left", "right"].contains(name), next == "." { at += 1 }
      return ""
    }
    if FormulaSigns.faces.contains(name) { return group(asTyped: true) }
    if let accent = FormulaSigns.accents[name] { return group().map { $0.count == 1 ? $0 + accent : $0 } }
    switch name {
    case "{", "}", "$", "%", "#", "&", "_": return name
    case "|": return "‖"
    case "\\": return "; "
    case "frac", "dfrac", "tfrac", "cfrac": return fraction()
    case "binom", "dbinom", "tbinom":
      guard let above = group(), let below = group() else { return nil }
      return "(\(above) over \(below))"
    case "sqrt": return root()
    case "mathbb": return group().map { FormulaSigns.doubled[$0] ?? $0 }
    case "pmod": return group().map { " (mod \($0))" }
    case "bmod": return " mod "
    case "tag": return group().map { " (\($0))" }
    case "label": return group().map { _ in "" }
    case "begin", "end": return environment(begins: name == "begin")
    default: return nil
    }
  }

  /// "log x", with room to the next letter.
  private func word(_ name: String) -> String {
    next.map { $0.first?.isLetter == true || $0.first?.isNumber == true } ?? false ? name + " " : name
  }

  private mutating func fraction() -> String? {
    guard let above = group(), let below = group() else { return nil }
    return Self.bracketed(above) + "/" + Self.bracketed(below)
  }

  private mutating func root() -> String? {
    skipSpace()
    var degree = ""
    if next == "[" {
      at += 1
      guard let inside = until(["]"]), next == "]" else { return nil }
      at += 1
      degree = Self.script(inside.collapsed(), FormulaSigns.raised) ?? "\(inside)-"
    }
    return group().map { degree + "√" + Self.bracketed($0) }
  }

  private mutating func raised() -> String? {
    guard let above = group() else { return nil }
    // "90^\circ"
    if above.collapsed() == "∘" { return "°" }
    if above == "′" || above == "°" { return above }
    return Self.script(above, FormulaSigns.raised) ?? "^" + Self.bracketed(above)
  }

  private mutating func lowered() -> String? {
    guard let below = group() else { return nil }
    return Self.script(below, FormulaSigns.lowered) ?? "_" + Self.bracketed(below)
  }

  private static func script(_ text: String, _ signs: [String: String]) -> String? {
    let found = text.map { signs[String($0)] }
    return found.isEmpty || found.contains(nil) ? nil : found.compactMap(\.self).joined()
  }

  /// In brackets where it would not be seen how far it goes.
  private static func bracketed(_ text: String) -> String {
    let isOne =
      text.count == 1 || text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." }
      || text.hasPrefix("(") && text.hasSuffix(")") && text.count { $0 == "(" } == 1
    return isOne && !text.isEmpty ? text : "(\(text))"
  }

  /// Rows of a matrix or of several lines stand behind each other.
  private mutating func environment(begins: Bool) -> String? {
    guard let name = group(), !name.isEmpty else { return nil }
    guard begins, name.hasSuffix("matrix") || name == "cases" else {
      // The columns of an array.
      if begins, name == "array", group() == nil { return nil }
      return ""
    }
    guard depth < Self.deepest, let inside = until(["\\end"]), next == "\\end" else { return nil }
    at += 1
    guard group() == name else { return nil }
    return name == "cases" ? "{ " + inside + " }" : "(" + inside.collapsed() + ")"
  }
}
