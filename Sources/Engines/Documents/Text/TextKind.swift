import Core
import Documents
import Foundation

/// Which kind of text a text is. The content decides; the name breaks ties between kinds that look alike.
enum TextKind {
  case records, html, xml, csv(delimiter: Character), markdown, code(language: String), plain

  static func find(_ text: String, name: String) -> TextKind {
    let head = String(text.prefix(16_000))
    let start = head.drop(while: \.isWhitespace)
    let suffix = name.split(separator: ".").count > 1 ? name.split(separator: ".").last!.lowercased() : ""
    let rows = lines(of: head)
    if isRecords(rows) { return .records }
    if isHTML(start) { return .html }
    if start.hasPrefix("<?xml") || start.hasPrefix("<!DOCTYPE") { return .xml }
    if start.hasPrefix("#!") { return .code(language: shebang(start)) }
    if let language = CodeLanguage.bySuffix[suffix], CodeLanguage.looksLikeCode(rows) || !isProse(rows) {
      return .code(language: language)
    }
    if suffix != "md", suffix != "markdown",
      let delimiter = delimiter(rows, hinted: ["csv", "tsv", "tab"].contains(suffix))
    {
      return .csv(delimiter: delimiter)
    }
    if markdownScore(rows) >= (["md", "markdown", "mdown"].contains(suffix) ? 1 : 3) { return .markdown }
    if ["md", "markdown", "mdown"].contains(suffix) { return .markdown }
    if let language = CodeLanguage.guess(rows) { return .code(language: language) }
    return .plain
  }

  private static func isRecords(_ rows: [Substring]) -> Bool {
    guard let first = rows.first(where: { !$0.isBlank }), first.utf8.first(where: { $0 != 32 }) == UInt8(ascii: "{")
    else {
      return false
    }
    // The sample may end inside the first record: then its keys must do.
    if let record = try? JSON.decode(Record.self, from: Data(first.utf8)) {
      return !record.text.isEmpty || record.title != nil
    }
    return rows.count == 1 && first.contains("\"_id\"") && first.contains("\"text\"")
  }

  private static func isHTML(_ start: Substring) -> Bool {
    let lower = start.prefix(4_000).lowercased()
    if ["<!doctype html", "<html", "<!doctype netscape-bookmark"].contains(where: lower.hasPrefix) { return true }
    if lower.hasPrefix("<?xml") || lower.hasPrefix("<!--") { return lower.contains("<html") }
    guard lower.hasPrefix("<") else { return false }
    return ["<head", "<body", "<div", "<p>", "<p ", "<table", "<h1", "<h2", "<ul", "<title", "<span", "<a "]
      .count { lower.contains($0) } >= 2
  }

  private static func shebang(_ start: Substring) -> String {
    let line = start.prefix { $0 != "\n" }
    return ["python", "bash", "perl", "ruby", "node", "swift"].first { line.contains($0) } ?? "shell"
  }

  /// Sentences: most lines begin with a letter, hold several words and end like text.
  private static func isProse(_ rows: [Substring]) -> Bool {
    let full = rows.filter { !$0.isBlank }
    guard !full.isEmpty else { return true }
    let prose = full.count { row in
      row.split(separator: " ").count >= 5 && !row.contains("{") && !row.contains(";") && !row.contains(" = ")
        && row.first?.isLetter == true
    }
    return prose * 2 > full.count
  }

  private static func delimiter(_ rows: [Substring], hinted: Bool) -> Character? {
    let sample = rows.dropLast(rows.count > 1 ? 1 : 0).filter { !$0.isBlank }.prefix(40)
    guard sample.count >= (hinted ? 1 : 2) else { return nil }
    var best: (score: Int, delimiter: Character)?
    for delimiter: Character in ["\t", ";", ",", "|"] {
      let rows = CSV.rows(sample.joined(separator: "\n"), delimiter: delimiter)
      let parsed = hinted ? Array(rows[CSV.table(in: rows)]) : rows
      guard let width = hinted ? CSV.width(parsed) : parsed.first?.count, width >= 2 else { continue }
      let even = parsed.count { $0.count == width }
      // Commas occur in prose; there the cells are long and the counts uneven.
      let cells = parsed.joined()
      let long = cells.count { $0.split(separator: " ").count > 12 }
      let share = Double(even) / Double(parsed.count)
      let spaced = cells.count { $0.hasPrefix(" ") }
      if !hinted {
        guard share > 0.9, long * 5 < cells.count else { continue }
        if delimiter == ",", width < 3 || spaced * 2 > cells.count, sample.count < 5 || spaced * 3 > cells.count {
          continue
        }
        if delimiter == "|", sample.contains(where: { $0.contains("---") }) { continue }
        if delimiter == ";", sample.contains(where: { $0.hasSuffix("{") || $0.hasSuffix("}") }) { continue }
      } else {
        guard share > 0.5 else { continue }
      }
      let score = Int(share * 100) + min(width, 50)
      if best == nil || score > best!.score { best = (score, delimiter) }
    }
    return best?.delimiter
  }

