import Documents
import Foundation

/// What a document's type sizes say about it: the size of running text and those of its headings, from a few sampled pages
/// so that every page is judged alike, also when an import resumes in the middle.
struct TypeProfile {
  private(set) var body = 10.0
  /// Everything is set in a typewriter face, so the face does not tell code.
  private(set) var isMono = false
  private var headings: [Double] = []

  init(_ pages: [[Line]]) {
    var counts: [Double: Int] = [:]
    for line in pages.joined() { counts[Self.rounded(line.size), default: 0] += line.characters }
    let total = counts.values.reduce(0, +)
    guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return }
    body = most.key
    isMono = pages.joined().reduce(0) { $0 + ($1.mono ? $1.characters : 0) } * 2 > total
    // There are no more levels, and a page may have a hundred thousand sizes.
    let largest = counts.filter { $0.key >= body * 1.12 && $0.value * 5 <= total }.keys.sorted(by: >)
    headings = Array(largest.prefix(6))
  }

  private static func rounded(_ size: Double) -> Double { (size * 2).rounded() / 2 }

  /// The level of a heading of this size; nil for the size of running text.
  func level(_ line: Line) -> Int? {
    let size = Self.rounded(line.size)
    if size >= body * 1.12 { return min(6, 1 + headings.count { $0 > size }) }
    return line.bold && size >= body * 0.95 ? min(6, headings.count + 1) : nil
  }
}

/// Lines in reading order become blocks: what belongs together by distance, indent, size and weight.
struct BlockBuilder {
  let profile: TypeProfile
  private var blocks: [Block] = []
  private var open: [Line] = []
  private var leading: [Int: Double] = [:]
  private var margins: [Int: (left: Double, right: Double)] = [:]

  static func blocks(_ lines: [Line], _ profile: TypeProfile) -> [Block] {
    var builder = BlockBuilder(profile: profile)
    builder.measure(lines)
    var edges = lines.map(\.box.x1)
    for place in edges.indices.dropLast().reversed() { edges[place] = max(edges[place], edges[place + 1]) }
    var index = 0
    while index < lines.count {
      if let table = TableReader.read(lines, from: index, edges: edges) {
        builder.close()
        for row in table.rows {
          let cells = row.sorted { $0.key < $1.key }.map(\.value)
          builder.blocks.append(Assembly(cells: cells).block(.row(header: false)))
        }
        index = table.end
      } else {
        builder.add(lines[index])
        index += 1
      }
    }
    builder.close()
    return builder.blocks
  }

  private init(profile: TypeProfile) { self.profile = profile }

  /// The usual distance of lines and the edges of each column.
  private mutating func measure(_ lines: [Line]) {
    for (region, members) in Dictionary(grouping: lines, by: \.region) {
      let steps = zip(members, members.dropFirst()).map { $1.baseline - $0.baseline }
        .filter { $0 > 0 && $0 < 3 * profile.body }.sorted()
      leading[region] = steps.isEmpty ? 1.25 * profile.body : steps[steps.count / 3]
      margins[region] = (members.map(\.box.x0).min()!, members.map(\.box.x1).max()!)
    }
  }

  private mutating func add(_ line: Line) {
    if let last = open.last, starts(line, after: last) { close() }
    open.append(line)
  }

  private func starts(_ line: Line, after last: Line) -> Bool {
    if last.region != line.region { return !runsOn(last, line) }
    // An entry of a table of contents ends where it leads to its page.
    if Leaders.isIn(last) { return true }
    let em = max(line.size, last.size)
    let step = line.baseline - last.baseline
    let usual = max(leading[line.region] ?? 0, 0.9 * em)
    let isCode = line.mono && last.mono && !profile.isMono
    // Code has empty lines within.
    if step > (isCode ? 2.4 : 1.3) * usual * max(1, em / profile.body), step > 1.2 * em { return true }
    if step < -0.5 * em { return true }
    if abs(line.size - last.size) > 0.1 * em { return true }
    if line.mono != last.mono, !profile.isMono {
      // A name in typewriter letters may fill a whole line of a sentence.
      return abs(line.box.x0 - last.box.x0) > 2 || Self.terminal(last.words.last?.text)
    }
    if isCode { return false }
    if profile.level(line) != profile.level(last) { return true }
    if profile.level(line) != nil { return false }
    guard let edge = margins[line.region] else { return false }
    let short = edge.right - last.box.x1 > 0.22 * (edge.right - edge.left)
    let ended = Self.terminal(last.words.last?.text)
    // "…on the / 12. of May" is no list: a number begins an item only where a sentence or an item could end.
    if Marker.listItem(line.words) != nil {
      let bullet = line.words[0].text.unicodeScalars.count == 1
      return bullet || ended || short || Marker.listItem(open[0].words) != nil
    }
    if short, ended { return true }
    if Marker.listItem(open[0].words) != nil {
      // The text of an item hangs behind its mark; a line further left goes on only in the middle of a sentence.
      return line.box.x0 < open[0].words[1].box.x0 - 0.3 * em
        && (ended || last.box.x0 > line.box.x0 + 0.3 * em && open.count > 1)
    }
    let indented = line.box.x0 - last.box.x0 > 0.8 * em && line.box.x0 - last.box.x0 < 5 * em
    return indented && ended
  }

