import Core
import Foundation

/// A test collection in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv.
struct Beir: Sendable {
  struct Text: Decodable, Sendable {
    var _id: String
    var title: String?
    var text: String
  }

  var name: String
  var corpus: [Text]
  var queries: [Text]
  /// Query to document to grade; a grade of zero or less is not relevant.
  var grades: [String: [String: Int]] = [:]

  init(folder: URL) throws {
    name = folder.lastPathComponent
    corpus = try Self.lines(folder.appending(path: "corpus.jsonl"))
    let all: [Text] = try Self.lines(folder.appending(path: "queries.jsonl"))
    let table = try String(contentsOf: folder.appending(path: "qrels/test.tsv"), encoding: .utf8)
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      // The first line names the columns.
      guard fields.count == 3, let grade = Int(fields[2].trimmingCharacters(in: .whitespaces)) else { continue }
      grades[String(fields[0]), default: [:]][String(fields[1])] = grade
    }
    let judged = grades
    queries = all.filter { query in judged[query._id]?.values.contains { $0 > 0 } ?? false }
  }

  private static func lines(_ file: URL) throws -> [Text] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      try JSON.decode(Text.self, from: Data($0.utf8))
    }
  }
}
