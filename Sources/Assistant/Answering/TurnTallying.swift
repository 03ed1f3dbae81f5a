import Core
import Foundation
import Retrieval
import Storage

/// Questions that count, add up or compare the rows of a table: worked out from all of its rows, which are the evidence.
extension Turn {
  /// A table that was asked about, and what its rows come to.
  private struct Tallied {
    var tally: Tally
    var table: Table
    var document: StoredDocument
  }

  /// More text than this is not looked through for tables, and rows of more text than this are not worked out for one question.
  private static let longestTable = 4_000_000
  private static let mostTables = 16
  /// What stands above a table says whose it is; only the beginning of it does.
  private static let longestAbove = 600
  private static let rowsShown = 12
  private static let tooLarge =
    "tables of more than 1,000 columns, a million cells or 4 MB of text together are not counted, added up or compared"

  /// The answer, where rows of a table are it.
  func tallied(_ evidence: Evidence, _ record: inout AnswerRecord) async throws -> String? {
    guard !record.completedQuestion.contains(QuestionProfile.joint) else { return nil }
    let (tallied, tooLarge) = try await tally(record.completedQuestion, evidence)
    guard let found = tallied else {
      record.dropped += tooLarge.map { DropNote(what: "what the rows of \($0) come to", reason: Self.tooLarge) }
      return nil
    }
    record.provider = ProviderKind.extractive.rawValue
    let citing = Citing(shelf: house.documents)
    let shown = found.tally.rows.prefix(Self.rowsShown).map { found.table.rows[$0] }
    record.citations = []
    for row in shown {
      let place = CitationPlace(document: found.document.id, range: row.range)
      record.citations.append(try await citing.citation(place, of: found.document, score: 1))
    }
    let words = FindingWords.of(record.completedQuestion)
    guard let said = Tallying.sentence(found.tally, found.table, of: found.document.title, in: words) else {
      (record.finding, record.provider) = (.notThere, ProviderKind.templates.rawValue)
      record.citations = try await evidence.nearestCited(citing)
      return words.noRow(found.document.title)
    }
    (record.finding, record.sentences) = (.found, [])
    if !said.isEmpty {
      record.sentences.append(AnswerSentence(text: said, support: Array(shown.indices), supported: true))
    }
    record.sentences += record.citations.enumerated().map { place, citation in
      AnswerSentence(text: citation.text, support: [place], supported: true)
    }
    if found.tally.rows.count > shown.count {
      record.dropped.append(
        DropNote(
          what: "\(found.tally.rows.count - shown.count) further rows",
          reason: "they are counted in, and \(Self.rowsShown) are shown"))
    }
    for sentence in record.sentences { emit(Ask.Event(sentence: sentence)) }
    let rows = record.citations.map(\.text).joined(separator: "\n")
    return said.isEmpty ? rows : "\(said)\n\n\(rows)"
  }

  /// The first table of the documents that were found which accounts for the whole question; one with rows before one without. And the
  /// titles of those that were found and are too large.
  private func tally(_ question: String, _ evidence: Evidence) async throws -> (Tallied?, tooLarge: [String]) {
    guard Tally.asks(question) else { return (nil, []) }
    let evident = evidence.items.map(\.passage.document)
    var (empty, tooLarge) = (Tallied?.none, [String]())
    var seen: Set<Int64> = []
    var bytesLeft = Self.longestTable
    // Of rows that are much alike none may have been found.
    let tables = try await house.documents.list(collection: input.collection, kind: "csv", most: Self.mostTables)
    for (place, document) in (evident + tables).enumerated()
    where seen.insert(document.id).inserted && document.state != .stored {
      try Task.checkCancellation()
      guard document.textBytes <= Self.longestTable else {
        if place < evident.count, document.kind == "csv" { tooLarge.append(document.title) }
        continue
      }
      let text = try await house.documents.text(document.id)
      let isPaged = (document.pages ?? 1) > 1
      let read = Table.read(text, pages: isPaged ? try await house.documents.sheets(of: document.id).map(\.start) : [])
      if place < evident.count, read.isTooLarge { tooLarge.append(document.title) }
      // A table that goes on over pages may have lost the names of its columns there.
      for table in read.tables where table.isBare || !isPaged {
        bytesLeft -= table.rows.reduce(0) { $0 + $1.range.count }
        guard bytesLeft >= 0 else { return (empty, tooLarge + [document.title]) }
        // "How much did Ann spend in April?" is asked of Ann's account.
        let above = text.utf8.prefix(min(Self.longestAbove, table.rows.first?.range.lowerBound ?? 0))
        let names = [document.title, document.name, String(decoding: above, as: UTF8.self)].joined(separator: " ")
        guard let tally = Tally(question, of: table, named: names) else { continue }
        let found = Tallied(tally: tally, table: table, document: document)
        if !tally.rows.isEmpty { return (found, []) }
        if empty == nil { empty = found }
      }
    }
    return (empty, tooLarge)
  }
}

/// What is said of rows that were added up.
enum Tallying {
  /// nil where no row was meant; empty where the one row says it all.
  static func sentence(_ tally: Tally, _ table: Table, of title: String, in words: FindingWords) -> String? {
    let rows = tally.rows.count
    guard rows > 0 else { return nil }
    let counted = words.rows(rows, title)
    guard let column = tally.column else { return "\(counted)." }
    let cells = tally.rows.map { table.rows[$0].cells[column] }
    let value = Tally.written(tally.value, like: cells)
    switch tally.kind {
    case .most, .least, .count: return ""
    case .mean: return "\(words.onAverage(value)) (\(table.columns[column]), \(counted))."
    case .sum:
      guard rows > 1 else { return "" }
      let terms = cells.map { tally.isTurned ? turned($0) : $0 }.joined(separator: " + ").replacing(
        " + -", with: " - ")
      return "\(words.inAll(value, rows <= 8 ? terms : nil)) (\(table.columns[column]), \(counted))."
    }
  }

  /// A payment of an account, without its sign.
  private static func turned(_ cell: String) -> String {
    let cell = cell.replacing("−", with: "-")
    return cell.hasPrefix("-") ? String(cell.dropFirst()) : "-" + cell
  }
}