  private static func markdownScore(_ rows: [Substring]) -> Int {
    var score = 0
    var before = ""
    for row in rows {
      let line = row.trimmed()
      defer { before = line }
      if line.hasPrefix("#"), let title = line.drop(while: { $0 == "#" }).first, title == " ", before.isEmpty {
        score += 2
      }
      if line.hasPrefix("```") || line.hasPrefix("~~~") { score += 2 }
      if line.contains("]("), line.contains("[") { score += 1 }
      if line.hasPrefix("|"), line.contains("---") { score += 2 }
      if line.contains("**"), line.components(separatedBy: "**").count > 2 { score += 1 }
      if line.hasPrefix("> ") { score += 1 }
      if line.hasPrefix("- [ ]") || line.hasPrefix("- [x]") { score += 2 }
    }
    return score
  }
}

/// What tells programming languages apart well enough to label a file.
enum CodeLanguage {
  static let bySuffix: [String: String] = [
    "swift": "swift", "py": "python", "pyi": "python", "c": "c", "h": "c", "cpp": "cpp", "cc": "cpp", "cxx": "cpp",
    "hpp": "cpp", "hh": "cpp", "m": "objective-c", "mm": "objective-c", "java": "java", "kt": "kotlin",
    "js": "javascript",
    "mjs": "javascript", "jsx": "javascript", "ts": "typescript", "tsx": "typescript", "rs": "rust", "go": "go",
    "rb": "ruby", "php": "php", "pl": "perl", "sh": "shell", "bash": "shell", "zsh": "shell", "lua": "lua", "r": "r",
    "jl": "julia", "scala": "scala", "cs": "csharp", "fs": "fsharp", "hs": "haskell", "ml": "ocaml", "sql": "sql",
    "css": "css", "scss": "css", "json": "json", "jsonl": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml",
    "ini": "ini", "cfg": "ini", "conf": "ini", "cmake": "cmake", "mk": "make", "el": "lisp", "lisp": "lisp",
    "clj": "lisp",
    "vim": "vim", "tex": "tex", "asm": "assembly", "s": "assembly", "proto": "protobuf", "dart": "dart", "zig": "zig",
  ]

  private static let signs: [(String, [String])] = [
    ("swift", ["import Foundation", "func ", "let ", "var ", "guard ", "-> ", "struct ", "extension "]),
    ("python", ["def ", "import ", "self.", "elif ", "    return", "class ", "__init__", "if __name__"]),
    ("c", ["#include", "#define", "int main", "void ", "struct ", "->", "NULL", "sizeof("]),
    ("rust", ["fn ", "let mut ", "impl ", "pub fn", "use std", "match ", "&mut ", "-> "]),
    ("go", ["package ", "func ", ":= ", "import (", "err != nil", "defer ", "chan "]),
    ("java", ["public class", "private ", "public static", "import java", "@Override", "new ", "void "]),
    ("javascript", ["function ", "const ", "=> ", "let ", "require(", "export ", "document.", "===", "async "]),
    ("shell", ["fi\n", "echo ", "then\n", "done\n", "$(", "esac", "local "]),
    ("sql", ["SELECT ", "FROM ", "CREATE TABLE", "INSERT INTO", "WHERE ", "JOIN "]),
  ]

  static func guess(_ rows: [Substring]) -> String? {
    guard looksLikeCode(rows) else { return nil }
    let text = rows.joined(separator: "\n")
    let scored = signs.map { ($0.0, $0.1.count { text.contains($0) }) }
    guard let best = scored.max(by: { $0.1 < $1.1 }), best.1 >= 3 else { return nil }
    return best.0
  }

  /// Many lines end in, or consist of, what prose does not have.
  static func looksLikeCode(_ rows: [Substring]) -> Bool {
    let full = rows.map { $0.trimmed() }.filter { !$0.isEmpty }
    guard full.count >= 2 else { return false }
    let code = full.count { row in
      guard let last = row.last else { return false }
      if "{};:()[],\\".contains(last), last != ":" || !row.contains(" ") || row.hasSuffix("):") || row.hasPrefix("def ")
      {
        return last != "," || row.count < 60
      }
      return row.hasPrefix("//") || row.hasPrefix("#include") || row.hasPrefix("import ") || row.contains(" = ")
        || row.contains("->") || row.contains("();") || row.hasPrefix("return") || row.hasPrefix("@")
    }
    return code * 5 >= full.count * 2
  }
}
