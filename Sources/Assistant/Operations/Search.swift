package import Core
import Foundation
import Resources
package import Retrieval
import Storage

/// The ranking behind an answer, with what each stage thought.
package enum Search: Operation {
  package struct Input: Codable, Sendable, ReadsCollection {
    package var query: String
    package var limit: Int
    package var collection: String?
    package var stage: Stage
    package init(query: String, limit: Int = 10, collection: String? = nil, stage: Stage = .fused) {
      (self.query, self.limit, self.collection, self.stage) = (query, limit, collection, stage)
    }
  }

  package struct Result: Codable, Sendable {
    package var document: String
    @OrNull package var page: Int?
    package var text: String
    package var score: Double
    package var stages: StageScores
    package var id: String
  }

  package struct Event: Codable, Sendable {
    package var query: String
    package var results: [Result]
    /// What could not be searched yet.
    package var unready: String?
  }

  package static let name = "search"
  /// How many results can be asked for.
  static let limits = 0...1000
  package static var numbers: [NumberField<Input>] { [.whole("limit", limits) { $0.limit }] }

  package static func said(in input: Input) -> (text: String, most: Int)? { (input.query, LongQuestion.brief) }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let limit = input.limit
    let depth = Depth(candidates: max(200, limit * 4), passages: limit, threshold: 0, neighbours: 0)
    let scope: Scope = input.collection.map { .collections([$0]) } ?? .everything
    @Sendable func find() async throws -> Searcher.Found {
      try await house.finder(for: input.query).search(input.query, depth: depth, scope: scope, stage: input.stage)
    }
    // While a person waits an import, and what programs ask for, stand aside.
    let found =
      Caller.asking.isPerson
      ? try await house.scheduler.run("a search", .person, cores: 0) { _ in try await find() } : try await find()
    let citing = Citing(shelf: house.vault.documents)
    var results: [Result] = []
    for passage in found.passages {
      let place = CitationPlace(document: passage.document.id, range: passage.start..<passage.end)
      let citation = try await citing.citation(place, of: passage.document, score: passage.relevance)
      results.append(
        Result(
          document: citation.document, page: citation.page, text: citation.text, score: citation.score,
          stages: passage.scores, id: citation.id))
    }
    let unready = try await house.unready(in: input.collection, for: input.query)
    emit(Event(query: input.query, results: results, unready: unready))
  }
}

/// Many queries at once, documents instead of passages, no threshold: for evaluation.
package enum SearchBatch: Operation {
  package struct Query: Codable, Sendable {
    package var id: String
    package var text: String
    enum CodingKeys: String, CodingKey {
      case id = "_id"
      case text
    }
  }

  package struct Input: Codable, Sendable, ReadsCollection {
    package var queries: [Query]
    package var limit: Int
    package var collection: String?
    package var stage: Stage
    package init(queries: [Query], limit: Int, collection: String?, stage: Stage) {
      (self.queries, self.limit, self.collection, self.stage) = (queries, limit, collection, stage)
    }
  }

  package struct Event: Codable, Sendable {
    package var id: String
    package var results: [Searcher.RankedDocument]
    enum CodingKeys: String, CodingKey {
      case id = "_id"
      case results
    }
  }

  package static let name = "search-batch"
  package static var numbers: [NumberField<Input>] { [.whole("limit", Search.limits) { $0.limit }] }
  package static func said(in input: Input) -> (text: String, most: Int)? {
    input.queries.map(\.text).max { $0.utf8.count < $1.utf8.count }.map { ($0, LongQuestion.brief) }
  }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let scope: Scope = input.collection.map { .collections([$0]) } ?? .everything
    for query in input.queries {
      try Task.checkCancellation()
      let finder = await house.finder(for: query.text)
      let ranked = try await finder.documents(query.text, limit: input.limit, scope: scope, stage: input.stage)
      emit(Event(id: query.id, results: ranked))
    }
  }
}
