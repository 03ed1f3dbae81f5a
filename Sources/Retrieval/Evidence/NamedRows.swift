/// Where a word of a question stands in a table.
struct NamedRows {
  /// Stands for whichever columns say when.
  static let date = -1

  var rows: Set<Int> = []
  var columns: Set<Int> = []
  /// Of the question, whose parts "and" keeps apart.
  var part = 0

  mutating func add(_ row: Int, _ column: Int) {
    rows.insert(row)
    columns.insert(column)
  }

  mutating func join(_ other: NamedRows) {
    rows.formUnion(other.rows)
    columns.formUnion(other.columns)
  }

  /// The rows of "groceries and rent in May": both are named in one column, and what is said elsewhere holds for either. None where it
  /// can be understood in more ways than one.
  static func both(_ namings: [NamedRows], of rows: Set<Int>) -> Set<Int> {
    let readings = Set(namings.flatMap(\.columns)).compactMap { column -> Set<Int>? in
      let common = namings.filter { !$0.columns.contains(column) }.reduce(rows) { $0.intersection($1.rows) }
      let parts = Dictionary(grouping: namings.filter { $0.columns.contains(column) }, by: \.part).values
        .map { $0.reduce(common) { $0.intersection($1.rows) } }
      guard parts.count > 1, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
      return parts.reduce([]) { $0.union($1) }
    }
    return Set(readings).count == 1 ? readings[0] : []
  }
}
