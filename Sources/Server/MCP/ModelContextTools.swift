import Assistant
import Core
import Foundation
import Storage

/// What a client may do here: read, never change.
struct ModelContextTools: Sendable {
  let desk: any OperationDesk

  enum Tool: String, CaseIterable {
    case search, ask
    case listDocuments = "list_documents"
    case readDocument = "read_document"

    /// The one that does it. None of them needs another right than to ask.
    var operation: String {
      switch self {
      case .search: Search.name
      case .ask: Ask.name
      case .listDocuments: ListDocuments.name
      case .readDocument: ReadDocument.name
      }
    }
  }

  func run(_ tool: Tool, _ arguments: String, told: @escaping @Sendable (ToolProgress) -> Void) async throws
    -> ToolResult
  {
    let body = Data(arguments.utf8)
    switch tool {
    case .search: return try await search(read(body))
    case .ask: return try await ask(read(body), told)
    case .listDocuments: return try await list(read(body))
    case .readDocument: return try await text(read(body))
    }
  }

  private func read<Arguments: Decodable>(_ body: Data) throws -> Arguments {
    do { return try JSON.decode(Arguments.self, from: body) } catch let error as DecodingError {
      throw RemoteError(code: "input_unreadable", message: "The arguments do not fit: \(Self.words(error))")
    }
  }

  private static func words(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "\(key.stringValue) is missing."
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      "\(context.codingPath.map(\.stringValue).joined(separator: ".")) is of another kind."
    @unknown default: "they cannot be read."
    }
  }

  // MARK: Search

  private struct Searching: Decodable {
    var query: String
    var limit: Int?
    var collection: String?
  }

  private func search(_ asked: Searching) async throws -> ToolResult {
    let limit = min(max(asked.limit ?? 8, 1), 50)
    let input = Search.Input(query: asked.query, limit: limit, collection: asked.collection)
    var found: [Search.Result] = []
    for try await event in desk.call(Search.self, input) { found += event.results }
    let passages = found.map { Passage(document: $0.document, page: $0.page, text: $0.text, score: $0.score) }
    let text = passages.isEmpty ? "Nothing was found." : passages.map(\.words).joined(separator: "\n\n")
    return ToolResult(text: text, structured: Passages(passages: passages))
  }

  struct Passage: Encodable, Sendable {
    var document: String
    var page: Int?
    var text: String
    var score: Double

    var words: String { "[\(document)\(page.map { ", page \($0)" } ?? "")]\n\(text)" }
  }
  private struct Passages: Encodable, Sendable {
    var passages: [Passage]
  }

  // MARK: Ask

  private struct Asking: Decodable {
    var question: String
    var mode: Mode?
    var collection: String?
  }

  private func ask(_ asked: Asking, _ told: @escaping @Sendable (ToolProgress) -> Void) async throws -> ToolResult {
    let input = Ask.Input(question: asked.question, mode: asked.mode, collection: asked.collection)
    var record: AnswerRecord?
    var steps = 0.0
    for try await event in desk.call(Ask.self, input) {
      let what: String?
      switch event {
      case _ where event.loading != nil: what = "Loading the model."
      case _ where event.evidence != nil: what = "Read \(event.evidence?.count ?? 0) passages."
      case _ where event.sentence != nil: what = event.sentence?.text
      default: what = nil
      }
      if let what {
        steps += 1
        told(ToolProgress(share: steps, what: what))
      }
      record = event.done ?? record
    }
    guard let record else { throw CancellationError() }
    return ToolResult(text: Self.words(record), structured: record)
  }

  /// The answer with numbers where a sentence is supported, and what the numbers stand for.
  static func words(_ record: AnswerRecord) -> String {
    var lines = [record.answer]
    let unsupported = record.sentences.filter { !$0.supported }.count
    if !record.abstained, record.task == .documents, unsupported > 0 {
      lines.append("Without support in the documents: \(unsupported) of \(record.sentences.count) sentences.")
    }
    let used = Set(record.sentences.flatMap(\.support))
    for (index, citation) in record.citations.enumerated() where used.contains(index) {
      let page = citation.page.map { ", page \($0)" } ?? ""
      lines.append("[\(index + 1)] \(citation.document)\(page): \(citation.text)")
    }
    return lines.joined(separator: "\n\n")
  }

  // MARK: Documents

  private struct Listing: Decodable {
    var collection: String?
  }
  private struct Entries: Encodable, Sendable {
    var documents: [DocumentEntry]
  }

  private func list(_ asked: Listing) async throws -> ToolResult {
    var documents: [DocumentEntry] = []
    for try await entry in desk.call(ListDocuments.self, .init(collection: asked.collection)) {
      documents.append(entry)
    }
    let lines = documents.map { entry in
      "\(entry.document) — \(entry.title) (\(entry.collection)\(entry.pages.map { ", \($0) pages" } ?? ""))"
    }
    let text = lines.isEmpty ? "There are no documents yet." : lines.joined(separator: "\n")
    return ToolResult(text: text, structured: Entries(documents: documents))
  }

  private struct Reading: Decodable {
    var document: String
    var collection: String?
    var offset: Int?
    var length: Int?
  }
  private struct Part: Encodable, Sendable {
    var document: String
    var text: String
    var offset: Int
    var total: Int
  }

  /// A part of a document's text by UTF-8 offsets, as citations count; cut between characters.
  private func text(_ asked: Reading) async throws -> ToolResult {
    var whole = ""
    for try await event in desk.call(ReadDocument.self, .init(document: asked.document, collection: asked.collection)) {
      whole = event.text
    }
    let total = whole.utf8.count
    let start = min(max(asked.offset ?? 0, 0), total)
    let end = min(start + min(max(asked.length ?? 20_000, 1), 100_000), total)
    let from = Self.boundary(whole, start), to = Self.boundary(whole, end)
    let part = String(whole[from..<to])
    let offset = whole.utf8.distance(from: whole.startIndex, to: from)
    return ToolResult(text: part, structured: Part(document: asked.document, text: part, offset: offset, total: total))
  }

  /// The beginning of the character whose byte that is.
  static func boundary(_ text: String, _ offset: Int) -> String.Index {
    var index = text.utf8.index(text.startIndex, offsetBy: offset)
    while index < text.endIndex, UTF8.isContinuation(text.utf8[index]) { index = text.utf8.index(before: index) }
    return index
  }
}

/// What a client is told while it waits.
struct ToolProgress: Sendable {
  var share: Double
  var what: String
}

/// What a tool gave back: words for a model, the same as values for a program.
struct ToolResult: Encodable, Sendable {
  private struct Words: Encodable, Sendable {
    var type = "text"
    var text: String
  }
  private var content: [Words]
  private var structured: (any Encodable & Sendable)?
  private var isError: Bool

  init(text: String, structured: any Encodable & Sendable) {
    content = [Words(text: text)]
    self.structured = structured
    isError = false
  }

  /// A tool that failed says so to the model, which may try something else.
  static func refusal(_ error: RemoteError) -> ToolResult {
    var outcome = ToolResult(
      text: [error.message, error.remedy].compactMap(\.self).joined(separator: " "), structured: "")
    outcome.structured = nil
    outcome.isError = true
    return outcome
  }

  private enum Keys: CodingKey { case content, structuredContent, isError }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(content, forKey: .content)
    if let structured { try structured.encode(to: container.superEncoder(forKey: .structuredContent)) }
    try container.encode(isError, forKey: .isError)
  }
}