  /// A sentence that leaves one column and goes on in the next: it begins there with a small letter, or its last line was
  /// full and did not end.
  private func runsOn(_ last: Line, _ line: Line) -> Bool {
    guard !last.mono, !line.mono, abs(last.size - line.size) < 0.1 * last.size,
      profile.level(last) == profile.level(line),
      profile.level(line) == nil, Marker.listItem(line.words) == nil, !Marker.caption(line.words),
      let first = line.words.first?.text.unicodeScalars.first,
      !Self.terminal(last.words.last?.text)
    else { return false }
    if first.properties.isLowercase { return true }
    guard open.count > 1, last.cells.isEmpty, line.cells.isEmpty, let edge = margins[last.region] else { return false }
    return edge.right - last.box.x1 < 1.5 * last.size && line.box.y0 < last.box.y0
      && (first.properties.isAlphabetic || first.properties.numericType != nil)
  }

  static func terminal(_ word: String?) -> Bool {
    guard let last = word?.last(where: { !"\"'”’»)]".contains($0) }) else { return false }
    return ".!?:;…".contains(last)
  }

  private mutating func close() {
    guard let first = open.first else { return }
    defer { open = [] }
    let words = open.map(\.words)
    if first.mono, !profile.isMono {
      let left = open.map(\.box.x0).min()!
      let indents = open.map { line in
        let width = line.box.width / Double(max(1, line.text.count))
        return width > 0.5 ? min(80, Int(((line.box.x0 - left) / width).rounded())) : 0
      }
      blocks.append(Assembly(lines: words, indents: indents).block(.code))
      return
    }
    let assembly = Assembly(paragraph: words, apart: apart())
    guard !assembly.text.isEmpty else { return }
    if let level = profile.level(first), open.count <= 4, assembly.text.count <= 250,
      assembly.text.contains(where: \.isLetter), !Self.isSentence(assembly.text, first.bold && open.count > 1)
    {
      blocks.append(assembly.block(.heading(level: level)))
    } else if Marker.caption(first.words) {
      blocks.append(assembly.block(.caption))
    } else if let level = Marker.listItem(first.words) {
      blocks.append(assembly.block(.listItem(level: level)))
    } else {
      blocks.append(assembly.block(.paragraph))
    }
  }

  /// Which of the open lines were begun anew by who wrote them, as in an address or a list of amounts: there was room for their first
  /// word on the line before. Beside a picture a paragraph has room everywhere; its lines are about as long as each other.
  private func apart() -> Set<Int> {
    guard open.count > 1, let edge = margins[open[0].region], Marker.listItem(open[0].words) == nil else { return [] }
    let (left, right) = (open.map(\.box.x0).min()!, open.map(\.box.x1).max()!)
    let full = open.dropLast().count { right - $0.box.x1 < 0.15 * (right - left) }
    if open.count > 3, full * 2 >= open.count - 1 { return [] }
    return Set(
      open.indices.dropFirst().filter { place in
        let (last, line) = (open[place - 1], open[place])
        guard last.region == line.region, let word = line.words.first,
          let first = word.text.unicodeScalars.first, !first.properties.isLowercase
        else { return false }
        let room = edge.right - last.box.x1
        return room > 0.22 * (edge.right - edge.left) && room > word.box.width + 0.3 * line.size
      })
  }

  /// Whole sentences may be set large or bold, and are no headings for that.
  private static func isSentence(_ text: String, _ isBoldParagraph: Bool) -> Bool {
    text.hasSuffix(".") && (isBoldParagraph || text.split(separator: " ").count >= 10)
  }
}

/// Words that begin something by convention.
enum Marker {
  /// The level of a list item (1 for all that can be told), nil for running text.
  static func listItem(_ words: [PlacedWord]) -> Int? { words.count > 1 ? listItem(words[0].text) : nil }

  static func listItem(_ first: some StringProtocol) -> Int? {
    guard let start = first.unicodeScalars.first else { return nil }
    if first.unicodeScalars.count == 1 { return "•◦▪▫■□●○‣⁃·–—-*➢➤✓".unicodeScalars.contains(start) ? 1 : nil }
    guard let last = first.last, last == "." || last == ")" else { return nil }
    let body = first.dropLast().drop { $0 == "(" }
    guard !body.isEmpty, body.count <= 3 else { return nil }
    if body.allSatisfy({ $0.isASCII && $0.isNumber }) { return 1 }
    return last == ")" && (body.count == 1 && body.first!.isLetter || body.allSatisfy { "ivxIVX".contains($0) })
      ? 1 : nil
  }

  static func caption(_ words: [PlacedWord]) -> Bool {
    guard words.count > 2 else { return false }
    let label = words[0].text.lowercased().trimmingCharacters(in: .punctuationCharacters)
    guard ["figure", "fig", "table", "abbildung", "abb", "tabelle", "tab", "tableau", "listing"].contains(label) else {
      return false
    }
    guard words[1].text.contains(where: \.isNumber), let last = words[1].text.last else { return false }
    return ".:–—".contains(last) || words[2].text.first.map { "–—:|".contains($0) } == true
  }
}
