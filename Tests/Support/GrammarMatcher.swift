import Foundation

/// Reads the part of GBNF that `docs/frame.gbnf` uses and says whether a text conforms, by trying every way.
package struct GrammarMatcher: Sendable {
  indirect enum Node: Sendable {
    case literal([Unicode.Scalar])
    case set([ClosedRange<UInt32>], negated: Bool)
    case rule(String)
    case sequence([Node])
    case choice([Node])
    case repeated(Node, least: Int, most: Int)
  }

  private var rules: [String: Node] = [:]

  /// What every frame of a command is to be.
  package static func ofFrames() throws -> GrammarMatcher {
    GrammarMatcher(try Checkout.text("docs/frame.gbnf"))
  }

  package init(_ text: String) {
    for line in text.split(separator: "\n") where line.contains("::=") {
      let halves = line.components(separatedBy: "::=")
      var reader = Reader(Array(halves[1].unicodeScalars))
      rules[halves[0].filter { !$0.isWhitespace }] = reader.choice()
    }
  }

  package func accepts(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    var ends: [Int] = []
    add(.rule("root"), scalars, 0, to: &ends)
    return ends.contains(scalars.count)
  }

  /// Where what conforms from `at` on may end. Nearly always there is one place: sets of places would cost more than all the rest.
  private func add(_ node: Node, _ text: [Unicode.Scalar], _ at: Int, to ends: inout [Int]) {
    switch node {
    case .literal(let wanted):
      guard at + wanted.count <= text.count, wanted.indices.allSatisfy({ text[at + $0] == wanted[$0] }) else { return }
      if !ends.contains(at + wanted.count) { ends.append(at + wanted.count) }
    case .set(let ranges, let negated):
      guard at < text.count, ranges.contains(where: { $0.contains(text[at].value) }) != negated else { return }
      if !ends.contains(at + 1) { ends.append(at + 1) }
    case .rule(let name): if let node = rules[name] { add(node, text, at, to: &ends) }
    case .choice(let nodes): for node in nodes { add(node, text, at, to: &ends) }
    case .sequence(let nodes):
      var places = [at]
      for node in nodes where !places.isEmpty {
        var next: [Int] = []
        for place in places { add(node, text, place, to: &next) }
        places = next
      }
      for place in places where !ends.contains(place) { ends.append(place) }
    case .repeated(let node, let least, let most):
      var seen = [Bool](repeating: false, count: text.count + 1)
      for place in ends { seen[place] = true }
      var (front, found, count) = ([at], [Bool](repeating: false, count: text.count + 1), 0)
      func take(_ place: Int) {
        found[place] = true
        if !seen[place] { ends.append(place) }
        seen[place] = true
      }
      if least == 0 { take(at) }
      while !front.isEmpty, count < most {
        count += 1
        var next: [Int] = []
        for place in front { add(node, text, place, to: &next) }
        front = next.filter { !found[$0] }
        if count >= least { front.forEach(take) }
      }
    }
  }

  private struct Reader {
    var text: [Unicode.Scalar]
    var at = 0

    init(_ text: [Unicode.Scalar]) { self.text = text }

    mutating func skip() { while at < text.count, text[at] == " " { at += 1 } }

    mutating func choice() -> Node {
      var options = [sequence()]
      skip()
      while at < text.count, text[at] == "|" {
        at += 1
        options.append(sequence())
        skip()
      }
      return .choice(options)
    }

    mutating func sequence() -> Node {
      var nodes: [Node] = []
      skip()
      while at < text.count, text[at] != "|", text[at] != ")" {
        var node = item()
        while at < text.count, ["?", "*", "+"].contains(text[at]) {
          node = .repeated(node, least: text[at] == "+" ? 1 : 0, most: text[at] == "?" ? 1 : .max)
          at += 1
        }
        nodes.append(node)
        skip()
      }
      return .sequence(nodes)
    }

    mutating func item() -> Node {
      switch text[at] {
      case "(":
        at += 1
        let inner = choice()
        at += 1
        return inner
      case "\"":
        at += 1
        var scalars: [Unicode.Scalar] = []
        while text[at] != "\"" { scalars.append(scalar()) }
        at += 1
        return .literal(scalars)
      case "[":
        at += 1
        let negated = text[at] == "^"
        if negated { at += 1 }
        var ranges: [ClosedRange<UInt32>] = []
        while text[at] != "]" {
          let first = scalar().value
          if text[at] == "-" {
            at += 1
            ranges.append(first...scalar().value)
          } else {
            ranges.append(first...first)
          }
        }
        at += 1
        return .set(ranges, negated: negated)
      default:
        var name = ""
        while at < text.count, text[at].properties.isAlphabetic || text[at] == "-" {
          name.unicodeScalars.append(text[at])
          at += 1
        }
        return .rule(name)
      }
    }

    mutating func scalar() -> Unicode.Scalar {
      defer { at += 1 }
      guard text[at] == "\\" else { return text[at] }
      at += 1
      guard text[at] == "x" else { return text[at] }
      let digits = String(String.UnicodeScalarView(text[(at + 1)...(at + 2)]))
      at += 2
      return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? " "
    }
  }
}
