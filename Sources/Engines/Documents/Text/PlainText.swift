import Documents
import Foundation

/// Paragraphs, lists and headings of text without markup. Form feeds part physical pages.
enum PlainText {
  static func pages(_ text: String) -> [[Block]] {
    let feeds = text.utf8.split(separator: 12, omittingEmptySubsequences: false).map { String(Substring($0)) }
    var line = 1
    return feeds.map { page in
      defer { line += page.utf8.count { $0 == 10 } }
      return blocks(page, firstLine: line)
    }
  }

  static func blocks(_ text: String, firstLine: Int = 1) -> [Block] {
    var blocks: [Block] = []
    var open: [Substring] = []
    var table: [[String]] = []
    var start = firstLine
    // A paragraph without an end, as logs are, is cut too.
    var bytes = 0
    let rows = lines(of: text)
    let ends = LineEnds(rows)

    func close() {
      defer { table = [] }
      blocks += TableText.blocks(table)
      guard let first = open.first else { return }
      defer { open = [] }
      let text = joined(open, ends)
      if let level = heading(open) {
        blocks.append(Block(.heading(level: level), open[0].collapsed(), line: start))
      } else if isItem(first) {
        blocks.append(Block(.listItem(level: 1 + first.indent / 2), text, line: start))
      } else {
        blocks.append(Block(.paragraph, text, line: start))
      }
    }

    for (index, row) in rows.enumerated() {
      if row.isBlank {
        close()
        continue
      }
      if TableText.isRule(row) { continue }
      if let cells = TableText.barred(row) {
        if !open.isEmpty { close() }
        table.append(cells)
        continue
      }
      if !table.isEmpty { close() }
      if !open.isEmpty, isItem(row), startsItem(after: open) { close() }
      if bytes > Block.mostBytes / 2 { close() }
      if open.isEmpty { (start, bytes) = (firstLine + index, 0) }
      open.append(row)
      bytes += row.utf8.count
    }
    close()
    return blocks
  }

  private static func startsItem(after open: [Substring]) -> Bool {
    guard let last = open.last else { return true }
    return Marker.listItem(words(open[0]).first ?? "") != nil || BlockBuilder.terminal(last.trimmed())
  }

  private static func isItem(_ row: Substring) -> Bool {
    let words = words(row)
    return words.count > 1 && Marker.listItem(words[0]) != nil
  }

  /// The first word and whether there is more, by bytes: see `collapsed`.
  private static func words(_ row: Substring) -> [Substring] {
    row.utf8.drop { $0 == 32 }.split(separator: 32, maxSplits: 1).filter { $0.contains { $0 != 32 } }
      .map { Substring($0) }
  }

  private static func joined(_ rows: [Substring], _ ends: LineEnds) -> String {
    var text = ""
    var previous: Substring?
    for row in rows {
      let line = row.collapsed()
      if let before = previous {
        let goesOn = ends.goesOn(before, bytes: before.utf8.count, in: line)
        if goesOn, Assembly.joint(text, String(line.prefix { $0 != " " })) == .dropHyphen {
          text.removeLast()
        } else {
          text += goesOn ? " " : "\n"
        }
      }
      text += line
      previous = row
    }
    return text
  }

  private static func heading(_ rows: [Substring]) -> Int? {
    let line = rows[0].trimmed()
    if rows.count == 2 {
      let rule = rows[1].trimmed()
      if rule.count >= 3, Set(rule).count == 1, "=-~".contains(rule.first!) { return rule.first == "=" ? 1 : 2 }
    }
    guard rows.count == 1, line.count <= 80, line.contains(where: \.isLetter), !BlockBuilder.terminal(line) else {
      return nil
    }
    let letters = line.filter(\.isLetter)
    // "CARD 4402 567.88" says something of a receipt, and is no heading.
    let isAmount = line.split(separator: " ").last?.wholeMatch(of: /[-+€£$]?[0-9.,']*[0-9][.,][0-9]{2}[€£$]?/) != nil
    if letters.count >= 3, letters.allSatisfy(\.isUppercase), !isAmount { return 1 }
    let first = line.lowercased().prefix { $0.isLetter || $0 == "§" }
    if [
      "chapter", "section", "part", "appendix", "kapitel", "abschnitt", "teil", "anhang", "chapitre", "article",
      "artikel", "§",
    ]
    .contains(String(first)), line.contains(where: { $0.isNumber || "IVX".contains($0) }) {
      return 1
    }
    // "3.2 Cleaning": a number, then a capital.
    let words = line.split(separator: " ")
    guard words.count >= 2, words.count <= 10, words[1].first?.isUppercase == true else { return nil }
    let number = words[0].hasSuffix(".") ? words[0].dropLast() : words[0]
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.count <= 2 && $0.allSatisfy(\.isNumber) }) else { return nil }
    return parts.count >= 2 ? min(6, parts.count) : nil
  }
}

/// Source code in pieces that end where a function would, each with its first line's number.
enum CodeText {
  static func blocks(_ text: String) -> [Block] {
    var blocks: [Block] = []
    var open: [Substring] = []
    var start = 1
    func close(_ next: Int) {
      while let last = open.last, last.isBlank { open.removeLast() }
      if !open.isEmpty { blocks.append(Block(.code, open.joined(separator: "\n"), line: start)) }
      open = []
      start = next
    }
    var bytes = 0
    for (index, row) in lines(of: text).enumerated() {
      if open.isEmpty, row.isBlank {
        start = index + 2
        continue
      }
      // An outermost line after an empty one begins something new; very long pieces end at any empty line.
      let afterBlank = open.last?.isBlank == true
      if afterBlank,
        (row.indent == 0 && !row.hasPrefix("}") && !row.hasPrefix(")") && open.count >= 4) || open.count >= 60
      {
        close(index + 1)
        bytes = 0
      } else if open.count >= 120 || bytes > 16 << 10 {
        close(index + 1)
        bytes = 0
      }
      open.append(row)
      bytes += row.utf8.count
    }
    close(0)
    return blocks
  }
}
