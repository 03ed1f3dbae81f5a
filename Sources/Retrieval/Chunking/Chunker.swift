import Core
package import Storage

/// Counts tokens as the embedder does, its special tokens included.
package typealias TokenCounter = @Sendable ([String]) async throws -> [Int]

/// Cuts blocks into chunks of whole sentences that fit the embedder's window.
///
/// A chunk's text is exactly the document's text from its start to its end; neighbours share a sentence or two. Rows of
/// tables and blocks of code stay whole as far as the window allows.
package struct Chunker: Sendable {
  /// What the embedder can see, its special tokens included.
  package var window = 256
  /// The usual size of a chunk, in tokens.
  package var target = 200
  /// How much of its end a chunk shares with the next, at most.
  package var overlap = 40
  /// Text left over under a heading that is shorter than this goes along with what came before.
  package var least = 48
  let count: TokenCounter

  package init(count: @escaping TokenCounter) { self.count = count }

  /// Something that is never divided.
  private struct Unit {
    var text: Substring.UTF8View
    var start: Int
    var end: Int
    var page: Int?
    var kind: TextBlock.Kind
    var heading: String
    var tokens = 0
    /// Of which block; units of one block are apart by what stands between them in it.
    var block: Int
  }

  /// What chunks are made of: one checkpoint's blocks. `headings` are those in force at its beginning and, afterwards, at its
  /// end.
  package struct Source: Sendable {
    package var blocks: [TextBlock]
    package var title: String
    package var headings: [Heading]

    package init(blocks: [TextBlock], title: String, headings: [Heading] = []) {
      self.blocks = blocks
      self.title = title
      self.headings = headings
    }
  }

  package func chunks(
    of blocks: [TextBlock], title: String, headings: inout [Heading]
  ) async throws -> [ChunkText] {
    var sources = [Source(blocks: blocks, title: title, headings: headings)]
    let chunks = try await chunks(of: &sources)
    headings = sources[0].headings
    return chunks[0]
  }

  /// The chunks of each source. Many small sources at once cost hardly more counting than one.
  package func chunks(of sources: inout [Source]) async throws -> [[ChunkText]] {
    try WordList.check()
    var units: [Unit] = []
    var owners: [Int] = []
    for index in sources.indices {
      let found = self.units(
        of: sources[index].blocks, title: sources[index].title, headings: &sources[index].headings)
      units += found
      owners += repeatElement(index, count: found.count)
    }
    guard !units.isEmpty else { return sources.map { _ in [] } }
    // The empty text counts the special tokens alone.
    let counts = try await count([""] + units.map { String(Substring($0.text)) })
    let specials = counts[0]
    for index in units.indices { units[index].tokens = max(1, counts[index + 1] - specials) }

    var groups: [(owner: Int, units: [Unit])] = []
    var start = 0
    while start < units.count {
      let owner = owners[start]
      let end = owners[start...].firstIndex { $0 != owner } ?? units.count
      let whole = try await divided(Array(units[start..<end]), limit: window - specials, specials: specials)
      groups += grouped(whole, limit: window - specials).map { (owner, $0) }
      start = end
    }
    return try await fitting(groups, sources, specials: specials)
  }

  /// The sum of the parts is not always the count of the whole: where it comes near the window the whole is counted, and what
  /// came out too long is halved.
  private func fitting(
    _ groups: [(owner: Int, units: [Unit])], _ sources: [Source], specials: Int
  ) async throws -> [[ChunkText]] {
    var result: [[ChunkText]] = sources.map { _ in [] }
    var waiting = groups
    var near = waiting.indices.filter { waiting[$0].units.reduce(specials) { $0 + $1.tokens } > window - Self.doubt }
    while !near.isEmpty {
      let counts = try await count(near.map { chunk(waiting[$0].units, sources[waiting[$0].owner].blocks).text })
      var halves: [Int] = []
      for (index, count) in zip(near, counts).reversed() where count > window && waiting[index].units.count > 1 {
        let (owner, units) = waiting[index]
        let middle = units.count / 2
        waiting.replaceSubrange(
          index...index, with: [(owner, Array(units[..<middle])), (owner, Array(units[middle...]))])
        halves = [index, index + 1] + halves.map { $0 + 1 }
      }
      near = halves
    }
    for (owner, units) in waiting {
      var made = chunk(units, sources[owner].blocks)
      made.tokens = units.reduce(specials) { $0 + $1.tokens }
      result[owner].append(made)
    }
    return result
  }

  /// Within so many tokens of the window a sum is not trusted.
  private static let doubt = 24

  /// A heading in force, for passing on from one checkpoint to the next.
  package struct Heading: Sendable, Equatable, Codable {
    package var level: Int
    package var text: String
    package init(level: Int, text: String) {
      self.level = level
      self.text = text
    }
  }

  // MARK: Blocks to units

  private func units(of blocks: [TextBlock], title: String, headings: inout [Heading]) -> [Unit] {
    var units: [Unit] = []
    let title = HeadingPath.part(title)
    var tableHead: String?
    for (index, block) in blocks.enumerated() {
      let text = block.text
      if block.kind == .heading {
        headings.removeAll { $0.level >= block.level }
        headings.append(Heading(level: block.level, text: HeadingPath.part(text)))
        headings = headings.suffix(HeadingPath.deepest)
      }
      if block.kind == .tableHeader { tableHead = HeadingPath.part(text) }
      if block.kind != .tableRow, block.kind != .tableHeader { tableHead = nil }
      let row = block.kind == .tableRow ? tableHead : nil
      let heading = HeadingPath.joined(title, headings.map(\.text) + (row.map { [$0] } ?? []))
      let ranges: [Range<Int>] =
        switch block.kind {
        case .paragraph, .listItem: Sentences.ranges(in: text)
        case .heading, .tableHeader, .tableRow, .code: [Self.trimmed(text)].filter { !$0.isEmpty }
        }
      for range in ranges {
        units.append(
          Unit(
            text: Self.slice(text, range), start: block.start + range.lowerBound, end: block.start + range.upperBound,
            page: block.page, kind: block.kind, heading: heading, block: index))
      }
    }
    return units
  }

  private static func slice(_ text: String, _ range: Range<Int>) -> Substring.UTF8View {
    let from = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
    let to = text.utf8.index(from, offsetBy: range.count)
    return text[from..<to].utf8
  }

  private static func trimmed(_ text: String) -> Range<Int> {
    let utf8 = Array(text.utf8)
    let blank: Set<UInt8> = [9, 10, 13, 32]
    guard let first = utf8.firstIndex(where: { !blank.contains($0) }),
      let last = utf8.lastIndex(where: { !blank.contains($0) })
    else { return 0..<0 }
    return first..<last + 1
  }

  // MARK: Measuring and dividing what is too long

  private func divided(_ units: [Unit], limit: Int, specials: Int) async throws -> [Unit] {
    var result: [Unit] = []
    for unit in units {
      try Task.checkCancellation()
      result += unit.tokens <= limit ? [unit] : try await divided(unit, limit: limit, specials: specials)
    }
    return result
  }

  /// Halves until everything fits: at a line end, else after a comma or colon, else between words, else anywhere.
  private func divided(_ unit: Unit, limit: Int, specials: Int) async throws -> [Unit] {
    let bytes = Array(unit.text)
    guard bytes.count > 1 else { return [unit] }
    let cut = Self.cut(bytes)
    var parts: [Unit] = []
    for range in [0..<cut, cut..<bytes.count] {
      let text = String(decoding: bytes[range], as: UTF8.self)
      let inner = Self.trimmed(text)
      guard !inner.isEmpty else { continue }
      var part = unit
      part.text = Self.slice(text, inner)
      part.start = unit.start + range.lowerBound + inner.lowerBound
      part.end = unit.start + range.lowerBound + inner.upperBound
      part.tokens = max(1, try await count([String(Substring(part.text))])[0] - specials)
      parts += part.tokens <= limit ? [part] : try await divided(part, limit: limit, specials: specials)
    }
    return parts
  }

  private static func cut(_ bytes: [UInt8]) -> Int {
    let middle = bytes.count / 2
    // The nearest to the middle within its half; better separators first.
    for separators in [[10], [44, 59, 58], [32, 9]] as [Set<UInt8>] {
      for distance in 0..<max(1, middle / 2 + (separators.contains(32) ? middle / 2 : 0)) {
        for place in [middle - distance, middle + distance] where place > 0 && place < bytes.count - 1 {
          if separators.contains(bytes[place]) { return place + 1 }
        }
      }
    }
    var place = max(1, middle)
    while place < bytes.count - 1, bytes[place] & 0xc0 == 0x80 { place += 1 }
    return place
  }

  // MARK: Units to chunks

  private func grouped(_ units: [Unit], limit: Int) -> [[Unit]] {
    var groups: [[Unit]] = []
    var current: [Unit] = []
    var size = 0
    /// How many units at the beginning are repeated from the chunk before.
    var shared = 0
    let target = min(self.target, limit)

    func close(sharing: Bool) {
      // A heading at the end belongs to what follows it, with those above it.
      var carried: [Unit] = []
      while current.count > shared + 1, carried.count < HeadingPath.deepest, current.last?.kind == .heading {
        carried.insert(current.removeLast(), at: 0)
      }
      if current.count > shared { groups.append(current) }
      if sharing, carried.isEmpty {
        var tail = 0
        while let unit = current.dropLast(carried.count).last, tail + unit.tokens <= overlap,
          carried.count < current.count - 1,
          unit.kind == .paragraph || unit.kind == .listItem
        {
          carried.insert(unit, at: 0)
          tail += unit.tokens
        }
        shared = carried.count
      } else {
        shared = 0
      }
      current = carried
      size = carried.reduce(0) { $0 + $1.tokens }
    }

    for (index, unit) in units.enumerated() {
      if let last = current.last {
        let apart = unit.start - last.end
        let fresh = current.count - shared
        if apart < 0 || apart > Self.widestGap {
          close(sharing: false)
          current = []
          size = 0
        } else if unit.kind == .heading, last.kind != .heading, size >= least {
          close(sharing: false)
        } else if size + unit.tokens > target, fresh > 0, !fitsAsRemainder(units, index, size, limit) {
          close(sharing: true)
        }
        // What is repeated must leave room for what is new.
        while shared > 0, size + unit.tokens > limit {
          size -= current.removeFirst().tokens
          shared -= 1
        }
      }
      current.append(unit)
      size += unit.tokens
    }
    close(sharing: false)
    if !current.isEmpty { groups.append(current) }
    return groups
  }

  /// What stands between two units (line ends, page breaks, markup) is not text; more than this is something left out.
  private static let widestGap = 64

  /// The last few words of a block rather fill the window than become a chunk of their own.
  private func fitsAsRemainder(_ units: [Unit], _ index: Int, _ size: Int, _ limit: Int) -> Bool {
    var rest = 0
    for unit in units[index...] {
      guard unit.block == units[index].block else { break }
      rest += unit.tokens
      if rest > least { return false }
    }
    return size + rest <= limit
  }

  private func chunk(_ units: [Unit], _ blocks: [TextBlock]) -> ChunkText {
    var bytes: [UInt8] = []
    var previous: Unit?
    for unit in units {
      if let previous {
        if previous.block == unit.block {
          let text = blocks[unit.block]
          bytes += Array(Self.slice(text.text, previous.end - text.start..<unit.start - text.start))
        } else {
          bytes += [UInt8](repeating: UInt8(ascii: "\n"), count: unit.start - previous.end)
        }
      }
      bytes += Array(unit.text)
      previous = unit
    }
    return ChunkText(
      pageFrom: units.compactMap(\.page).min(), pageTo: units.compactMap(\.page).max(), start: units[0].start,
      end: units[units.count - 1].end, heading: units[units.count - 1].heading,
      text: String(decoding: bytes, as: UTF8.self),
      tokens: 0)
  }
}
