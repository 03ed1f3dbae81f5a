import Core

/// The rules over one utterance: each `…(at:)` function lists what may begin at a token and where it ends. Results are
/// remembered per token, and the number of combinations tried is bounded, so hostile input costs no more than long input.
final class Grammar {
  let tokens: [Token]
  let context: GrammarContext
  let language: Language
  var clockMemo: [Int: [Hit<Clock>]] = [:]
  var atomMemo: [Int: [Hit<Moment>]] = [:]
  var momentMemo: [Int: [Hit<Moment>]] = [:]
  var steps = 0

  init(_ tokens: [Token], _ context: GrammarContext, _ language: Language) {
    self.tokens = tokens
    self.context = context
    self.language = language
  }

  func token(_ index: Int) -> Token? { tokens.indices.contains(index) ? tokens[index] : nil }

  /// The word at a token, or nothing past the ends.
  func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

  func isNumber(_ index: Int, digits: ClosedRange<Int> = 1...9) -> Bool {
    guard let token = token(index) else { return false }
    return token.kind == .number && digits.contains(token.digits)
  }

  func glued(_ index: Int) -> Bool { token(index)?.glued ?? false }

  func words(_ index: Int) -> WordSet { tokens.indices.contains(index) ? tokens[index].words : [] }

  func has(_ index: Int, _ word: WordRole) -> Bool { words(index).contains(word) }

  /// Whether it is a word of one of these kinds.
  func has(_ index: Int, _ kinds: WordSet) -> Bool { words(index).meets(kinds) }

  func skip(_ index: Int, _ word: WordRole) -> Int { has(index, word) ? index + 1 : index }

  /// The longest phrase of a kind that begins at a token.
  func phrase(_ kind: Language.Plain, at index: Int) -> (payload: Bool, end: Int)? {
    language.plain[kind]?.longest(tokens, at: index)
  }

  /// Skips one of these words.
  func skip(_ index: Int, _ kinds: WordSet) -> Int { has(index, kinds) ? index + 1 : index }
}

/// What an utterance is understood against.
struct GrammarContext {
  /// Local seconds since 1970 at the reference moment.
  var now: Int
  /// 3/4 is the third of April.
  var dayFirst: Bool
  /// The utterance speaks of something that people do in the evening.
  var isEvening = false
  /// What is asked for mostly is in the morning.
  var isMorning = false
  /// Moves a local time by elapsed seconds, across changes of the clocks.
  var elapse: (Int, Int) -> Int
  /// Seconds east of Greenwich at a local time.
  var offset: (Int) -> Int

  var today: Int { Civil.floorDiv(now, Civil.secondsPerDay) }
}
