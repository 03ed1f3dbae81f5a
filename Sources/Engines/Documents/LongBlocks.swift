import Documents

extension Block {
  /// What a message between processes, a row of the database and a chunk can hold with ease; a line without an end is longer.
  static let mostBytes = 64 << 10

  /// The block itself, or what it comes to when it is cut after so many bytes, at a space where one is near.
  var pieces: [Block] {
    guard text.utf8.count > Self.mostBytes else { return [self] }
    return Self.pieces(of: text[...]).map { piece in
      var block = self
      block.text = String(piece)
      return block
    }
  }

  static func pieces(of text: Substring) -> [Substring] {
    var pieces: [Substring] = []
    var rest = text
    while rest.utf8.count > mostBytes {
      let hard = rest.utf8.index(rest.startIndex, offsetBy: mostBytes)
      let near = rest.utf8.index(hard, offsetBy: -mostBytes / 8)
      let space = rest.utf8[near..<hard].lastIndex { $0 == 32 || $0 == 10 }
      // Between two characters' bytes nothing is cut.
      let end = space ?? text.unicodeScalars.index(before: text.unicodeScalars.index(after: hard))
      pieces.append(rest[..<end])
      rest = rest[(space.map { rest.utf8.index(after: $0) } ?? end)...]
    }
    return rest.isEmpty ? pieces : pieces + [rest]
  }
}
