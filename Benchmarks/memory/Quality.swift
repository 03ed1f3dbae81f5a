import Core
import Foundation
import Retrieval
import Storage

/// nDCG@10 and recall@100 of each stage.
struct Quality {
  let beir: Beir
  let vault: Vault
  let embedder: any Embedder

  struct Row: Codable {
    var system: String
    var ndcg10: Double
    var recall100: Double
  }

  /// The half that numbers were chosen on, and the half they were not; by a fixed draw over the queries' order.
  enum Part: String, CaseIterable { case all, tuning, heldOut = "held out" }

  func queries(_ part: Part) -> [Beir.Text] {
    var draw = SplitMix(state: 20_240_607)
    let sides = beir.queries.map { _ in draw.next() & 1 == 0 }
    return zip(beir.queries, sides).filter { part == .all || $0.1 == (part == .tuning) }.map(\.0)
  }

  func measure(_ name: String, _ queries: [Beir.Text], _ rank: (String) async throws -> [String]) async throws -> Row {
    var (ndcg, recall): ([Double], [Double]) = ([], [])
    for query in queries {
      let ranked = try await rank(query.text)
      ndcg.append(Metrics.ndcg(ranked, beir.grades[query._id] ?? [:]))
      recall.append(Metrics.recall(ranked, beir.grades[query._id] ?? [:]))
    }
    return Row(system: name, ndcg10: Metrics.mean(ndcg), recall100: Metrics.mean(recall))
  }

  func report() async throws {
    let plain = PlainBM25(beir.corpus)
    let reference = try await Reference(beir.corpus, embedder)
    let searcher = Searcher(vault, embedder: embedder)
    print("| \(beir.name) | queries | nDCG@10 | recall@100 |\n|---|---|---|---|")
    for part in Part.allCases {
      let queries = queries(part)
      var rows = [try await measure("plain BM25 (1.2, 0.75)", queries) { plain.documents($0, limit: 100) }]
      rows.append(
        try await measure("embedder alone, whole texts", queries) { try await reference.documents($0, limit: 100) })
      for stage in Stage.allCases {
        rows.append(
          try await measure(stage.rawValue, queries) {
            try await searcher.documents($0, stage: stage).map(\.document)
          })
      }
      for row in rows {
        print(
          "| \(row.system), \(part.rawValue) | \(queries.count) | \(Self.digits(row.ndcg10)) | \(Self.digits(row.recall100)) |"
        )
      }
    }
  }

  static func digits(_ value: Double) -> String { String(format: "%.4f", value) }
}

/// The embedder by itself: each text whole, cut where its window ends, every cosine computed.
struct Reference {
  private let vectors: [(name: String, vector: [Float])]
  private let embedder: any Embedder

  init(_ corpus: [Beir.Text], _ embedder: any Embedder) async throws {
    self.embedder = embedder
    var vectors: [(String, [Float])] = []
    for text in corpus { vectors.append((text._id, try await embedder.embed([text.text])[0])) }
    self.vectors = vectors
  }

  func documents(_ query: String, limit: Int) async throws -> [String] {
    let query = try await embedder.embed([query])[0]
    return vectors.map { (name: $0.name, score: zip($0.vector, query).reduce(0) { $0 + $1.0 * $1.1 }) }
      .sorted { $0.score > $1.score }.prefix(limit).map(\.name)
  }
}

/// A small generator whose draws are the same everywhere.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
