import Core
import Foundation
import Storage
import Testing

@testable import Assistant

@Suite("Which document is read as a whole")
struct WholeChoiceTests {
  private static let names = ["Letter of Dr Adeyemi.docx", "school-letter.txt", "lease.pdf", "statement.csv"]

  /// The last one was taken in last.
  private static func library() throws -> [StoredDocument] {
    let rows = names.enumerated().map { id, name in
      """
      {"id": \(id), "collection": "documents", "name": "\(name)", "hash": "", "title": "\(name)", "kind": "text",
       "state": "ready", "pages_done": 1, "bytes": 1, "text_bytes": 1, "created": \(id), "updated": \(id)}
      """
    }
    return try JSONDecoder().decode([StoredDocument].self, from: Data("[\(rows.joined(separator: ","))]".utf8))
  }

  @Test(
    "The one that its name or what it says fits best, and the latest where nothing tells",
    arguments: [
      ("summarise the school letter", 1), ("summarise the letter from the school", 1), ("summarise lease", 2),
      ("give me a summary of the tenancy contract", 2), ("summarise the doctor's letter", 0),
      ("summarise the document for a child", 3), ("summarise the document", 3),
    ])
  func chosen(question: String, id: Int64) async throws {
    let found: [String: [Int64]] = ["tenancy contract": [2, 3], "doctor letter": [2, 0, 1]]
    let choice = try await WholeReading.chosen(for: question, of: Self.library(), after: []) { found[$0] ?? [] }
    #expect(choice.documents.map(\.id) == [id])
  }
}
