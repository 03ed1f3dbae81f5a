import Documents
import Foundation

/// Puts the fragments of a page into the order a person reads them: columns one after another, between the lines that
/// span them; within a column from top to bottom, pieces on one baseline joined.
struct ReadingOrder {
  /// How many pieces and strips of a page are looked at to tell its columns, each of them many times. Thousands of gaps among a hundred
  /// thousand pieces would be looked at for minutes; what a person can read comes to a hundredth of this.
  private static let mostLooks = 5_000_000
  private var looks = mostLooks
  private var region = 0

  static func lines(_ fragments: [Line]) -> [Line] { read(fragments).lines }

  /// `isWhole`: all of its columns were looked for.
  static func read(_ fragments: [Line]) -> (lines: [Line], isWhole: Bool) {
    var order = ReadingOrder()
    let lines = order.bands(joined(fragments)).flatMap { order.arrange($0, depth: 0) }
    return (lines, order.looks > 0)
  }

  /// A page may change its columns from top to bottom: a table below three columns would hide two of them. It is cut where
  /// nothing stands from edge to edge and the columns above and below are not the same.
  private mutating func bands(_ fragments: [Line]) -> [[Line]] {
    let size = Self.usual(fragments)
    var bands: [(lines: [Line], gutter: Double?)] = []
    var bottom = -Double.infinity
    for fragment in fragments.sorted(by: { $0.box.y0 < $1.box.y0 }) {
      if fragment.box.y0 - bottom > 2 * size { bands.append(([], nil)) }
      bands[bands.count - 1].lines.append(fragment)
      bottom = max(bottom, fragment.box.y1)
    }
    for index in bands.indices { bands[index].gutter = bands[index].lines.count < 6 ? nil : gutter(bands[index].lines) }
    var groups: [(lines: [Line], gutter: Double?)] = []
    for band in bands {
      // A few lines say nothing about columns, and go with what stands above.
      let last = groups.last.map { (count: $0.lines.count, gutter: $0.gutter) }
      if let last, band.lines.count < 6 || last.count < 6 || Self.isSame(last.gutter, band.gutter, size) {
        groups[groups.count - 1].lines += band.lines
        if last.count < 6 { groups[groups.count - 1].gutter = band.gutter }
      } else {
        groups.append(band)
      }
    }
    return groups.map(\.lines)
  }

