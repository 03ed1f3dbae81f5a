import Foundation

/// Tells calls of functions from the words around them, while an answer is written. The grammar fixes how a call is written
/// (`ToolForm`), so nothing has to be guessed.
package struct ToolCallReader: Sendable {
  package enum Piece: Sendable, Equatable {
    case words(String)
    /// A call begins.
    case call(name: String)
    /// The next stretch of its arguments.
    case arguments(String)
  }

  private enum State {
    case words, name
    case arguments(JSONDepth)
    case closing
  }

  private let form: ToolForm
  private var state = State.words
  /// Not told yet, because it may belong to a mark.
  private var held = ""
  private var isAtStart = true

  package init(_ form: ToolForm) { self.form = form }

  package mutating func read(_ text: String) -> [Piece] {
    held += text
    var pieces: [Piece] = []
    while let piece = step() { pieces += piece }
    return pieces
  }

  /// What was held back, at the answer's end.
  package mutating func finish() -> [Piece] {
    defer { held = "" }
    guard case .words = state, !held.isEmpty else { return [] }
    return [.words(held)]
  }

  /// nil where more text is needed.
  private mutating func step() -> [Piece]? {
    switch state {
    case .words: form == .tagged ? beforeMark() : beforeBareCall()
    case .name: name()
    case .arguments(let depth): arguments(depth)
    case .closing: closing()
    }
  }

  private mutating func beforeMark() -> [Piece]? {
    if let mark = held.range(of: ToolForm.mark) {
      let words = held[..<mark.lowerBound].trimmingEnd
      held.removeSubrange(..<mark.upperBound)
      state = .name
      return words.isEmpty ? [] : [.words(String(words))]
    }
    // The end may be the mark's beginning, or the space before it.
    let before = held.suffix { ToolForm.mark.hasPrefix($0) }?.startIndex ?? held.endIndex
    let words = held[..<before].trimmingEnd
    guard !words.isEmpty else { return nil }
    let told = String(words)
    held = String(held[words.endIndex...])
    return [.words(told)]
  }

  private mutating func beforeBareCall() -> [Piece]? {
    guard !held.isEmpty else { return nil }
    if isAtStart, held.first == "{" {
      state = .name
      return []
    }
    isAtStart = false
    defer { held = "" }
    return [.words(held)]
  }

  private mutating func name() -> [Piece]? {
    guard let before = held.range(of: form.beforeName),
      let after = held.range(of: form.afterName, range: before.upperBound..<held.endIndex)
    else { return nil }
    let name = String(held[before.upperBound..<after.lowerBound])
    held.removeSubrange(..<after.upperBound)
    state = .arguments(JSONDepth())
    return [.call(name: name)]
  }

  private mutating func arguments(_ depth: JSONDepth) -> [Piece]? {
    guard !held.isEmpty else { return nil }
    var depth = depth
    var taken = held.startIndex
    while taken < held.endIndex {
      let isLast = depth.closes(held[taken])
      taken = held.index(after: taken)
      if isLast {
        state = .closing
        break
      }
    }
    if case .arguments = state { state = .arguments(depth) }
    let text = String(held[..<taken])
    held.removeSubrange(..<taken)
    return [.arguments(text)]
  }

  private mutating func closing() -> [Piece]? {
    let end = form == .tagged ? "</tool_call>" : "}"
    guard let found = held.range(of: end) else { return nil }
    held.removeSubrange(..<found.upperBound)
    state = .words
    isAtStart = false
    return []
  }
}

/// Where a JSON object ends.
private struct JSONDepth: Sendable {
  private var depth = 0
  private var isInText = false
  private var isEscaped = false

  /// True for the brace that ends the whole.
  mutating func closes(_ character: Character) -> Bool {
    if isInText {
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isInText = false
      }
      return false
    }
    switch character {
    case "\"": isInText = true
    case "{", "[": depth += 1
    case "}", "]":
      depth -= 1
      return depth == 0
    default: break
    }
    return false
  }
}

extension Substring {
  fileprivate var trimmingEnd: Substring {
    var end = endIndex
    while end > startIndex, self[index(before: end)].isWhitespace { end = index(before: end) }
    return self[..<end]
  }
}

extension String {
  /// The longest end of the text that fits.
  fileprivate func suffix(_ fits: (Substring) -> Bool) -> Substring? {
    var start = index(endIndex, offsetBy: -Swift.min(count, ToolForm.mark.count - 1))
    while start < endIndex {
      if fits(self[start...]) { return self[start...] }
      start = index(after: start)
    }
    return nil
  }
}
