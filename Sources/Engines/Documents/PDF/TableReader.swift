import Documents

/// Lines whose pieces stand below one another, as a table: what a narrow column has broken into several lines is one row again.
struct TableReader {
  /// A row: for each column the lines of its cell.
  typealias Row = [Int: [[PlacedWord]]]

  /// A line of more pieces than this is no row of a table: each is compared with those of the next line.
  static let mostCells = 200

  private let lines: ArraySlice<Line>
  /// How far the lines reach.
  private let edge: Double
  /// Where each column begins and where the next one does.
  private var columns: [Range<Double>] = []

  /// The rows of the table that begins with the first of the lines, and where it ends; nil where none begins there.
  /// `edges`: how far each line and those behind it reach.
  static func read(_ lines: [Line], from start: Int, edges: [Double]) -> (rows: [Row], end: Int)? {
    guard !lines[start].cells.isEmpty || opensRow(lines[...], at: start) else { return nil }
    var reader = TableReader(lines: lines[start...], edge: edges[start])
    return reader.read()
  }

  private init(lines: ArraySlice<Line>, edge: Double) { (self.lines, self.edge) = (lines, edge) }

  private mutating func read() -> (rows: [Row], end: Int)? {
    guard let first = lines.first(where: { !$0.cells.isEmpty }) else { return nil }
    var rows: [Row] = []
    var last: Line?
    var lastWithCells: Line?
    var withCells = 0
    var end = lines.startIndex
    setColumns(first)
    while end < lines.endIndex, lines[end].region == first.region {
      let line = lines[end]
      if line.cells.isEmpty {
        if let last, let column = column(ofSingle: line), goesOn(line, after: last, in: rows[rows.count - 1], column) {
          rows[rows.count - 1][column, default: []].append(line.words)
        } else if Self.opensRow(lines, at: end), column(ofSingle: line) == 0 {
          rows.append([0: [line.words]])
        } else {
          break
        }
      } else {
        guard lastWithCells.map({ Self.aligned($0, line) }) ?? true else { break }
        if line.cells.count > (lastWithCells?.cells.count ?? 0) { setColumns(line) }
        let cells = row(of: line)
        let isTight = last.map { Self.isTight(line, after: $0) } ?? false
        if isTight, rows.last.map({ wraps(cells, of: line, after: $0) }) ?? false {
          for (column, words) in cells { rows[rows.count - 1][column, default: []] += words }
        } else {
          rows.append(cells)
        }
        lastWithCells = line
        withCells += 1
      }
      last = line
      end += 1
    }
    return withCells >= 2 ? (rows, end) : nil
  }

  // MARK: Columns

  static func cells(_ line: Line) -> [[PlacedWord]] {
    let bounds = [0] + line.cells + [line.words.count]
    return zip(bounds, bounds.dropFirst()).map { Array(line.words[$0..<$1]) }.filter { !$0.isEmpty }
  }

  private mutating func setColumns(_ line: Line) {
    let starts = Self.cells(line).map { $0[0].box.x0 }
    columns = zip(starts, starts.dropFirst() + [.infinity]).map { $0..<max($0, $1) }
  }

  /// By where a cell begins, or, where figures stand flush right, by where it lies.
  private func column(of words: [PlacedWord]) -> Int {
    let (left, right) = (words[0].box.x0, words[words.count - 1].box.x1)
    if let same = columns.firstIndex(where: { abs($0.lowerBound - left) < 4 }) { return same }
    return columns.lastIndex { $0.lowerBound < (left + right) / 2 } ?? 0
  }

  private func row(of line: Line) -> Row {
    var row: Row = [:]
    for cell in Self.cells(line) {
      let column = column(of: cell)
      // Two pieces of one column stand side by side in one line.
      if let known = row[column]?.last { row[column] = [known + cell] } else { row[column] = [cell] }
    }
    return row
  }

  private func column(ofSingle line: Line) -> Int? {
    columns.firstIndex { abs($0.lowerBound - line.box.x0) < 4 && line.box.x1 <= $0.upperBound + 1 }
  }

  private static func aligned(_ a: Line, _ b: Line) -> Bool {
    let edges = cells(a).flatMap { [$0.first!.box.x0, $0.last!.box.x1] }
    return cells(b).dropFirst().contains { cell in
      edges.contains { abs($0 - cell.first!.box.x0) < 4 || abs($0 - cell.last!.box.x1) < 4 }
    }
  }

  // MARK: Broken cells

  private static func isTight(_ line: Line, after last: Line) -> Bool {
    line.baseline > last.baseline && line.baseline - last.baseline <= 1.45 * max(line.size, last.size)
  }

  private static func isSmall(_ words: [PlacedWord]) -> Bool {
    words.first?.text.unicodeScalars.first?.properties.isLowercase ?? false
  }

  /// The first line of a row whose other cells stand at its last line.
  private static func opensRow(_ lines: ArraySlice<Line>, at index: Int) -> Bool {
    guard lines[index].cells.isEmpty, index + 1 < lines.endIndex, !lines[index + 1].cells.isEmpty else { return false }
    let (line, next) = (lines[index], lines[index + 1])
    let first = cells(next)[0]
    return line.region == next.region && isTight(next, after: line) && abs(line.box.x0 - first[0].box.x0) < 4
      && isSmall(first) && !BlockBuilder.terminal(line.words.last?.text) && line.box.x1 < cells(next)[1][0].box.x0
      && line.size == next.size
  }

  /// A line of one cell goes on with that cell.
  private func goesOn(_ line: Line, after last: Line, in row: Row, _ column: Int) -> Bool {
    guard Self.isTight(line, after: last), let cell = row[column], let before = cell.last else { return false }
    return Self.isSmall(line.words) || !hadRoom(for: line.words, after: before, in: column)
      || (column > 0 && ",;".contains(before[before.count - 1].text.last ?? " "))
  }

  /// Cells that go on from the line above: every one had begun there, at least one goes on in the middle of a sentence, and none
  /// would have had room above.
  private func wraps(_ cells: Row, of line: Line, after row: Row) -> Bool {
    var goesOn = false
    for (column, lines) in cells {
      let words = lines[0]
      guard let before = row[column]?.last else {
        // The other cells may stand at the last line of the first.
        if row.count == 1, row[0] != nil, cells[0].map({ Self.isSmall($0[0]) }) ?? false { continue }
        return false
      }
      if Self.isSmall(words) { goesOn = true } else if hadRoom(for: words, after: before, in: column) { return false }
    }
    return goesOn
  }

  private func hadRoom(for words: [PlacedWord], after before: [PlacedWord], in column: Int) -> Bool {
    guard columns.indices.contains(column), let first = words.first, let last = before.last else { return true }
    var edge = columns[column].upperBound
    if edge == .infinity { edge = self.edge }
    return last.box.x1 + first.box.width + 0.6 * first.box.height < edge
  }
}
