/// Tells what a model thinks from what it answers. Models that think aloud do so before they answer, between two marks that their
/// chat template knows too; anywhere else the same words are words.
struct Thoughts {
  struct Marks: Equatable {
    var opening: String
    var closing: String

    /// Those that families of models use.
    private static let all = ["think", "thinking", "thought", "reasoning", "seed:think"].map {
      Marks(opening: "<\($0)>", closing: "</\($0)>")
    }

    /// The marks that a template speaks of.
    static func known(to template: String) -> Marks? { all.first { template.contains($0.closing) } }
  }

  private enum State { case beginning, thinking, answering }

  private let opening: [UInt8]
  private let closing: [UInt8]
  private var state: State
  private var held: [UInt8] = []
  /// Space before the answer, of an answer that has not begun, is no part of it.
  private var isAtStart = true

  /// `isOpen`: the prompt itself ends in the opening mark.
  init(_ marks: Marks, isOpen: Bool) {
    (opening, closing) = (Array(marks.opening.utf8), Array(marks.closing.utf8))
    state = isOpen ? .thinking : .beginning
  }

  /// `prompt`: what it ends in. Some templates open the thoughts themselves.
  init(_ marks: Marks, after prompt: ChatTemplate.Part?) {
    var isOpen = false
    if case .template(let text)? = prompt {
      isOpen = text.reversed().drop(while: \.isWhitespace).starts(with: marks.opening.reversed())
    }
    self.init(marks, isOpen: isOpen)
  }

  var isThinking: Bool { state == .thinking }

  /// What can be told of a text's next piece. Held back: what may yet become a mark.
  mutating func read(_ text: [UInt8]) -> (thought: [UInt8], answer: [UInt8]) {
    held += text
    var thought: [UInt8] = []
    if state == .beginning { begin() }
    if state == .thinking {
      if let end = held.firstRange(of: closing) {
        thought = Array(held[..<end.lowerBound])
        held.removeSubrange(..<end.upperBound)
        state = .answering
      } else {
        let ready = held.count - Self.beginning(of: closing, in: held)
        thought = Array(held[..<ready])
        held.removeFirst(ready)
      }
    }
    return (thought, state == .answering ? answer() : [])
  }

  /// What was held back when the text ended.
  mutating func finish() -> (thought: [UInt8], answer: [UInt8]) {
    defer { held = [] }
    return state == .thinking ? (held, []) : ([], held)
  }

  private mutating func begin() {
    let words = held.drop(while: Self.isSpace)
    if words.starts(with: opening) {
      held = Array(words.dropFirst(opening.count))
      state = .thinking
    } else if !opening.starts(with: words) {
      state = .answering
      isAtStart = false
    }
  }

  private mutating func answer() -> [UInt8] {
    defer { held = [] }
    guard isAtStart else { return held }
    let words = Array(held.drop(while: Self.isSpace))
    isAtStart = words.isEmpty
    return words
  }

  /// How many bytes at the end are the beginning of a mark.
  private static func beginning(of mark: [UInt8], in text: [UInt8]) -> Int {
    (1..<mark.count).last { $0 <= text.count && text.suffix($0).elementsEqual(mark.prefix($0)) } ?? 0
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
