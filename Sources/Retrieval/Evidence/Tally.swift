import Core
package import Foundation

/// What a question asks of a table's rows together: how many they are, what they come to, which is the greatest. Worked out
/// only where every word of the question is accounted for: by a cell, a column, the table's name, or as a way of asking.
package struct Tally: Sendable, Equatable {
  package enum Kind: Sendable, Equatable { case sum, count, mean, most, least }

  package var kind: Kind
  /// The rows that are meant, in the order of the table.
  package var rows: [Int]
  /// The column that is added up or compared; nil where rows are counted.
  package var column: Int?
  package var value: Decimal
  /// What was asked for stands below zero in the table, as payments do in an account, and `value` is above.
  package private(set) var isTurned = false

  /// nil where the question asks for no such thing, or for more than can be told.
  package init?(_ question: String, of table: Table, named title: String) {
    let words = Question.words(in: question)
    guard var kind = Self.kind(of: words), !WordList.beyondRows.isIn(words) else { return nil }
    let numeric = table.numeric
    if kind == .count {
      guard let counted = Self.counted(by: words, of: table, numeric, named: title) else { return nil }
      kind = counted
    }
    self.kind = kind
    let parts = table.rows.indices.filter { row in
      !table.rows[row].cells.contains { WordList.totals.contains(Question.words(in: $0).joined(separator: " ")) }
    }
    guard let meant = Self.meant(by: words, of: table, parts, named: title) else { return nil }
    if table.isBare {
      // Among its rows are such as others come to, which have more names than can be listed ("gross", "net").
      let isPartial =
        meant.rows.count > 1
        && meant.rows.contains { row in
          table.rows[row].cells.contains { WordList.totals.isPart(of: $0.lowercased()) }
        }
      guard meant.isByCells, !meant.rows.isEmpty, !isPartial else { return nil }
    }
    // "How much does it cost?" asks for no sum of whatever there is.
    guard meant.isNarrowed || meant.isNamed && !Self.isImplied(kind, words) else { return nil }
    guard kind != .count else {
      (rows, value) = (meant.rows, Decimal(meant.rows.count))
      return
    }
    // No row has all that was asked for, whichever column is meant.
    guard !meant.rows.isEmpty || numeric.isEmpty else {
      (rows, value) = ([], 0)
      return
    }
    guard let column = Self.column(meant.columns, of: table, numeric, in: meant.rows, kind, words) else { return nil }
    self.column = column
    // What has come in has nothing under "Debit". Of the rows of one name some may be paid back, which is told together by nobody.
    let isStrict = meant.isByCells && (kind == .sum || kind == .mean)
    rows = meant.rows.filter { isStrict || !table.rows[$0].cells[column].isEmpty }
    var values = rows.map { Table.number(table.rows[$0].cells[column]) }
    guard !values.contains(nil) else { return nil }
    let all = table.rows.compactMap { Table.number($0.cells[column]) }
    let isOut = all.contains { $0 < 0 } ? Self.isOut(words) : nil
    if let isOut {
      let isBelow = isOut != Self.isOfCard(all)
      isTurned = isBelow
      // Of everything only what went that way, of what somebody was paid also what came back.
      if !meant.isByCells || kind == .most || kind == .least {
        let kept = zip(rows, values).filter { (($0.1 ?? 0) < 0) == isBelow }
        (rows, values) = (kept.map(\.0), kept.map(\.1))
      }
      if isBelow { values = values.map { $0.map { -$0 } } }
    }
    let known = values.compactMap(\.self)
    switch kind {
    case .sum:
      value = known.reduce(0, +)
      // What has come from somebody was not spent there, nor the other way round.
      if isOut != nil, value < 0 { return nil }
    case .mean: value = known.isEmpty ? 0 : known.reduce(0, +) / Decimal(known.count)
    case .most, .least:
      value = (kind == .most ? known.max() : known.min()) ?? 0
      rows = zip(rows, known).filter { $0.1 == value }.map(\.0)
    case .count: value = Decimal(rows.count)
    }
  }

  // MARK: The kind of question

  /// Whether a question may ask for anything of the kind.
  package static func asks(_ question: String) -> Bool { kind(of: Question.words(in: question)) != nil }

  static func kind(of words: [String]) -> Kind? {
    if WordList.most.occurs(in: words) { return .most }
    if WordList.least.occurs(in: words) { return .least }
    if WordList.mean.occurs(in: words) { return .mean }
    if WordList.count.occurs(in: words) { return .count }
    if WordList.sum.occurs(in: words) { return .sum }
    return WordList.amount.occurs(in: words) && WordList.spending.isIn(words) ? .sum : nil
  }

  /// No word asks for everything together.
  private static func isImplied(_ kind: Kind, _ words: [String]) -> Bool {
    kind == .sum && !WordList.sum.occurs(in: words)
  }

  /// "How many" counts rows where it names them; what stands in a cell ("how many eggs") is a matter of that row, and of a column
  /// of numbers ("how many kilometres") the sum is meant.
  private static func counted(
    by words: [String], of table: Table, _ numeric: [Int], named title: String
  ) -> Kind? {
    guard let place = words.indices.dropLast(2).first(where: { WordList.counting.contains(words[$0 + 1]) }) else {
      return .count
    }
    let (noun, stem) = (words[place + 2], Relevance.stem(words[place + 2]))
    if noun == "times" || WordList.rows.contains(noun) { return .count }
    let columns = table.columns.indices.filter { Relevance.stems(in: table.columns[$0]).contains(stem) }
    if !columns.isEmpty { return numeric.contains(where: columns.contains) ? .sum : .count }
    return Relevance.stems(in: title).contains(stem) ? .count : nil
  }

  /// Whether what went out is asked for, or what came in.
  private static func isOut(_ words: [String]) -> Bool? {
    if WordList.incoming.isIn(words) { return false }
    return WordList.spending.isIn(words) || WordList.outgoing.isIn(words) ? true : nil
  }

  /// In a credit card's statement it is what was paid off or given back that stands below zero. Nearly all else was spent, so such rows
  /// are few, as what went out of an account is in no statement of some length.
  private static func isOfCard(_ amounts: [Decimal]) -> Bool {
    amounts.count >= 8 && amounts.count { $0 < 0 } * 5 <= amounts.count
  }

  // MARK: The rows that are meant

  /// Says nothing of the rows, wherever it stands.
  private static func isAsking(_ word: String) -> Bool {
    WordList.askingOfRows.contains(word) || WordList.spending.contains(word)
  }

  private static func meant(
    by words: [String], of table: Table, _ parts: [Int], named title: String
  ) -> (rows: [Int], columns: Set<Int>, isNarrowed: Bool, isNamed: Bool, isByCells: Bool)? {
    let titles = Relevance.stems(in: title)
    let names = table.columns.map(Relevance.stems)
    // Of each word in the cells where it stands.
    var held: [String: NamedRows] = [:]
    for row in parts {
      for (column, cell) in table.rows[row].cells.enumerated() {
        for word in Question.words(in: cell) { held[word, default: NamedRows()].add(row, column) }
      }
    }
    let stems = held.keys.map { (word: $0, stem: Relevance.stem($0)) }
    var namings: [NamedRows] = []
    var part = 0
    var columns: Set<Int> = []
    var (isNarrowed, isNamed, isByCells) = (false, false, false)
    // Whose account it is may also stand in a row of it. Of two things that are named together neither is that.
    var ofTitle: [Set<Int>] = []
    let areTwo = WordList.and.isIn(words) || WordList.adding.isIn(words)
    for (place, word) in words.enumerated() {
      if WordList.and.contains(word) || WordList.adding.contains(word) {
        part += 1
        continue
      }
      guard word.count > 1, !WordList.stopWords.contains(word) else { continue }
      let stem = Relevance.stem(word)
      let named = names.indices.filter { names[$0].contains(stem) }
      if let month = month(at: place, of: words) {
        guard let dated = Self.rows(of: month, in: table, parts) else {
          // "On the April payslip", whose rows have no days.
          guard table.isBare, titles.contains(stem) else { return nil }
          continue
        }
        isNarrowed = true
        namings.append(NamedRows(rows: dated, columns: [NamedRows.date], part: part))
        continue
      }
      var found = NamedRows(part: part)
      for one in stems where Self.same(one, word, stem) {
        if let held = held[one.word] { found.join(held) }
      }
      // "Out of the account" names a column, though "account fee" stands in a cell.
      if isAsking(word) || found.rows.isEmpty || !named.isEmpty && found.rows.count < parts.count / 2 {
        columns.formUnion(named)
        let isKnown = WordList.rows.contains(word) || titles.contains(stem) || !named.isEmpty
        guard isKnown || isAsking(word) else { return nil }
        isNamed = isNamed || isKnown
      } else if titles.contains(stem), !areTwo {
        ofTitle.append(found.rows)
        isNamed = true
      } else {
        (isNarrowed, isByCells) = (true, true)
        namings.append(found)
      }
    }
    var rows = namings.reduce(Set(parts)) { $0.intersection($1.rows) }
    if rows.isEmpty, part > 0 { rows = NamedRows.both(namings, of: Set(parts)) }
    for found in ofTitle where !rows.isDisjoint(with: found) {
      (isNarrowed, isByCells, rows) = (true, true, rows.intersection(found))
    }
    if rows.isEmpty, !isNarrowed || part > 0 { return nil }
    return (rows.sorted(), columns, isNarrowed, isNamed, isByCells)
  }

  /// "May" is a month only where it is placed like one.
  private static func month(at place: Int, of words: [String]) -> Int? {
    guard words[place] == "may" else { return Facts.month(words[place]) }
    let isPlaced = place > 0 && ["in", "of", "for", "during"].contains(words[place - 1])
    let follows = place > 1 && WordList.and.contains(words[place - 1]) && Facts.month(words[place - 2]) != nil
    return isPlaced || follows || place + 1 < words.count && words[place + 1].wholeMatch(of: /(?:19|20)[0-9]{2}/) != nil
      ? 5 : nil
  }

  /// "Eat" is also what stands under "Eating".
  private static func same(_ held: (word: String, stem: String), _ word: String, _ stem: String) -> Bool {
    if held.word == word || held.stem == stem { return true }
    let (short, long) = word.count < held.word.count ? (word, held.word) : (held.word, word)
    guard short.count >= 3, long.hasPrefix(short) else { return false }
    return WordList.forms.contains(String(long.dropFirst(short.count)))
  }

  /// The rows of a month; nil where it cannot be told which those are.
  private static func rows(of month: Int, in table: Table, _ parts: [Int]) -> Set<Int>? {
    let places = table.columns.indices.map { column in Self.monthPlace(in: table.rows.map { $0.cells[column] }) }
    let months = parts.map { row in
      zip(table.rows[row].cells, places).lazy.compactMap { Self.month(of: $0, at: $1) }.first
    }
    guard !parts.isEmpty, !months.contains(nil) else { return nil }
    return Set(zip(parts, months).filter { $0.1 == month }.map(\.0))
  }

  /// In 28/09/2024 which of the two numbers is the month: 0 or 1, where a column's dates together can be read in one way alone.
  static func monthPlace(in cells: [String]) -> Int? {
    let dates = cells.compactMap(slashed)
    let possible = [0, 1].filter { place in dates.allSatisfy { 1...12 ~= $0[place] && 1...31 ~= $0[1 - place] } }
    return dates.isEmpty || possible.count > 1 ? nil : possible.first
  }

  /// The first two numbers of 28/09/2024 or 28-09-24.
  private static func slashed(_ cell: String) -> [Int]? {
    var date = Figures(cell)
    guard let first = date.number(1...2), let mark = date.mark("/-"), let second = date.number(1...2),
      date.mark(mark) != nil, date.number(2...4) != nil, date.isDay
    else { return nil }
    return [first, second]
  }

  /// The month of a date that can be read in one way alone: 2025-03-12, 12.3.2025, 12 March; and 3/12/2025 where `place` tells.
  static func month(of cell: String, at place: Int? = nil) -> Int? {
    if let place, let date = slashed(cell) { return date[place] }
    if let month = Figures.monthBehindYear(cell) ?? Figures.monthBehindDay(cell) { return month }
    let words = Question.words(in: cell)
    guard words.count <= 4, words.contains(where: { $0.contains(where: \.isNumber) }) else { return nil }
    return words.lazy.compactMap(Facts.month).first
  }

  /// The column that a question means, or the only one that holds numbers in the rows that are meant.
  private static func column(
    _ named: Set<Int>, of table: Table, _ numbers: [Int], in rows: [Int], _ kind: Kind, _ words: [String]
  ) -> Int? {
    let amounts = numbers.filter { column in
      !WordList.namingColumns.isIn(Question.words(in: table.columns[column]))
        && !WordList.unitPrices.isIn(Question.words(in: table.columns[column]))
        && !table.rows.contains { month(of: $0.cells[column]) != nil || slashed($0.cells[column]) != nil }
    }
    let running = running(amounts, of: table)
    let numeric = amounts.filter { column in
      (rows.isEmpty || rows.contains { !table.rows[$0].cells[column].isEmpty })
        // "What was my lowest balance?"
        && (kind != .sum && named.contains(column) || !running.contains(column))
    }
    let asked = numeric.filter(named.contains)
    if asked.count == 1 { return asked[0] }
    if numeric.count == 1 { return numeric[0] }
    let money = numeric.filter { WordList.prices.isIn(Question.words(in: table.columns[$0])) }
    if asked.isEmpty, money.count == 1 { return money[0] }
    // Of an account one column has what went out, and the other what came in.
    let out = numeric.filter { WordList.outgoing.isIn(Question.words(in: table.columns[$0])) }
    guard asked.isEmpty, out.count == 1, let isOut = isOut(words) else { return nil }
    let others = numeric.filter { !out.contains($0) }
    return isOut ? out[0] : others.count == 1 ? others[0] : nil
  }

  /// An account has few columns; in a table of hundreds each would be held against all others.
  private static let mostOfAccount = 16

  /// The columns that say what others have come to so far, as the balance of an account does: from row to row they grow or shrink by
  /// what stands in another one. Such numbers come to nothing together.
  private static func running(_ amounts: [Int], of table: Table) -> Set<Int> {
    guard amounts.count <= mostOfAccount, table.rows.count > 2 else { return [] }
    let rows = table.rows.map { row in amounts.map { Table.number(row.cells[$0]) } }
    /// Whether the number in this place comes of the one before it and another in its row.
    func follows(_ place: Int, _ before: [Decimal?], _ row: [Decimal?]) -> Bool {
      guard let from = before[place], let to = row[place] else { return false }
      return row.indices.contains { other in other != place && row[other].map(abs) == abs(to - from) }
    }
    let pairs = Array(zip(rows, rows.dropFirst()))
    let places = amounts.indices.filter { place in
      // The newest may stand first.
      pairs.allSatisfy { follows(place, $0, $1) } || pairs.allSatisfy { follows(place, $1, $0) }
    }
    return Set(places.map { amounts[$0] })
  }

  /// A number as the table writes its own: with the same sign before its fraction, and as many digits there as the longest of them.
  package static func written(_ value: Decimal, like cells: [String]) -> String {
    let fractions = cells.compactMap { cell -> (mark: Character, digits: Int)? in
      let number = cell.filter { $0.isNumber || ".,".contains($0) }
      return number.last { ".,".contains($0) }.map { ($0, number.reversed().prefix { $0.isNumber }.count) }
    }.filter { $0.digits < 3 }
    let places = min(fractions.map(\.digits).max() ?? 0, 2)
    var (rounded, exact) = (Decimal(), value)
    NSDecimalRound(&rounded, &exact, places, .plain)
    var text = "\(rounded)"
    if places > 0 {
      let fraction = text.split(separator: ".").dropFirst().first?.count ?? 0
      if fraction == 0 { text += "." }
      text += String(repeating: "0", count: places - fraction)
    }
    return fractions.allSatisfy { $0.mark == "," } && places > 0 ? text.replacing(".", with: ",") : text
  }
}