  private static func isSame(_ first: Double?, _ second: Double?, _ size: Double) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return abs(first - second) < 2 * size
  }

  private static func usual(_ fragments: [Line]) -> Double {
    fragments.isEmpty ? 10 : fragments.map(\.size).sorted()[fragments.count / 2]
  }

  private mutating func arrange(_ fragments: [Line], depth: Int) -> [Line] {
    guard depth < 4, fragments.count >= 6, let gutter = gutter(fragments) else {
      region += 1
      return Self.rows(fragments).map { row in
        var line = row
        line.region = region
        return line
      }
    }
    // Lines across the gutter cut the page into bands; within a band the left column is read before the right one.
    var lines: [Line] = []
    var band: (left: [Line], right: [Line]) = ([], [])
    var across: [Line] = []
    func close(_ order: inout ReadingOrder) {
      if !across.isEmpty { lines += order.arrange(across, depth: 4) }
      if !band.left.isEmpty { lines += order.arrange(band.left, depth: depth + 1) }
      if !band.right.isEmpty { lines += order.arrange(band.right, depth: depth + 1) }
      (across, band) = ([], ([], []))
    }
    for fragment in fragments.sorted(by: { $0.baseline < $1.baseline }) {
      if fragment.box.x0 < gutter - 1, fragment.box.x1 > gutter + 1 {
        if !band.left.isEmpty || !band.right.isEmpty { close(&self) }
        across.append(fragment)
      } else if fragment.box.x1 <= gutter + 1 {
        band.left.append(fragment)
      } else {
        band.right.append(fragment)
      }
    }
    close(&self)
    return lines
  }

  /// The middle of a vertical strip that few lines cross and that parts two bodies of running text; nil if there is none.
  private mutating func gutter(_ fragments: [Line]) -> Double? {
    let left = fragments.map(\.box.x0).min()!
    let right = fragments.map(\.box.x1).max()!
    let step = 2.0
    let count = Int((right - left) / step)
    guard count > 20, count < 10_000 else { return nil }
    looks -= fragments.count + count
    guard looks > 0 else { return nil }
    let size = Self.usual(fragments)
    let cover = Self.cover(fragments, from: left, step, count, size)
    let weights = fragments.map(\.characters)
    let tolerance = 0.25 * cover.max()!
    var best: (score: Double, middle: Double)?
    var bin = count * 12 / 100
    while bin < count * 88 / 100 {
      guard cover[bin] <= tolerance else {
        bin += 1
        continue
      }
      var end = bin
      while end < count, cover[end] <= tolerance { end += 1 }
      let floor = cover[bin..<end].min()!
      // The widest of the emptiest stretches of this valley is the gutter itself; but where a last column is short, the valley
      // goes on to the edge of the page, and a title across the columns fills the gutter more than that.
      search: for depth in [floor, floor + size, floor + 2 * size] {
        for stretch in Self.stretches(of: cover, in: bin..<end, upTo: depth) {
          let width = Double(stretch.count) * step
          let middle = left + Double(stretch.lowerBound + stretch.upperBound) / 2 * step
          guard width >= max(4, 0.6 * size) else { continue }
          looks -= fragments.count
          guard looks > 0 else { return nil }
          guard Self.separatesProse(fragments, weights, at: middle, from: left, to: right) else { continue }
          let score = width - floor
          if best == nil || score > best!.score { best = (score, middle) }
          break search
        }
      }
      bin = end + 1
    }
    return best?.middle
  }

  /// How much stands in each strip of the page: what stands in many is counted where it begins and where it ends.
  private static func cover(
    _ fragments: [Line], from left: Double, _ step: Double, _ count: Int, _ size: Double
  ) -> [Double] {
    // Whole numbers, so that what is taken away again leaves nothing.
    let unit = 65_536.0
    var changes = [Int](repeating: 0, count: count + 2)
    for fragment in fragments {
      let from = max(0, Int((fragment.box.x0 - left) / step))
      let to = min(count, Int((fragment.box.x1 - left) / step))
      guard from <= to else { continue }
      // A title across the columns is one line, however large.
      let tall = Int(min(fragment.size, size, 1e6) * unit)
      changes[from] += tall
      changes[to + 1] -= tall
    }
    var sum = 0
    return changes.dropLast().map { change in
      sum += change
      return Double(sum) / unit
    }
  }

  /// Where so little stands, the widest first.
  private static func stretches(of cover: [Double], in valley: Range<Int>, upTo depth: Double) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var at = valley.lowerBound
    while at < valley.upperBound {
      var next = at
      while next < valley.upperBound, cover[next] <= depth { next += 1 }
      if next > at { found.append(at..<next) }
      at = max(next, at + 1)
    }
    return Array(found.sorted { $0.count > $1.count }.prefix(8))
  }

  /// Columns of prose fill their width with several words a line; the cells of a table do not.
  private static func separatesProse(
    _ fragments: [Line], _ weights: [Int], at x: Double, from left: Double, to right: Double
  ) -> Bool {
    let sides = [
      (fragments.indices.filter { fragments[$0].box.x1 <= x + 1 }, x - left),
      (fragments.indices.filter { fragments[$0].box.x0 >= x - 1 }, right - x),
    ]
    let total = weights.reduce(0, +)
    var extents: [(Double, Double)] = []
    for (places, width) in sides {
      guard places.count >= 3 else { return false }
      let side = places.map { fragments[$0] }
      let words = side.map(\.words.count).sorted()[side.count / 2]
      let fill = side.map(\.box.width).sorted()[side.count / 2] / max(1, width)
      // An article may end a few lines down its last column.
      let isFull = side.count >= 4 && words >= 5 && fill >= 0.6
      guard isFull || places.reduce(0, { $0 + weights[$1] }) * 7 >= total else { return false }
      guard words >= 3, fill >= 0.4 || words >= 6 else { return false }
      extents.append((side.map(\.box.y0).min()!, side.map(\.box.y1).max()!))
    }
    let overlap = min(extents[0].1, extents[1].1) - max(extents[0].0, extents[1].0)
    return overlap > 0.25 * min(extents[0].1 - extents[0].0, extents[1].1 - extents[1].0)
  }

  /// Pieces of one line that the file draws apart (a bold word, a change of font) become one fragment.
  private static func joined(_ fragments: [Line]) -> [Line] {
    byBaseline(fragments).flatMap { row -> [Line] in
      var out: [Line] = []
      var characters = 0
      for piece in row {
        let last = out.count - 1
        guard last >= 0 else {
          out.append(piece)
          characters = piece.characters
          continue
        }
        let gap = piece.box.x0 - out[last].box.x1
        let size = max(out[last].size, piece.size)
        // Drawn twice for weight.
        if abs(piece.box.x0 - out[last].box.x0) < 0.2 * size, isSame(piece.words, out[last].words) { continue }
        if gap <= 0.9 * size, gap > -0.5 * size {
          out[last].take(piece, glue: gap < 0.15 * size, &characters)
        } else {
          out.append(piece)
          characters = piece.characters
        }
      }
      return out
    }
  }

  private static func isSame(_ first: [PlacedWord], _ second: [PlacedWord]) -> Bool {
    first.count == second.count && zip(first, second).allSatisfy { $0.text == $1.text }
  }

  /// Lines of one column; what stands apart on one baseline becomes cells of one line.
  private static func rows(_ fragments: [Line]) -> [Line] {
    guard let right = fragments.map(\.box.x1).max() else { return [] }
    return byBaseline(fragments).map { row in
      var line = row[0]
      var characters = line.characters
      for piece in row.dropFirst() {
        // The mark of an item stands apart from its text and is no cell.
        let isMarked = line.words.count == 1 && Marker.listItem(line.text) != nil
        if !isMarked || piece.box.x0 - line.box.x1 > 4 * line.size { line.cells.append(line.words.count) }
        line.take(piece, glue: false, &characters)
      }
      if line.cells.count > TableReader.mostCells || isJustified(line, to: right) { line.cells = [] }
      return line
    }
  }

  /// Words spread evenly to the column's edge are a line of text, though they stand apart.
  private static func isJustified(_ line: Line, to right: Double) -> Bool {
    guard !line.cells.isEmpty, line.words.count >= 3, right - line.box.x1 < 0.3 * line.size else { return false }
    let gaps = zip(line.words, line.words.dropFirst()).map { $1.box.x0 - $0.box.x1 }
    return gaps.max()! - gaps.min()! < 0.25 * line.size && gaps.max()! < 3.5 * line.size
  }

  private static func byBaseline(_ fragments: [Line]) -> [[Line]] {
    var rows: [[Line]] = []
    for fragment in fragments.sorted(by: { ($0.baseline, $0.box.x0) < ($1.baseline, $1.box.x0) }) {
      if let first = rows.last?.first, fragment.baseline - first.baseline <= 0.3 * min(first.size, fragment.size) {
        rows[rows.count - 1].append(fragment)
      } else {
        rows.append([fragment])
      }
    }
    return rows.map { $0.sorted { $0.box.x0 < $1.box.x0 } }
  }
}

extension Line {
  /// With what stands behind it on its baseline. `characters` are those it has so far: a line of a hundred thousand pieces is not counted
  /// anew for each.
  fileprivate mutating func take(_ piece: Line, glue: Bool, _ characters: inout Int) {
    let more = piece.characters
    let last = words.count - 1
    if glue, last >= 0, let first = piece.words.first {
      words[last].text += first.text
      words[last].box = words[last].box.union(first.box)
      words += piece.words.dropFirst()
    } else {
      words += piece.words
    }
    box = box.union(piece.box)
    if more > characters { (size, baseline) = (piece.size, piece.baseline) }
    characters += more
    bold = bold && piece.bold
    mono = mono && piece.mono
  }
}
