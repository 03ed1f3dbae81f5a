import Foundation

/// Reads the part of GBNF that `frame.gbnf` uses and says whether a text conforms, by trying every way.
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

  package init(_ text: String) {
    for line in text.split(separator: "\n") where line.contains("::=") {
      let halves = line.components(separatedBy: "::=")
      var reader = Reader(Array(halves[1].unicodeScalars))
      rules[halves[0].filter { !$0.isWhitespace }] = reader.choice()
    }
  }

  package func accepts(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    return ends(.rule("root"), scalars, 0).contains(scalars.count)
  }

  private func ends(_ node: Node, _ text: [Unicode.Scalar], _ at: Int) -> Set<Int> {
    switch node {
    case .literal(let wanted):
      return text[at...].starts(with: wanted) ? [at + wanted.count] : []
    case .set(let ranges, let negated):
      guard at < text.count else { return [] }
      return ranges.contains { $0.contains(text[at].value) } != negated ? [at + 1] : []
    case .rule(let name): return rules[name].map { ends($0, text, at) } ?? []
    case .choice(let nodes): return nodes.reduce(into: []) { $0.formUnion(ends($1, text, at)) }
    case .sequence(let nodes):
      return nodes.reduce([at]) { places, node in places.reduce(into: Set()) { $0.formUnion(ends(node, text, $1)) } }
    case .repeated(let node, let least, let most):
      var found: Set<Int> = least == 0 ? [at] : []
      var front: Set<Int> = [at]
      var count = 0
      while !front.isEmpty, count < most {
        count += 1
        front = front.reduce(into: Set()) { $0.formUnion(ends(node, text, $1)) }.filter { !found.contains($0) }
        if count >= least { found.formUnion(front) }
      }
      return found
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
