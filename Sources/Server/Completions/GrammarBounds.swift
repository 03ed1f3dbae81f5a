/// What a grammar of a client's own (GBNF) may hold: what a schema may, which becomes one. Whether it is a grammar the worker says,
/// which also ends one that takes too long or too much memory (`TokenSampler`); this keeps away what needs no worker to be seen as too
/// much.
enum GrammarBounds {
  /// Characters of literals, sets and names that repetitions make of it.
  static let repeated = 1 << 20

  static func check(_ source: String) throws {
    guard source.utf8.count <= CompletionBounds.schemaBytes else {
      throw ServerError.unreadable("the grammar is longer than \(CompletionBounds.schemaBytes >> 10) kB")
    }
    // It is read as a text that ends with the first zero.
    guard !source.utf8.contains(0) else { throw ServerError.unreadable("the grammar has a zero in it") }
    var scan = Scan(rest: Array(source.utf8)[...])
    try scan.run()
  }

  private struct Scan {
    var rest: ArraySlice<UInt8>
    private var depth = 0
    private var parts = 0
    private var made = 0
    /// How long what stands before a repetition is.
    private var last = 1

    init(rest: ArraySlice<UInt8>) { self.rest = rest }

    mutating func run() throws {
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "#"): rest = rest.drop { $0 != UInt8(ascii: "\n") }
        case UInt8(ascii: "\""): try part(quoted(until: UInt8(ascii: "\"")))
        case UInt8(ascii: "["): try part(quoted(until: UInt8(ascii: "]")))
        case UInt8(ascii: "("):
          depth += 1
          guard depth <= CompletionBounds.schemaDepth else {
            throw ServerError.unreadable("the grammar is nested deeper than \(CompletionBounds.schemaDepth) levels")
          }
        case UInt8(ascii: ")"):
          depth = max(0, depth - 1)
          try part(1)
        case UInt8(ascii: "{"): try counts(rest.prefix { $0 != UInt8(ascii: "}") })
        case _ where Self.isName(byte):
          let name = rest.prefix(while: Self.isName)
          rest = rest.dropFirst(name.count)
          try part(1)
        default: break
        }
      }
    }

    private mutating func part(_ length: Int) throws {
      (last, parts) = (max(1, length), parts + 1)
      guard parts <= CompletionBounds.schemaValues else {
        throw ServerError.unreadable("the grammar has more than \(CompletionBounds.schemaValues) parts")
      }
    }

    private mutating func quoted(until end: UInt8) -> Int {
      let start = rest.startIndex
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "\\") { _ = rest.popFirst() } else if byte == end { break }
      }
      return rest.startIndex - start
    }

    /// "{3}", "{3,}", "{3,5}".
    private mutating func counts(_ words: ArraySlice<UInt8>) throws {
      rest = rest.dropFirst(words.count)
      for word in words.split(separator: UInt8(ascii: ",")) {
        let digits = word.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let count = Int(String(decoding: digits, as: UTF8.self)) ?? (digits.isEmpty ? 0 : nil),
          count <= CompletionBounds.repetitions
        else {
          throw ServerError.unreadable("a repetition in the grammar may be at most \(CompletionBounds.repetitions)")
        }
        made += count * last
      }
      guard made <= GrammarBounds.repeated else {
        throw ServerError.unreadable(
          "the repetitions of the grammar come to more than \(GrammarBounds.repeated) characters")
      }
    }

    private static func isName(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
